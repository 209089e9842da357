//! Wrong passages that are hard to tell from the right one.

/// How far above its own passage's cosine a wrong one's may be for a question. One that is more like it answers it too,
/// more likely than not, and is left out (Qu et al. 2021, section 4.2, with a model that judges by cosine).
const MARGIN: f32 = 0.1;
/// Hard passages of a question, of which a step takes one.
const MOST: usize = 8;

/// Of each question the likest passages by cosine that do not answer it, the likest first.
///
/// `questions` and `passages` are rows of `dim` components, of length 1; `targets` has the place of each question's own
/// passage, and `answers(question, place)` tells which passages answer it.
pub(super) fn hard_negatives(
    questions: &[f32],
    passages: &[f32],
    dim: usize,
    targets: &[usize],
    answers: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let cosine = |question: &[f32], place: usize| -> f32 {
        question.iter().zip(&passages[place * dim..][..dim]).map(|(q, p)| q * p).sum()
    };
    let of_question = |(number, question): (usize, &[f32])| {
        let most = cosine(question, targets[number]) + MARGIN;
        let wrong = (0..passages.len() / dim).filter(|place| !answers(number, *place));
        let mut found: Vec<(f32, usize)> = wrong.map(|place| (cosine(question, place), place)).collect();
        found.retain(|(score, _)| *score <= most);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().take(MOST).map(|(_, place)| place).collect()
    };
    questions.chunks_exact(dim).enumerate().map(of_question).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likest_come_first_without_answers_and_without_what_is_too_like() {
        // By angle from the question at 0: its own passage at cosine 0.6, others at 1, 0.68, 0.6 (an answer too), 0.5, 0.
        let at = |cosine: f32| [cosine, (1.0 - cosine * cosine).sqrt()];
        let passages = [0.6, 1.0, 0.68, 0.6, 0.5, 0.0].map(at).concat();
        let answers = |_: usize, place: usize| place == 0 || place == 3;
        assert_eq!(hard_negatives(&[1.0, 0.0], &passages, 2, &[0], answers), [[2, 4, 5]]);
    }
}
