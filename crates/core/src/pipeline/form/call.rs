//! The syntax of a pipeline's text form: names, arguments in brackets, keys.

/// `name(arguments)`; an argument may have a key.
pub struct Call<'a> {
    /// What stands in front of the bracket.
    pub name: &'a str,
    /// What stands in the brackets, separated by commas.
    pub arguments: Vec<Argument<'a>>,
}

/// `value` or `key=value`.
pub struct Argument<'a> {
    /// As it is written.
    pub text: &'a str,
    /// What stands in front of the equals sign, if there is one.
    pub key: Option<&'a str>,
    /// What stands behind it, or all.
    pub value: &'a str,
}

impl<'a> Call<'a> {
    /// Reads one call; those within its arguments stay as they are written.
    ///
    /// # Errors
    /// A sentence that says what was found.
    pub fn read(text: &'a str) -> Result<Self, String> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else {
            return match text.contains([')', ',', '=']) {
                false if !text.is_empty() => Ok(Self { name: text, arguments: Vec::new() }),
                _ => Err(format!("{text:?} is no name")),
            };
        };
        let inside = rest.strip_suffix(')').ok_or_else(|| format!("{text:?} does not end in a bracket"))?;
        let arguments = split(inside).ok_or_else(|| format!("the brackets of {text:?} do not match"))?;
        let arguments = arguments.into_iter().map(Argument::read).collect::<Result<_, _>>()?;
        Ok(Self { name: name.trim(), arguments })
    }
}

impl<'a> Argument<'a> {
    fn read(text: &'a str) -> Result<Self, String> {
        let text = text.trim();
        match text.split_once('=') {
            _ if text.is_empty() => Err("an argument is empty".to_owned()),
            // An equals sign inside brackets belongs to a nested call.
            Some((key, value)) if !key.contains('(') => Ok(Self { text, key: Some(key.trim()), value: value.trim() }),
            _ => Ok(Self { text, key: None, value: text }),
        }
    }
}

/// Reads a number from 0 to `most`.
///
/// # Errors
/// A sentence that names the key.
pub fn number(key: &str, value: &str, most: f64) -> Result<f64, String> {
    let number = value.parse().ok().filter(|number| (0.0..=most).contains(number));
    let limit = if most < f64::MAX { format!(" to {most}") } else { String::new() };
    number.ok_or_else(|| format!("{key}={value}: expected a number from 0{limit}"))
}

/// Reads two numbers from 0, as in `0.5:1`; `of` says what they weigh.
///
/// # Errors
/// A sentence that names the key.
pub fn two_numbers(key: &str, value: &str, of: &str) -> Result<[f64; 2], String> {
    let (first, second) = value.split_once(':').ok_or_else(|| two_numbers_expected(key, value, of))?;
    Ok([number(key, first.trim(), f64::MAX)?, number(key, second.trim(), f64::MAX)?])
}

/// What is wrong with a value that should be two numbers.
pub(in crate::pipeline) fn two_numbers_expected(key: &str, value: &str, of: &str) -> String {
    format!("{key}={value}: expected the weights of {of}, as in {key}=0.5:1")
}

/// Splits at the commas outside brackets; `None` where brackets do not match.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !parts.is_empty() || !text.trim().is_empty() {
        parts.push(&text[start..]);
    }
    (depth == 0).then_some(parts)
}
