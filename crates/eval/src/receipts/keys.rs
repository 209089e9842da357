//! The keys of a TOML file, taken out one by one, each with its line.

use std::{fmt::Display, io, path::Path, str::FromStr};

use aforesaid::models::files::read_regular;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::ReceiptError;
use crate::measures::Measure;

/// Bytes of a file at most.
const MOST_BYTES: u64 = 16 << 20;

/// A TOML file as it is written.
pub(super) struct Source {
    label: String,
    text: String,
}

impl Source {
    pub(super) fn read(path: &Path) -> Result<Self, ReceiptError> {
        let read = read_regular(path, MOST_BYTES).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        });
        let text = read.map_err(ReceiptError::io("read the file", path))?;
        Ok(Self { label: path.display().to_string(), text })
    }

    pub(super) fn keys(&self) -> Result<Keys<'_>, ReceiptError> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let why = error.message().to_owned();
            ReceiptError::NotToml { place: self.place(error.span().map_or(0, |span| span.start)), why }
        })?;
        Ok(Keys { source: self, place: self.label.clone(), table: table.into_inner(), asked: Vec::new() })
    }

    fn place(&self, at: usize) -> String {
        let before = self.text.bytes().take(at);
        format!("{}, line {}", self.label, 1 + before.filter(|byte| *byte == b'\n').count())
    }
}

/// What is left of a table.
pub(super) struct Keys<'a> {
    source: &'a Source,
    place: String,
    table: DeTable<'a>,
    asked: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    /// What `read` makes of a key; it says what was found and expected where that is nothing.
    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&DeValue<'a>) -> Result<T, String>,
    ) -> Result<Option<T>, ReceiptError> {
        let place = self.place_of(key);
        let Some(value) = self.take(key) else { return Ok(None) };
        read(value.get_ref()).map(Some).map_err(|why| ReceiptError::Wrong { place, key: key.to_owned(), why })
    }

    /// The same of a key that has to be there; `expected` says what it should hold.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        read: impl FnOnce(&DeValue<'a>) -> Result<T, String>,
    ) -> Result<T, ReceiptError> {
        self.optional(key, read)?.ok_or_else(|| self.missing(key, expected))
    }

    /// The table under a key.
    pub(super) fn table(&mut self, key: &'static str) -> Result<Option<Keys<'a>>, ReceiptError> {
        self.take(key).map(|value| self.inner(key, value, "a table")).transpose()
    }

    /// The tables under a key, at least one.
    pub(super) fn tables(&mut self, key: &'static str) -> Result<Vec<Keys<'a>>, ReceiptError> {
        const EXPECTED: &str = "one table or more, each under its own head in double brackets";
        let place = self.place_of(key);
        match self.take(key).map(Spanned::into_inner) {
            None => Err(self.missing(key, EXPECTED)),
            Some(DeValue::Array(tables)) if !tables.is_empty() => {
                tables.iter().map(|table| self.inner(key, table.clone(), EXPECTED)).collect()
            }
            Some(other) => Err(ReceiptError::Wrong { place, key: key.to_owned(), why: not(&other, EXPECTED) }),
        }
    }

    /// All keys as measures, in the order written, with what `read` makes of their values; at least one.
    pub(super) fn measures<T>(
        self,
        read: impl Fn(&DeValue<'a>) -> Result<T, String>,
    ) -> Result<Vec<(Measure, T)>, ReceiptError> {
        let mut written: Vec<_> = self.table.into_iter().collect();
        written.sort_by_key(|(key, _)| key.span().start);
        let mut measures: Vec<(Measure, T)> = Vec::with_capacity(written.len());
        for (key, value) in written {
            let wrong = |why| ReceiptError::Wrong {
                place: self.source.place(key.span().start),
                key: key.get_ref().clone().into_owned(),
                why,
            };
            let measure = key.get_ref().parse::<Measure>().map_err(|error| wrong(error.to_string()))?;
            if measures.iter().any(|(known, _)| *known == measure) {
                return Err(wrong(format!("{measure} is there already; expected every measure once")));
            }
            measures.push((measure, read(value.get_ref()).map_err(wrong)?));
        }
        match measures.is_empty() {
            true => Err(ReceiptError::Missing { place: self.place, key: "hit@1", expected: "at least one measure" }),
            false => Ok(measures),
        }
    }

    /// Refuses what has not been taken out.
    pub(super) fn end(self) -> Result<(), ReceiptError> {
        let first = self.table.keys().min_by_key(|key| key.span().start);
        first.map_or(Ok(()), |key| {
            Err(ReceiptError::Unknown {
                place: self.source.place(key.span().start),
                key: key.get_ref().clone().into_owned(),
                expected: self.asked.join(", "),
            })
        })
    }

    /// The line of the table.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The line of a key; that of the table where the key is not there.
    pub(super) fn place_of(&self, key: &str) -> String {
        let written = self.table.get_key_value(key);
        written.map_or_else(|| self.place.clone(), |(key, _)| self.source.place(key.span().start))
    }

    pub(super) fn missing(&self, key: &'static str, expected: &'static str) -> ReceiptError {
        ReceiptError::Missing { place: self.place.clone(), key, expected }
    }

    fn take(&mut self, key: &'static str) -> Option<Spanned<DeValue<'a>>> {
        self.asked.push(key);
        self.table.remove(key)
    }

    fn inner(&self, key: &str, value: Spanned<DeValue<'a>>, expected: &str) -> Result<Keys<'a>, ReceiptError> {
        let place = self.source.place(value.span().start);
        match value.into_inner() {
            DeValue::Table(table) => Ok(Keys { source: self.source, place, table, asked: Vec::new() }),
            other => Err(ReceiptError::Wrong { place, key: key.to_owned(), why: not(&other, expected) }),
        }
    }
}

/// A string.
pub(super) fn text(value: &DeValue<'_>) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| not(value, "a string"))
}

/// A string that reads as a `T`.
pub(super) fn word<T: FromStr<Err: Display>>(value: &DeValue<'_>) -> Result<T, String> {
    text(value)?.parse().map_err(|error: T::Err| error.to_string())
}

/// A number that reads as a `T`, and how it is written.
pub(super) fn number<T: FromStr>(value: &DeValue<'_>, expected: &str) -> Result<(T, String), String> {
    let written = match value {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
        DeValue::Float(number) => number.as_str(),
        _ => return Err(not(value, expected)),
    };
    written.parse().map(|number| (number, written.to_owned())).map_err(|_| not(value, expected))
}

/// A share from 0 to 1, and how it is written.
pub(super) fn share(value: &DeValue<'_>) -> Result<(f64, String), String> {
    const EXPECTED: &str = "a number from 0 to 1";
    let (share, written) = number::<f64>(value, EXPECTED)?;
    match (0.0..=1.0).contains(&share) {
        true => Ok((share, written)),
        false => Err(not(value, EXPECTED)),
    }
}

/// What is said of a value that is not what was expected.
pub(super) fn not(value: &DeValue<'_>, expected: &str) -> String {
    let found = match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(items) if items.is_empty() => "an empty array".to_owned(),
        DeValue::Array(_) => "an array".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    format!("found {found}; expected {expected}")
}
