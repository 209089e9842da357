//! Times that a tool is given, and times as the model reads them.

use std::time::{SystemTime, UNIX_EPOCH};

use aforesaid::{
    time::{Clock, TimeRange},
    types::{Timestamp, Zone},
};

use crate::failure::ToolError;

/// This moment, in a zone.
///
/// # Errors
/// When the clock of this machine shows a year that is none.
pub(crate) fn clock(zone: &Zone) -> Result<Clock, ToolError> {
    let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |millis| -millis),
    };
    let wrong = |error| ToolError { code: "clock", message: format!("the clock of this machine: {error}; set it") };
    Ok(Clock { now: Timestamp::from_millis(millis).map_err(wrong)?, zone: zone.clone() })
}

fn read(name: &str, text: &str, clock: &Clock) -> Result<TimeRange, ToolError> {
    TimeRange::read(text, clock).map_err(|error| ToolError::arguments(format!("{name}: {error}")))
}

/// The first moment of a time that an argument names.
///
/// # Errors
/// When it is no time, or one without a beginning.
pub(crate) fn beginning(name: &str, text: &str, clock: &Clock) -> Result<Timestamp, ToolError> {
    let open = || ToolError::arguments(format!("{name}: {text:?} has no beginning; name a time such as 2023-05"));
    read(name, text, clock)?.from.ok_or_else(open)
}

/// The last moment of a time that an argument names.
///
/// # Errors
/// When it is no time, or one without an end.
fn end(name: &str, text: &str, clock: &Clock) -> Result<Timestamp, ToolError> {
    let open = || ToolError::arguments(format!("{name}: {text:?} has no end; name a time such as 2023-05"));
    let after = read(name, text, clock)?.to.ok_or_else(open)?;
    Timestamp::from_millis(after.millis() - 1).map_err(|error| ToolError::arguments(format!("{name}: {error}")))
}

/// The moments between two arguments, `from` and `to`, either of which may be left out.
///
/// # Errors
/// When one is no time, or `from` comes after `to`.
pub(crate) fn between(
    from: Option<&str>,
    to: Option<&str>,
    clock: &Clock,
) -> Result<(Option<Timestamp>, Option<Timestamp>), ToolError> {
    let begins = from.map(|text| beginning("from", text, clock)).transpose()?;
    let ends = to.map(|text| end("to", text, clock)).transpose()?;
    match (begins, ends) {
        (Some(begins), Some(ends)) if begins > ends => Err(ToolError::arguments(format!(
            "from is {:?} and to is {:?}: expected from before to; swap them",
            from.unwrap_or_default(),
            to.unwrap_or_default()
        ))),
        range => Ok(range),
    }
}

/// Date and time to the minute, with the zone where that is not UTC.
pub(crate) fn shown(at: Option<Timestamp>, zone: &Zone) -> String {
    let Some(at) = at else { return "undated".to_owned() };
    let format = if *zone == Zone::UTC { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M %Z" };
    zone.at(at).map_or_else(|| at.to_string(), |zoned| zoned.strftime(format).to_string())
}

/// The date of a moment.
pub(crate) fn date(at: Timestamp, zone: &Zone) -> String {
    zone.at(at).map_or_else(|| at.to_string(), |zoned| zoned.date().to_string())
}
