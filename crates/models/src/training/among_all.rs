//! What is made small where passages keep their vectors: a question shall lie nearer to its own passage than to all others.

/// The passages of a history, whose vectors stay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passages<'a> {
    /// `[passages, dim]`, of length 1.
    pub(super) vectors: &'a [f32],
    /// Components of a vector.
    pub(super) dim: usize,
    /// What cosines are multiplied with.
    pub(super) scale: f32,
}

/// What another model makes of a question, and how much it is believed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taught<'a> {
    /// Of length 1.
    pub(super) question: &'a [f32],
    /// The part of the target that is that model's softmax; the rest is the question's own passage. In [0, 1].
    pub(super) share: f32,
}

impl Passages<'_> {
    /// The cross-entropy of a question's cosines times the scale with all passages, in nats, and its derivatives by the
    /// question's vector.
    ///
    /// Passages that answer the question `also` are neither right nor wrong. With a teacher its softmax over the same
    /// passages, of the same scale, is a part of the target (Hinton et al. 2015, section 2).
    pub(super) fn ask(
        self,
        question: &[f32],
        own: usize,
        also: &[usize],
        taught: Option<Taught<'_>>,
    ) -> (f64, Vec<f32>) {
        let shares = self.log_shares(question, own, also);
        let mut target = vec![0.0; shares.len()];
        if let Some(Taught { question, share }) = taught {
            let of_teacher = self.log_shares(question, own, also);
            target.iter_mut().zip(of_teacher).for_each(|(x, log)| *x = share * log.exp());
        }
        target[own] += 1.0 - taught.map_or(0.0, |taught| taught.share);
        let mut loss = 0.0;
        let mut derivatives = vec![0.0; self.dim];
        for ((log, target), passage) in shares.into_iter().zip(target).zip(self.vectors.chunks_exact(self.dim)) {
            if target > 0.0 {
                loss -= f64::from(target) * f64::from(log);
            }
            let slope = self.scale * (log.exp() - target);
            if slope != 0.0 {
                derivatives.iter_mut().zip(passage).for_each(|(x, p)| *x += slope * p);
            }
        }
        (loss, derivatives)
    }

    /// The logarithm of each passage's part in the softmax; minus infinity of those that are left out.
    fn log_shares(self, question: &[f32], own: usize, also: &[usize]) -> Vec<f32> {
        let score = |passage: &[f32]| self.scale * passage.iter().zip(question).map(|(p, q)| p * q).sum::<f32>();
        let mut scores: Vec<f32> = self.vectors.chunks_exact(self.dim).map(score).collect();
        also.iter().filter(|place| **place != own).for_each(|place| scores[*place] = f32::NEG_INFINITY);
        let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total = scores.iter().map(|score| (score - most).exp()).sum::<f32>().ln() + most;
        scores.iter_mut().for_each(|score| *score -= total);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGES: Passages<'_> = Passages { vectors: &[1.0, 0.0, 0.0, -1.0, 0.8, 0.6, 0.6, 0.8], dim: 2, scale: 3.0 };

    #[test]
    fn by_hand() {
        // At 45 degrees both are equally near; the third and the fourth are left out.
        let even = Passages { vectors: &[1.0, 0.0, 0.0, 1.0, 0.6, 0.8, 1.0, 0.0], ..PASSAGES };
        let half = 0.5f32.sqrt();
        let (loss, derivatives) = even.ask(&[half, half], 0, &[0, 2, 3], None);
        assert!((loss - 2f64.ln()).abs() < 1e-6, "{loss}");
        assert!((derivatives[0] + 1.5).abs() < 1e-5 && (derivatives[1] - 1.5).abs() < 1e-5, "{derivatives:?}");
        let (alone, derivatives) = even.ask(&[half, half], 0, &[1, 2, 3], None);
        assert!(alone.abs() < 1e-6 && derivatives.iter().all(|x| x.abs() < 1e-6));
    }

    #[test]
    fn a_teacher_who_sees_the_same_wants_no_change() {
        let question = [0.28, 0.96];
        let taught = Some(Taught { question: &question, share: 1.0 });
        let (_, derivatives) = PASSAGES.ask(&question, 1, &[], taught);
        assert!(derivatives.iter().all(|x| x.abs() < 1e-6), "{derivatives:?}");
    }

    #[test]
    fn derivatives_are_those_of_small_steps() {
        let teacher = Taught { question: &[0.6, -0.8], share: 0.4 };
        for taught in [None, Some(teacher)] {
            let question = [0.28f32, 0.96];
            let (_, derivatives) = PASSAGES.ask(&question, 2, &[3], taught);
            for (i, derivative) in derivatives.into_iter().enumerate() {
                let loss = |step: f32| {
                    let mut moved = question;
                    moved[i] += step;
                    PASSAGES.ask(&moved, 2, &[3], taught).0
                };
                let expected = (loss(0.01) - loss(-0.01)) / 0.02;
                assert!((f64::from(derivative) - expected).abs() < 1e-3, "{i}: {derivative}, {expected}");
            }
        }
    }
}
