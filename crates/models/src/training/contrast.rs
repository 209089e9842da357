//! What is made small: questions shall lie nearer to their own passages than to the others of the batch.

/// A loss with its derivatives by the vectors it was computed from.
pub(super) struct Contrast {
    /// Mean over questions and passages, in nats.
    pub(super) loss: f64,
    /// `[questions, dim]`
    pub(super) questions: Vec<f32>,
    /// `[questions, dim]`
    pub(super) passages: Vec<f32>,
}

/// Symmetric cross-entropy of the cosines times `scale`, question `i` belonging to passage `i` (Radford et al. 2021,
/// section 2.3). Passages beyond the last question belong to none: they are only ones that a question is told from
/// (Karpukhin et al. 2020, section 3.2).
///
/// `belongs(i, j)` tells whether question `i` is answered by passage `j` too: such a pair is no wrong one.
pub(super) fn contrast(
    questions: &[f32],
    passages: &[f32],
    dim: usize,
    scale: f32,
    belongs: impl Fn(usize, usize) -> bool,
) -> Contrast {
    let (count, wide) = (questions.len() / dim, passages.len() / dim);
    let mut scores = vec![f32::NEG_INFINITY; count * wide];
    for (i, question) in questions.chunks_exact(dim).enumerate() {
        for (j, passage) in passages.chunks_exact(dim).enumerate() {
            if i == j || !belongs(i, j) {
                scores[i * wide + j] = scale * question.iter().zip(passage).map(|(q, p)| q * p).sum::<f32>();
            }
        }
    }
    // Of each softmax the shares less the right one are the derivatives by its scores.
    let mut slopes = vec![0.0; count * wide];
    let mut loss = 0.0;
    let half = 0.5 / count as f32;
    for i in 0..count {
        let of_question: Vec<usize> = (0..wide).map(|j| i * wide + j).collect();
        let of_passage: Vec<usize> = (0..count).map(|j| j * wide + i).collect();
        for places in [of_question, of_passage] {
            let most = places.iter().map(|place| scores[*place]).fold(f32::NEG_INFINITY, f32::max);
            let total: f32 = places.iter().map(|place| (scores[*place] - most).exp()).sum();
            loss += f64::from(half * (total.ln() + most - scores[i * wide + i]));
            for place in places {
                slopes[place] += half * (scores[place] - most).exp() / total;
            }
            slopes[i * wide + i] -= half;
        }
    }
    let mut of_questions = vec![0.0; questions.len()];
    let mut of_passages = vec![0.0; passages.len()];
    for i in 0..count {
        for j in 0..wide {
            let slope = scale * slopes[i * wide + j];
            let (question, passage) = (&questions[i * dim..][..dim], &passages[j * dim..][..dim]);
            of_questions[i * dim..][..dim].iter_mut().zip(passage).for_each(|(x, p)| *x += slope * p);
            of_passages[j * dim..][..dim].iter_mut().zip(question).for_each(|(x, q)| *x += slope * q);
        }
    }
    Contrast { loss, questions: of_questions, passages: of_passages }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTIONS: [f32; 6] = [0.6, 0.8, -1.0, 0.0, 0.0, 1.0];
    const PASSAGES: [f32; 6] = [1.0, 0.0, 0.0, -1.0, 0.8, 0.6];
    /// [`PASSAGES`] with one that belongs to no question.
    const MORE: [f32; 8] = [1.0, 0.0, 0.0, -1.0, 0.8, 0.6, -0.6, 0.8];

    #[test]
    fn by_hand() {
        // Both questions lie between both passages: each softmax is even.
        let even = contrast(&[1.0, 0.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| false);
        assert!((even.loss - 2f64.ln()).abs() < 1e-6, "{}", even.loss);
        let alone = contrast(&[1.0, 0.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| true);
        assert!(alone.loss.abs() < 1e-7 && alone.questions.iter().all(|x| x.abs() < 1e-7));
    }

    #[test]
    fn a_passage_without_a_question_is_one_more_to_be_told_from() {
        // One question between two passages, of which the second is nobody's: ln 2 for the question, 0 for the passage.
        let found = contrast(&[1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| false);
        assert!((found.loss - 0.5 * 2f64.ln()).abs() < 1e-6, "{}", found.loss);
        assert!(found.passages[0] < 0.0 && found.passages[2] > 0.0, "{:?}", found.passages);
    }

    #[test]
    fn derivatives_are_those_of_small_steps() {
        let belongs = |i: usize, j: usize| (i, j) == (0, 2);
        for passages in [PASSAGES.as_slice(), MORE.as_slice()] {
            let loss = |questions: &[f32], passages: &[f32]| contrast(questions, passages, 2, 3.0, belongs).loss;
            let found = contrast(&QUESTIONS, passages, 2, 3.0, belongs);
            let moved = |values: &[f32], i: usize, step: f32| {
                let mut moved = values.to_vec();
                moved[i] += step;
                moved
            };
            for (i, derivative) in found.questions.iter().enumerate() {
                let expected =
                    (loss(&moved(&QUESTIONS, i, 0.01), passages) - loss(&moved(&QUESTIONS, i, -0.01), passages)) / 0.02;
                assert!((f64::from(*derivative) - expected).abs() < 1e-3, "question {i}");
            }
            for (i, derivative) in found.passages.iter().enumerate() {
                let expected =
                    (loss(&QUESTIONS, &moved(passages, i, 0.01)) - loss(&QUESTIONS, &moved(passages, i, -0.01))) / 0.02;
                assert!((f64::from(*derivative) - expected).abs() < 1e-3, "passage {i}");
            }
        }
    }
}
