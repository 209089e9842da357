//! Texts that are given as an argument or on standard input.

use aforesaid::models::files::read_bounded;

use crate::{failure::Failure, files::MOST_TEXT};

/// A text as it was given; `-` stands for standard input.
pub(super) fn read(given: &str) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let bytes = read_bounded(std::io::stdin().lock(), MOST_TEXT).map_err(Failure::io("standard input"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Input(format!("standard input: byte {at} is not UTF-8; convert the text first"))
    })?;
    Ok(text.trim_end().to_owned())
}
