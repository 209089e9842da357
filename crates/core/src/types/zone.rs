//! Where midnight is.

use std::{fmt, str::FromStr};

use jiff::tz::TimeZone;

use super::Timestamp;

/// A time zone: the rules by which a moment has a date and a time of day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// A time zone could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "time zone {found:?}: expected a name of the IANA time zone database that is installed here, such as Europe/Berlin, \
     an offset such as +02:00, or UTC"
)]
pub struct InvalidZone {
    found: String,
}

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(TimeZone::UTC);

    pub(crate) fn inner(&self) -> &TimeZone {
        &self.0
    }

    /// A moment with its date and time of day here; `None` where the year would leave what jiff can show.
    pub fn at(&self, moment: Timestamp) -> Option<jiff::Zoned> {
        Some(jiff::Timestamp::from_millisecond(moment.millis()).ok()?.to_zoned(self.0.clone()))
    }

    /// The moment at which clocks here show a date (year, month, day) and a time of day (hour, minute, second); of two, the first. One that
    /// clocks jump over is as much later as they jump. `None` where there is no such date or time.
    pub fn moment_of(&self, date: [u32; 3], time: [u32; 3]) -> Option<Timestamp> {
        let [year, month, day] = date;
        let [hour, minute, second] = time;
        let small = |number: u32| i8::try_from(number).ok();
        let date = jiff::civil::Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok()?;
        let time = jiff::civil::Time::new(small(hour)?, small(minute)?, small(second)?, 0).ok()?;
        let zoned = date.to_datetime(time).to_zoned(self.0.clone()).ok()?;
        Timestamp::from_millis(zoned.timestamp().as_millisecond()).ok()
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

impl From<TimeZone> for Zone {
    fn from(zone: TimeZone) -> Self {
        Self(zone)
    }
}

impl FromStr for Zone {
    type Err = InvalidZone;

    fn from_str(text: &str) -> Result<Self, InvalidZone> {
        let text = text.trim();
        let invalid = || InvalidZone { found: text.to_owned() };
        if ["utc", "z", "gmt"].iter().any(|name| text.eq_ignore_ascii_case(name)) {
            return Ok(Self::UTC);
        }
        let offset = text.starts_with(['+', '-']).then(|| format!("1970-01-01T00:00:00{text}[{text}]"));
        match offset {
            Some(moment) => moment.parse::<jiff::Zoned>().map(|zoned| Self(zoned.time_zone().clone())),
            None => TimeZone::get(text)
                .or_else(|error| {
                    // Rules without a name, as in the variable TZ.
                    if text.contains(',') { TimeZone::posix(text) } else { Err(error) }
                })
                .map(Self),
        }
        .map_err(|_| invalid())
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.iana_name(), self.0.to_fixed_offset()) {
            (Some(name), _) => f.write_str(name),
            (None, Ok(offset)) => write!(f, "{offset}"),
            (None, Err(_)) => f.write_str("local"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_read_by_name_by_offset_and_by_rules() {
        let at = |zone: &str| {
            let zone: Zone = zone.parse().unwrap();
            zone.at("2024-07-01T12:00:00Z".parse().unwrap()).unwrap().datetime().to_string()
        };
        assert_eq!(at("UTC"), "2024-07-01T12:00:00");
        assert_eq!(at("+05:30"), "2024-07-01T17:30:00");
        assert_eq!(at("-03:00"), "2024-07-01T09:00:00");
        assert_eq!(at("CET-1CEST,M3.5.0,M10.5.0/3"), "2024-07-01T14:00:00");
        for text in ["", "Mars/Olympus", "+99:00", "+2 hours"] {
            assert!(text.parse::<Zone>().unwrap_err().to_string().contains("Europe/Berlin"), "{text}");
        }
    }
}
