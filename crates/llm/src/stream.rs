//! Server-sent events: an answer piece by piece.

use std::io::{self, BufRead};

/// What an event stream ends a whole answer with.
const DONE: &[u8] = b"[DONE]";

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With `[DONE]`.
    Done,
    /// Without: the connection was closed.
    Closed,
}

/// Hands the data of each event to `each`, and counts the bytes read in `received`.
///
/// Lines end in LF or CRLF; several data lines of an event are joined by LF; other fields and comments are
/// passed over, as is an event that broke off (WHATWG HTML, section 9.2.6).
pub(crate) fn read_events<E>(
    mut reader: impl BufRead,
    received: &mut u64,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
    broken: impl FnOnce(io::Error, u64) -> E,
) -> Result<End, E> {
    let (mut line, mut data) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(if data == DONE { End::Done } else { End::Closed }),
            Ok(read) => *received += read as u64,
            Err(error) => return Err(broken(error, *received)),
        }
        let content = line.strip_suffix(b"\n").unwrap_or(&line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        if content.is_empty() && data == DONE {
            return Ok(End::Done);
        }
        if content.is_empty() && !data.is_empty() {
            each(&data)?;
            data.clear();
        }
        if let Some(value) = content.strip_prefix(b"data:") {
            if !data.is_empty() {
                data.push(b'\n');
            }
            data.extend(value.strip_prefix(b" ").unwrap_or(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::*;

    fn events(reader: impl Read, capacity: usize) -> (Vec<String>, End, u64) {
        let (mut seen, mut received) = (Vec::new(), 0);
        let each = |data: &[u8]| {
            seen.push(String::from_utf8(data.to_vec()).unwrap());
            Ok::<_, io::Error>(())
        };
        let end = read_events(BufReader::with_capacity(capacity, reader), &mut received, each, |error, _| error);
        (seen, end.unwrap(), received)
    }

    #[test]
    fn fields_comments_and_line_ends_are_as_specified() {
        let stream = "\u{feff}: hello\n\nevent: x\nid: 1\ndata: {\"a\":1}\r\n\r\n\n\ndata:two\ndata: lines\n\ndata: [DONE]\n\ndata: late\n\n";
        let (seen, end, _) = events(stream.as_bytes(), 7);
        assert_eq!((seen, end), (vec!["{\"a\":1}".to_owned(), "two\nlines".to_owned()], End::Done));
    }

    #[test]
    fn an_event_that_broke_off_is_none_and_the_end_without_a_last_line_is_one() {
        assert_eq!(events(&b"data: a\n\ndata: b\n"[..], 64), (vec!["a".to_owned()], End::Closed, 17));
        assert_eq!(events(&b"data: a\n\ndata: [DONE]"[..], 64), (vec!["a".to_owned()], End::Done, 21));
        assert_eq!(events(&b""[..], 64), (vec![], End::Closed, 0));
    }

    proptest! {
        #[test]
        fn how_it_is_cut_into_packets_does_not_matter(
            texts in prop::collection::vec("[a-zé{}\": ]{1,20}", 0..8), capacity in 1usize..40,
        ) {
            // A blank after the colon belongs to the field, not to the data.
            let stream: String = texts.iter().map(|text| format!("data: {text}\n\n")).collect();
            prop_assert_eq!(events(stream.as_bytes(), capacity), (texts, End::Closed, stream.len() as u64));
        }

        #[test]
        fn nothing_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut received = 0;
            let end = read_events(&bytes[..], &mut received, |_| Ok::<_, io::Error>(()), |error, _| error);
            prop_assert!(end.is_ok() && received <= bytes.len() as u64);
        }
    }
}
