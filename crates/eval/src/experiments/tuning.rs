//! Choosing among pipelines without looking at what is reported.

use super::ascent::TOLERANCE;
use crate::measures::{Evaluation, Measure};

/// Weights of the lexical leg that are tried (fusion study, section 3): 0 to 1 by 0.05.
pub fn alphas() -> impl Iterator<Item = f64> {
    // Twentieths, not sums of 0.05: 0.15 must print as 0.15.
    (0..=20).map(|twentieth| f64::from(twentieth) / 20.0)
}

/// For each of `groups` groups, the candidate that does best on all the others.
///
/// `candidates` were evaluated on the same questions, and `clusters` gives the group of each.
/// Ties go to the first candidate. `None` where the measure was not taken or there is no candidate.
pub fn leave_one_out(
    candidates: &[Evaluation],
    clusters: &[usize],
    groups: usize,
    measure: Measure,
) -> Option<Vec<usize>> {
    (0..groups)
        .map(|held_out| {
            let others: Vec<bool> = (0..groups).map(|group| group != held_out).collect();
            best_on(candidates, clusters, &others, measure)
        })
        .collect()
}

/// The candidate that does best on the questions of the groups marked.
pub fn best_on(candidates: &[Evaluation], clusters: &[usize], marked: &[bool], measure: Measure) -> Option<usize> {
    let among = |candidate: &Evaluation| {
        let values = candidate.values(measure)?;
        Some(values.iter().zip(clusters).filter(|(_, group)| marked[**group]).map(|(value, _)| value).sum())
    };
    best(candidates.iter().map(among).collect::<Option<Vec<f64>>>()?.into_iter())
}

/// The first of the largest.
fn best(values: impl Iterator<Item = f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, value) in values.enumerate() {
        if best.is_none_or(|(_, most)| value > most + TOLERANCE) {
            best = Some((place, value));
        }
    }
    best.map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measures::{Qrels, Run, evaluate};

    /// Hit@1 of a system that is right on the questions given.
    fn right_on(questions: &[usize]) -> Evaluation {
        let (mut qrels, mut run) = (Qrels::default(), Run::new("r").unwrap());
        for question in 0..6 {
            qrels.add(question.to_string(), ["gold"]).unwrap();
            let found = if questions.contains(&question) { "gold" } else { "other" };
            run.rank(question.to_string(), vec![(found, 1.0)]).unwrap();
        }
        evaluate(&run, &qrels, &Measure::STANDARD).unwrap()
    }

    #[test]
    fn the_held_out_group_has_no_say() {
        // Three groups of two questions; the second candidate is right on the first group only.
        let candidates = [right_on(&[2, 4]), right_on(&[0, 1])];
        let clusters = [0, 0, 1, 1, 2, 2];
        let measure = Measure::STANDARD[0];
        assert_eq!(leave_one_out(&candidates, &clusters, 3, measure), Some(vec![0, 1, 1]));
        assert_eq!(best_on(&candidates, &clusters, &[true, false, false], measure), Some(1));
        assert_eq!(best_on(&candidates, &clusters, &[true, true, true], measure), Some(0), "a tie");
    }

    #[test]
    fn weights_are_exact() {
        let weights: Vec<f64> = alphas().collect();
        assert_eq!((weights.len(), weights[3], weights[20]), (21, 0.15, 1.0));
    }
}
