//! Values in a few bins.

use aforesaid::pipeline::candidate::FEATURE_COUNT;

use super::examples::Example;

/// Bins of values; one more holds rows without a value.
const BINS: usize = 62;
/// Values that bins are chosen by, of each feature.
const LOOKED_AT: usize = 40_000;

/// The bins of one feature: bin 0 for no value, bin `b` for values above `cuts[b - 2]` up to `cuts[b - 1]`.
struct Cuts(Vec<f32>);

/// All rows of all examples, a column a feature.
pub(super) struct Binned {
    cuts: Vec<Cuts>,
    columns: Vec<Vec<u8>>,
}

impl Cuts {
    fn of(mut values: Vec<f32>) -> Self {
        values.retain(|value| !value.is_nan());
        values.sort_unstable_by(f32::total_cmp);
        let mut cuts = Vec::with_capacity(BINS);
        for part in 1..BINS {
            let at = part * values.len() / BINS;
            let (Some(&value), Some(&last)) = (values.get(at), values.last()) else { break };
            // All above the last cut are one bin more.
            if value < last && cuts.last().is_none_or(|cut| *cut < value) {
                cuts.push(value);
            }
        }
        Self(cuts)
    }

    fn bin(&self, value: f32) -> u8 {
        match value.is_nan() {
            true => 0,
            false => 1 + self.0.partition_point(|cut| *cut < value) as u8,
        }
    }
}

impl Binned {
    pub(super) fn of(examples: &[&Example]) -> Self {
        let rows: usize = examples.iter().map(|example| example.gold.len()).sum();
        let step = rows.div_ceil(LOOKED_AT).max(1);
        let all = || examples.iter().flat_map(|example| example.rows());
        let mut sample = vec![Vec::new(); FEATURE_COUNT];
        for row in all().step_by(step) {
            sample.iter_mut().zip(row).for_each(|(values, value)| values.push(*value));
        }
        let cuts: Vec<Cuts> = sample.into_iter().map(Cuts::of).collect();
        let mut columns: Vec<Vec<u8>> = (0..FEATURE_COUNT).map(|_| Vec::with_capacity(rows)).collect();
        for row in all() {
            for ((column, cuts), value) in columns.iter_mut().zip(&cuts).zip(row) {
                column.push(cuts.bin(*value));
            }
        }
        Self { cuts, columns }
    }

    /// The bin of each row.
    pub(super) fn column(&self, feature: usize) -> &[u8] {
        &self.columns[feature]
    }

    /// Bins of a feature, with that of no value.
    pub(super) fn bins(&self, feature: usize) -> usize {
        self.cuts[feature].0.len() + 2
    }

    /// The largest value of a bin that is not the last.
    pub(super) fn threshold(&self, feature: usize, bin: usize) -> f32 {
        self.cuts[feature].0[bin - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_in_the_bin_whose_threshold_it_does_not_exceed() {
        let values: Vec<f32> = (0..1000).map(|value| value as f32 / 10.0).collect();
        let cuts = Cuts::of(values.clone());
        assert!(cuts.0.len() > 50 && cuts.0.is_sorted());
        for value in values {
            let bin = usize::from(cuts.bin(value));
            assert!(cuts.0.get(bin - 1).is_none_or(|top| value <= *top), "{value}");
            assert!(bin == 1 || value > cuts.0[bin - 2], "{value}");
        }
        assert_eq!(cuts.bin(f32::NAN), 0);
    }

    #[test]
    fn two_values_have_a_bin_each_and_one_has_one() {
        let cuts = Cuts::of(vec![0.0, 1.0, 0.0, 1.0, f32::NAN]);
        assert_eq!((cuts.bin(0.0), cuts.bin(1.0)), (1, 2));
        assert_eq!((Cuts::of(vec![2.0; 9]).0.len(), Cuts::of(vec![f32::NAN]).0.len()), (0, 0));
    }
}
