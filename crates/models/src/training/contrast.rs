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

/// What another model makes of the same texts, and how much it is believed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Teacher<'a> {
    /// `[questions, dim]`, of length 1.
    pub(super) questions: &'a [f32],
    /// `[passages, dim]`, of length 1.
    pub(super) passages: &'a [f32],
    /// The part of each softmax's target that is the teacher's softmax; the rest is the pair itself. In [0, 1].
    pub(super) share: f32,
}

/// Symmetric cross-entropy of the cosines times `scale`, question `i` belonging to passage `i` (Radford et al. 2021,
/// section 2.3). Passages beyond the last question belong to none: they are only ones that a question is told from
/// (Karpukhin et al. 2020, section 3.2).
///
/// `belongs(i, j)` tells whether question `i` is answered by passage `j` too: such a pair is no wrong one. With a teacher its
/// softmax, of the same scale, is a part of the target (Hinton et al. 2015, section 2).
pub(super) fn contrast(
    questions: &[f32],
    passages: &[f32],
    dim: usize,
    scale: f32,
    belongs: impl Fn(usize, usize) -> bool,
    teacher: Option<Teacher<'_>>,
) -> Contrast {
    let (count, wide) = (questions.len() / dim, passages.len() / dim);
    let scores_of = |questions: &[f32], passages: &[f32]| {
        let mut scores = vec![f32::NEG_INFINITY; count * wide];
        for (i, question) in questions.chunks_exact(dim).enumerate() {
            for (j, passage) in passages.chunks_exact(dim).enumerate() {
                if i == j || !belongs(i, j) {
                    scores[i * wide + j] = scale * question.iter().zip(passage).map(|(q, p)| q * p).sum::<f32>();
                }
            }
        }
        scores
    };
    let scores = scores_of(questions, passages);
    let taught = teacher.map(|teacher| (scores_of(teacher.questions, teacher.passages), teacher.share));
    // Of each softmax the shares less the target's are the derivatives by its scores.
    let mut slopes = vec![0.0; count * wide];
    let mut loss = 0.0;
    let half = 0.5 / count as f32;
    for i in 0..count {
        let of_question: Vec<usize> = (0..wide).map(|j| i * wide + j).collect();
        let of_passage: Vec<usize> = (0..count).map(|j| j * wide + i).collect();
        for places in [of_question, of_passage] {
            let (shares, log_total) = softmax(&scores, &places);
            let own = i * wide + i;
            let mut target: Vec<f32> = places.iter().map(|place| f32::from(u8::from(*place == own))).collect();
            if let Some((taught, share)) = &taught {
                let (of_teacher, _) = softmax(taught, &places);
                target.iter_mut().zip(of_teacher).for_each(|(x, taught)| *x += share * (taught - *x));
            }
            for ((place, share), target) in places.into_iter().zip(shares).zip(target) {
                slopes[place] += half * (share - target);
                if target > 0.0 {
                    loss += f64::from(half * target * (log_total - scores[place]));
                }
            }
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

/// The shares of the scores at some places, and the logarithm of the sum that they are parts of.
fn softmax(scores: &[f32], places: &[usize]) -> (Vec<f32>, f32) {
    let most = places.iter().map(|place| scores[*place]).fold(f32::NEG_INFINITY, f32::max);
    let mut shares: Vec<f32> = places.iter().map(|place| (scores[*place] - most).exp()).collect();
    let total: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    (shares, total.ln() + most)
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
        let even = contrast(&[1.0, 0.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| false, None);
        assert!((even.loss - 2f64.ln()).abs() < 1e-6, "{}", even.loss);
        let alone = contrast(&[1.0, 0.0, 1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| true, None);
        assert!(alone.loss.abs() < 1e-7 && alone.questions.iter().all(|x| x.abs() < 1e-7));
    }

    #[test]
    fn a_passage_without_a_question_is_one_more_to_be_told_from() {
        // One question between two passages, of which the second is nobody's: ln 2 for the question, 0 for the passage.
        let found = contrast(&[1.0, 0.0], &[1.0, 0.0, 1.0, 0.0], 2, 5.0, |_, _| false, None);
        assert!((found.loss - 0.5 * 2f64.ln()).abs() < 1e-6, "{}", found.loss);
        assert!(found.passages[0] < 0.0 && found.passages[2] > 0.0, "{:?}", found.passages);
    }

    #[test]
    fn a_teacher_is_followed_as_far_as_it_is_believed() {
        // One question and two passages at the same cosine: even shares. The teacher's are 0.8 and 0.2: its cosines differ by
        // ln 4 over the scale of 5.
        let (questions, passages) = ([1.0, 0.0], [0.6, 0.8, 0.6, -0.8]);
        let lower = 0.6 - 4f32.ln() / 5.0;
        let of_teacher = [0.6, 0.8, lower, (1.0 - lower * lower).sqrt()];
        let with = |share: f32| {
            let teacher = Teacher { questions: &questions, passages: &of_teacher, share };
            contrast(&questions, &passages, 2, 5.0, |_, _| false, Some(teacher))
        };
        // Half of the slope by a passage's score goes to it as scale times the question: shares less the target.
        let slopes = |found: &Contrast| [found.passages[0], found.passages[2]].map(|slope| slope / (0.5 * 5.0));
        for (share, expected) in [(0.0, [-0.5, 0.5]), (1.0, [-0.3, 0.3]), (0.5, [-0.4, 0.4])] {
            let found = slopes(&with(share));
            assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-5), "{share}: {found:?}");
        }
        let alone = contrast(&questions, &passages, 2, 5.0, |_, _| false, None);
        assert_eq!(with(0.0).passages, alone.passages);
    }

    #[test]
    fn derivatives_are_those_of_small_steps() {
        let belongs = |i: usize, j: usize| (i, j) == (0, 2);
        for (passages, is_taught) in [(PASSAGES.as_slice(), false), (&MORE, false), (&MORE, true)] {
            // A teacher that takes the passages for the questions and the other way round.
            let teacher = is_taught.then_some(Teacher { questions: &PASSAGES, passages: &MORE, share: 0.4 });
            let loss =
                |questions: &[f32], passages: &[f32]| contrast(questions, passages, 2, 3.0, belongs, teacher).loss;
            let found = contrast(&QUESTIONS, passages, 2, 3.0, belongs, teacher);
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
