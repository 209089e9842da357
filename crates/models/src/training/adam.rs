//! AdamW (Loshchilov and Hutter 2019, algorithm 2).

/// The running means of the gradients.
pub(super) struct AdamW {
    means: Vec<f32>,
    squares: Vec<f32>,
    steps: i32,
}

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;
const WEIGHT_DECAY: f32 = 0.01;
/// The gradient is shortened to this length.
const LONGEST: f64 = 1.0;

impl AdamW {
    pub(super) fn new(parameters: usize) -> Self {
        Self { means: vec![0.0; parameters], squares: vec![0.0; parameters], steps: 0 }
    }

    /// As it was after some steps.
    pub(super) fn resumed(means: Vec<f32>, squares: Vec<f32>, steps: usize) -> Self {
        Self { means, squares, steps: i32::try_from(steps).unwrap_or(i32::MAX) }
    }

    /// The running means of the gradients and of their squares.
    pub(super) fn means(&self) -> [&[f32]; 2] {
        [&self.means, &self.squares]
    }

    /// Takes a step of `rate` against the gradient.
    pub(super) fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) {
        self.steps += 1;
        let length = gradient.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let shorten = (LONGEST / length.max(LONGEST)) as f32;
        let of_mean = 1.0 - MEAN_DECAY.powi(self.steps);
        let of_square = 1.0 - SQUARE_DECAY.powi(self.steps);
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((parameter, gradient), (mean, square)) in parameters.iter_mut().zip(gradient).zip(state) {
            let gradient = gradient * shorten;
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * gradient;
            *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * gradient * gradient;
            let step = *mean / of_mean / ((*square / of_square).sqrt() + EPSILON);
            *parameter -= rate * (step + WEIGHT_DECAY * *parameter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_the_rate_against_the_sign() {
        let mut adam = AdamW::new(3);
        let mut parameters = [0.0, 0.0, 1.0];
        adam.step(&mut parameters, &[0.3, -0.001, 0.0], 0.1);
        assert!((parameters[0] + 0.1).abs() < 1e-5 && (parameters[1] - 0.1).abs() < 1e-5, "{parameters:?}");
        assert!((parameters[2] - 0.999).abs() < 1e-6, "{parameters:?}");
    }

    #[test]
    fn it_finds_the_bottom_of_a_bowl() {
        let mut adam = AdamW::new(1);
        let mut x = [0.0];
        for _ in 0..400 {
            let slope = [2.0 * (x[0] - 3.0)];
            adam.step(&mut x, &slope, 0.05);
        }
        assert!((x[0] - 3.0f32).abs() < 0.1, "{x:?}");
    }
}
