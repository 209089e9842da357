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
/// section 2.3).
///
/// `belongs(i, j)` tells whether question `i` is answered by passage `j` too: such a pair is no wrong one.
pub(super) fn contrast(
    questions: &[f32],
    passages: &[f32],
    dim: usize,
    scale: f32,
    belongs: impl Fn(usize, usize) -> bool,
) -> Contrast {
    let count = questions.len() / dim;
    let mut scores = vec![f32::NEG_INFINITY; count * count];
    for (i, question) in questions.chunks_exact(dim).enumerate() {
        for (j, passage) in passages.chunks_exact(dim).enumerate() {
            if i == j || !belongs(i, j) {
                scores[i * count + j] = scale * question.iter().zip(passage).map(|(q, p)| q * p).sum::<f32>();
            }
        }
    }
    // Of each softmax the shares less the right one are the derivatives by its scores.
    let mut slopes = vec![0.0; count * count];
    let mut loss = 0.0;
    let half = 0.5 / count as f32;
    for i in 0..count {
        for place in [|i: usize, j: usize, n: usize| i * n + j, |i: usize, j: usize, n: usize| j * n + i] {
            let score = |j: usize| scores[place(i, j, count)];
            let most = (0..count).map(score).fold(f32::NEG_INFINITY, f32::max);
            let total: f32 = (0..count).map(|j| (score(j) - most).exp()).sum();
            loss += f64::from(half * (total.ln() + most - score(i)));
            for j in 0..count {
                slopes[place(i, j, count)] += half * (score(j) - most).exp() / total;
            }
            slopes[place(i, i, count)] -= half;
        }
    }
    let mut of_questions = vec![0.0; questions.len()];
    let mut of_passages = vec![0.0; passages.len()];
    for i in 0..count {
        for j in 0..count {
            let slope = scale * slopes[i * count + j];
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

    #[test]
    fn by_hand() {
        // Both questions lie between both passages: each softmax is even.
        let even = contrast(&[1.0, 0.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| false);
        assert!((even.loss - 2f64.ln()).abs() < 1e-6, "{}", even.loss);
        let alone = contrast(&[1.0, 0.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| true);
        assert!(alone.loss.abs() < 1e-7 && alone.questions.iter().all(|x| x.abs() < 1e-7));
    }

    #[test]
    fn derivatives_are_those_of_small_steps() {
        let belongs = |i: usize, j: usize| (i, j) == (0, 2);
        let loss = |questions: &[f32], passages: &[f32]| contrast(questions, passages, 2, 3.0, belongs).loss;
        let found = contrast(&QUESTIONS, &PASSAGES, 2, 3.0, belongs);
        for i in 0..6 {
            let moved = |values: &[f32; 6], step: f32| {
                let mut moved = *values;
                moved[i] += step;
                moved
            };
            let of_question =
                (loss(&moved(&QUESTIONS, 0.01), &PASSAGES) - loss(&moved(&QUESTIONS, -0.01), &PASSAGES)) / 0.02;
            let of_passage =
                (loss(&QUESTIONS, &moved(&PASSAGES, 0.01)) - loss(&QUESTIONS, &moved(&PASSAGES, -0.01))) / 0.02;
            assert!((f64::from(found.questions[i]) - of_question).abs() < 1e-3, "{i}");
            assert!((f64::from(found.passages[i]) - of_passage).abs() < 1e-3, "{i}");
        }
    }
}
