//! A stretch of time, and how well a moment fits it.

use serde::Serialize;

use crate::types::Timestamp;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// How long after a time people still tell of it.
const AFTERMATH: i64 = 10 * DAY;

/// How well a moment of the aftermath fits, or one of the day before (where zones differ).
const NEAR: f64 = 0.5;

/// How well the same days of another year fit, where no year is named.
const ANOTHER_YEAR: f64 = 0.6;

/// A mean year.
const YEAR: i64 = 31_556_952_000;

/// A half-open stretch of time, in UTC: `from` belongs to it, `to` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TimeRange {
    /// Its first moment; `None` for all that came before `to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// The first moment after it; `None` for all that comes after `from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// Milliseconds beyond each end in which a moment still fits, the less the further it is.
    #[serde(skip)]
    pub slack: i64,
    /// Whether it is meant of every year, though the last is the likeliest.
    #[serde(skip)]
    pub yearly: bool,
}

impl TimeRange {
    /// How well a moment fits, in [0, 1].
    pub fn fit(&self, moment: Timestamp) -> f64 {
        let at = moment.millis();
        let own = self.fit_once(at);
        match (self.yearly, self.from) {
            (true, Some(from)) if own < 1.0 => {
                let years = (from.millis() - at).div_euclid(YEAR);
                let others = [years, years + 1].into_iter().filter(|years| *years != 0);
                let other = others.map(|years| self.fit_once(at.saturating_add(years.saturating_mul(YEAR))));
                own.max(ANOTHER_YEAR * other.fold(0.0, f64::max))
            }
            _ => own,
        }
    }

    fn fit_once(&self, at: i64) -> f64 {
        // How far outside it is; 0 inside.
        let early = self.from.map_or(0, |from| from.millis().saturating_sub(at).max(0));
        let late = self.to.map_or(0, |to| at.saturating_add(1).saturating_sub(to.millis()).max(0));
        let outside = early.max(late);
        if outside == 0 {
            return 1.0;
        }
        let soft = if outside < self.slack { 1.0 - outside as f64 / self.slack as f64 } else { 0.0 };
        let near = early > 0 && early <= DAY || late > 0 && late <= AFTERMATH;
        soft.max(if near { NEAR } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_moment_fits_inside_shortly_after_and_by_degrees_where_the_ends_are_vague() {
        let may =
            TimeRange { from: Some(moment("2023-05-01")), to: Some(moment("2023-06-01")), slack: 0, yearly: false };
        let fit = |range: TimeRange, at: &str| range.fit(moment(at));
        assert_eq!((fit(may, "2023-05-01"), fit(may, "2023-05-31T23:59:59.999Z")), (1.0, 1.0));
        assert_eq!((fit(may, "2023-06-10"), fit(may, "2023-04-30")), (NEAR, NEAR));
        assert_eq!((fit(may, "2023-06-12"), fit(may, "2023-04-29"), fit(may, "2022-05-10")), (0.0, 0.0, 0.0));
        let vague = TimeRange { slack: 20 * DAY, ..may };
        assert_eq!(fit(vague, "2023-04-26"), 0.75);
        assert_eq!(fit(TimeRange { yearly: true, ..may }, "2021-05-10"), ANOTHER_YEAR);
        assert_eq!(fit(TimeRange { yearly: true, ..may }, "2024-05-10"), ANOTHER_YEAR);
        assert_eq!(fit(TimeRange { to: None, ..may }, "2031-01-01"), 1.0);
    }
}
