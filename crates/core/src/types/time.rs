//! When something was said.

use std::{fmt, str::FromStr};

use jiff::civil;
use serde::{Deserialize, Serialize};

/// A moment in milliseconds since 1970-01-01T00:00:00Z.
///
/// A time written without a zone is taken as UTC: conversations rarely record
/// one, and what matters for retrieval is order and date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// A time could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("time {found:?}: expected ISO 8601 such as 2023-05-08, 2023-05-08T13:56 or 2023-05-08T13:56:00Z")]
pub struct InvalidTimestamp {
    found: String,
}

impl Timestamp {
    /// The moment `millis` milliseconds after the Unix epoch.
    ///
    /// # Errors
    /// When the year would leave -9999..=9999.
    pub fn from_millis(millis: i64) -> Result<Self, InvalidTimestamp> {
        jiff::Timestamp::from_millisecond(millis)
            .map(|_| Self(millis))
            .map_err(|_| InvalidTimestamp { found: format!("{millis} ms") })
    }

    /// The moment `seconds` after the Unix epoch; fractions are kept to the millisecond.
    ///
    /// # Errors
    /// When it is not finite or the year would leave -9999..=9999.
    pub fn from_seconds(seconds: f64) -> Result<Self, InvalidTimestamp> {
        let millis = (seconds * 1000.0).round();
        if !millis.is_finite() || millis.abs() > 4e14 {
            return Err(InvalidTimestamp { found: format!("{seconds} s") });
        }
        Self::from_millis(millis as i64)
    }

    /// Reads the end of a period: a date alone means the last millisecond of that day.
    ///
    /// # Errors
    /// When the text is no time.
    pub fn end_of(text: &str) -> Result<Self, InvalidTimestamp> {
        const DAY: i64 = 24 * 60 * 60 * 1000;
        let start: Self = text.parse()?;
        match text.trim().parse::<civil::Date>() {
            Ok(_) if !text.contains(['T', 't', ':']) => Self::from_millis(start.0 + DAY - 1),
            _ => Ok(start),
        }
    }

    /// Milliseconds since the Unix epoch.
    pub fn millis(self) -> i64 {
        self.0
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let text = text.trim();
        let invalid = || InvalidTimestamp { found: text.to_owned() };
        let zoned = text.parse::<jiff::Timestamp>();
        let moment = match zoned {
            Ok(moment) => moment,
            Err(_) => {
                let local: civil::DateTime = text.parse().map_err(|_| invalid())?;
                local.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| invalid())?.timestamp()
            }
        };
        Ok(Self(moment.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

impl TryFrom<String> for Timestamp {
    type Error = InvalidTimestamp;
    fn try_from(text: String) -> Result<Self, InvalidTimestamp> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> String {
        moment.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_local_times_and_zones() {
        for (text, expected) in [
            ("2023-05-08", "2023-05-08T00:00:00Z"),
            ("2023-05-08T13:56", "2023-05-08T13:56:00Z"),
            ("2023-05-08 13:56:07", "2023-05-08T13:56:07Z"),
            ("2023-05-08T13:56:07.250Z", "2023-05-08T13:56:07.25Z"),
            ("2023-05-08T13:56:07+02:00", "2023-05-08T11:56:07Z"),
            ("2023-05-08T13:56:07.123456+00:00", "2023-05-08T13:56:07.123Z"),
        ] {
            let moment: Timestamp = text.parse().unwrap();
            assert_eq!(moment.to_string(), expected, "{text}");
            assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
        }
    }

    #[test]
    fn a_period_ends_with_its_last_day() {
        assert_eq!(Timestamp::end_of("2024-03-09").unwrap().to_string(), "2024-03-09T23:59:59.999Z");
        assert_eq!(Timestamp::end_of("2024-03-09T18:02").unwrap().to_string(), "2024-03-09T18:02:00Z");
        assert!(Timestamp::end_of("9 March").is_err());
    }

    #[test]
    fn refuses_what_is_not_a_time() {
        for text in ["", "yesterday", "2023-13-01", "1:56 pm on 8 May, 2023"] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
        assert!(Timestamp::from_seconds(f64::NAN).is_err());
        assert!(Timestamp::from_seconds(1e300).is_err());
    }
}
