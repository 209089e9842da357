//! Logistic regression, by Newton's method (Hastie, Tibshirani and Friedman 2009, section 4.4.1).

use super::{StatisticsError, check};

/// Pull of each weight towards 0, against a weight of 1 an example, where signals have a standard deviation of 1.
const RIDGE: f64 = 1.0;
/// Newton steps; a handful is enough where there is a ridge.
const STEPS: usize = 50;

/// Log odds that are linear in the signals as they were given, their deviations folded in.
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic {
    /// Log odds where every signal is 0.
    pub intercept: f64,
    /// Log odds that 1 of each signal adds.
    pub weights: Vec<f64>,
}

impl Logistic {
    /// Fits examples, rows of as many signals each, with what came true and how much each counts.
    ///
    /// # Errors
    /// When there is no example, lengths differ, a number is not finite, or no example counts.
    pub fn fit(rows: &[Vec<f64>], truths: &[bool], counts: &[f64]) -> Result<Self, StatisticsError> {
        let width = rows.first().ok_or(StatisticsError::NoValues)?.len();
        for (what, found) in [("truths", truths.len()), ("counts", counts.len())] {
            if found != rows.len() {
                return Err(StatisticsError::Lengths { what, found, expected: rows.len() });
            }
        }
        if let Some(odd) = rows.iter().find(|row| row.len() != width) {
            return Err(StatisticsError::Lengths { what: "signals", found: odd.len(), expected: width });
        }
        check(counts)?;
        rows.iter().filter(|row| !row.is_empty()).try_for_each(|row| check(row))?;
        let total: f64 = counts.iter().sum();
        if total <= 0.0 {
            return Err(StatisticsError::NoValues);
        }
        let mean = |of: &dyn Fn(&[f64]) -> f64| {
            rows.iter().zip(counts).map(|(row, count)| count * of(row)).sum::<f64>() / total
        };
        let means: Vec<f64> = (0..width).map(|at| mean(&|row| row[at])).collect();
        let deviations: Vec<f64> = (0..width)
            .map(|at| mean(&|row| (row[at] - means[at]).powi(2)).sqrt())
            // A constant signal says nothing: it keeps the weight 0.
            .map(|deviation| if deviation > 1e-12 { deviation } else { f64::INFINITY })
            .collect();
        let standard = |row: &Vec<f64>| -> Vec<f64> {
            let signals = row.iter().zip(&means).zip(&deviations).map(|((x, mean), deviation)| (x - mean) / deviation);
            std::iter::once(1.0).chain(signals).collect()
        };
        let rows: Vec<Vec<f64>> = rows.iter().map(standard).collect();
        let fitted = newton(&rows, truths, counts);
        let weights: Vec<f64> =
            fitted[1..].iter().zip(&deviations).map(|(weight, deviation)| weight / deviation).collect();
        let shift: f64 = weights.iter().zip(&means).map(|(weight, mean)| weight * mean).sum();
        Ok(Self { intercept: fitted[0] - shift, weights })
    }

    /// The probability of an example; in [0, 1].
    pub fn probability(&self, row: &[f64]) -> f64 {
        sigmoid(self.intercept + self.weights.iter().zip(row).map(|(weight, x)| weight * x).sum::<f64>())
    }
}

fn sigmoid(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// Weights of standardised rows that begin with a 1; the first is not pulled.
fn newton(rows: &[Vec<f64>], truths: &[bool], counts: &[f64]) -> Vec<f64> {
    let width = rows[0].len();
    let mut weights = vec![0.0; width];
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; width];
        let mut curvature = vec![vec![0.0; width]; width];
        for at in 1..width {
            gradient[at] = -RIDGE * weights[at];
            curvature[at][at] = RIDGE;
        }
        for ((row, truth), count) in rows.iter().zip(truths).zip(counts) {
            let said = sigmoid(row.iter().zip(&weights).map(|(x, weight)| x * weight).sum());
            let (off, spread) = (count * (f64::from(u8::from(*truth)) - said), count * said * (1.0 - said));
            for (a, x) in row.iter().enumerate() {
                gradient[a] += off * x;
                for (b, y) in row.iter().enumerate().take(a + 1) {
                    curvature[a][b] += spread * x * y;
                }
            }
        }
        // Where all came true, or none, the intercept would run away.
        curvature[0][0] += 1e-9;
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(&step).for_each(|(weight, step)| *weight += step.clamp(-5.0, 5.0));
        if step.iter().all(|step| step.abs() < 1e-10) {
            break;
        }
    }
    weights
}

/// Solves `matrix * x = right` for a positive definite matrix of which the lower triangle is given (Cholesky).
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let left = matrix[i][j] - known;
            matrix[i][j] = if i == j { left.max(1e-12).sqrt() } else { left / matrix[j][j] };
        }
    }
    for i in 0..n {
        let known: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn without_signals_the_share_is_the_probability() {
        let fitted = Logistic::fit(&vec![vec![]; 4], &[true, false, false, false], &[1.0; 4]).unwrap();
        assert!((fitted.probability(&[]) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn agrees_with_another_program() {
        // NumPy, Newton with the same ridge on standardised columns.
        let x = [0.1, 0.4, 0.5, 0.9, 1.3, 1.8, 2.2, 2.9];
        let rows: Vec<Vec<f64>> =
            x.iter().enumerate().map(|(i, &x)| vec![x, f64::from(u8::from(i % 3 == 0))]).collect();
        let truths = [false, false, true, false, true, false, true, true];
        let fitted = Logistic::fit(&rows, &truths, &[1.0; 8]).unwrap();
        for (found, expected) in [fitted.intercept, fitted.weights[0], fitted.weights[1]].iter().zip(ORACLE) {
            assert!((found - expected).abs() < 1e-8, "{fitted:?}");
        }
    }
    const ORACLE: [f64; 3] = [-0.718_845_397_375_133_3, 0.761_201_853_927_065_3, -0.620_576_546_252_643_1];

    #[test]
    fn a_constant_signal_has_no_weight() {
        let rows = vec![vec![3.0, 0.0], vec![3.0, 1.0], vec![3.0, 0.2], vec![3.0, 0.9]];
        let fitted = Logistic::fit(&rows, &[false, true, false, true], &[1.0; 4]).unwrap();
        assert!(fitted.weights[0] == 0.0 && fitted.weights[1] > 0.0, "{fitted:?}");
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        assert_eq!(Logistic::fit(&[], &[], &[]), Err(StatisticsError::NoValues));
        assert!(Logistic::fit(&[vec![1.0]], &[], &[1.0]).is_err());
        assert!(Logistic::fit(&[vec![1.0], vec![]], &[true, false], &[1.0; 2]).is_err());
        assert!(Logistic::fit(&[vec![f64::NAN]], &[true], &[1.0]).is_err());
        assert!(Logistic::fit(&[vec![1.0]], &[true], &[0.0]).is_err());
    }

    proptest! {
        #[test]
        fn the_mean_probability_is_the_share(of in prop::collection::vec((-3.0..3.0f64, any::<bool>(), 0.1..2.0f64), 2..40)) {
            let rows: Vec<Vec<f64>> = of.iter().map(|(x, _, _)| vec![*x]).collect();
            let truths: Vec<bool> = of.iter().map(|(_, truth, _)| *truth).collect();
            let counts: Vec<f64> = of.iter().map(|(_, _, count)| *count).collect();
            prop_assume!(truths.iter().any(|truth| *truth) && !truths.iter().all(|truth| *truth));
            let fitted = Logistic::fit(&rows, &truths, &counts).unwrap();
            let total: f64 = counts.iter().sum();
            let said: f64 = rows.iter().zip(&counts).map(|(row, count)| count * fitted.probability(row)).sum();
            let came_true: f64 = truths.iter().zip(&counts).filter(|(truth, _)| **truth).map(|(_, count)| count).sum();
            prop_assert!(((said - came_true) / total).abs() < 1e-6);
        }
    }
}
