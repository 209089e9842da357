//! Questions as they are typed: words without quotes, standard input, or many of them, a line each.

use std::{
    io::{self, BufRead, Read},
    path::Path,
};

use crate::{
    failure::Failure,
    files::{MOST_TEXT, read_input},
};

/// The question that some words make; `-` alone reads it from standard input.
///
/// # Errors
/// When standard input cannot be read or is no text.
pub(crate) fn of_words(words: &[String]) -> Result<String, Failure> {
    match words {
        [word] if word == "-" => {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().take(MOST_TEXT).read_to_end(&mut bytes);
            read.map_err(Failure::io("standard input"))?;
            let text = String::from_utf8(bytes)
                .map_err(|_| Failure::Input("standard input: found bytes that are not UTF-8".to_owned()))?;
            Ok(text.trim().to_owned())
        }
        words => Ok(words.join(" ")),
    }
}

/// Hands each line of a file to `ask`, but blank ones; of standard input, `-`, as it comes.
///
/// # Errors
/// When the file cannot be read, a line of it is no text or too long, and what `ask` fails with.
pub(crate) fn each_line(file: &Path, ask: &mut dyn FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
    if file == Path::new("-") {
        return lines(&mut io::stdin().lock(), "standard input", ask);
    }
    let named = format!("file {}", file.display());
    let bytes = read_input(file).map_err(Failure::io(named.clone()))?;
    lines(&mut bytes.as_slice(), &named, ask)
}

fn lines(
    input: &mut dyn BufRead,
    named: &str,
    ask: &mut dyn FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = input.take(MOST_TEXT).read_until(b'\n', &mut line).map_err(Failure::io(named))?;
        if read == 0 {
            break;
        }
        let wrong =
            |found: &str| Failure::Input(format!("{named}, line {number}: {found}; expected a question a line"));
        if read as u64 == MOST_TEXT {
            return Err(wrong("found a line that is too long"));
        }
        let text = std::str::from_utf8(&line).map_err(|_| wrong("found bytes that are not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        // An empty line has an answer, too: who counts lines gets one for each.
        ask(text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Result<Vec<String>, String> {
        let mut asked = Vec::new();
        let result = lines(&mut &input[..], "file q", &mut |line| {
            asked.push(line.to_owned());
            Ok(())
        });
        result.map(|()| asked).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_question_is_a_line() {
        assert_eq!(
            read("\u{feff}one\r\n\n  two three\n \nfour".as_bytes()).unwrap(),
            ["one", "", "two three", "", "four"]
        );
        assert_eq!(read(b"").unwrap(), [""; 0]);
        let wrong = read(b"one\n\xff\n").unwrap_err();
        assert_eq!(wrong, "file q, line 2: found bytes that are not UTF-8; expected a question a line");
    }

    #[test]
    fn words_are_one_question() {
        let words = ["when", "did", "we move?"].map(str::to_owned);
        assert_eq!(of_words(&words).unwrap(), "when did we move?");
    }
}
