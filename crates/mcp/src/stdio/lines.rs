//! Lines of a stream, none longer than a limit.

use std::mem;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// A line without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// It was passed over.
    TooLong,
}

/// Reads a stream line by line.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    longest: usize,
    /// What was read of a line so far.
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The lines of `input`, of so many bytes at the most.
    pub(super) fn new(input: R, longest: usize) -> Self {
        Self { input: BufReader::new(input), longest, line: Vec::new(), is_too_long: false }
    }

    /// The next line; `None` at the end of the stream, where what has no line end is no line.
    ///
    /// Whoever stops waiting loses nothing: the next call goes on with the same line.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let available = self.input.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let (part, _) = available.split_at(end.unwrap_or(available.len()));
            self.is_too_long |= self.line.len() + part.len() > self.longest;
            if self.is_too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let read = part.len() + usize::from(end.is_some());
            self.input.consume(read);
            if end.is_some() {
                let line = mem::take(&mut self.line);
                return Some(if mem::take(&mut self.is_too_long) { Line::TooLong } else { Line::Whole(line) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &'static [u8], longest: usize) -> Vec<Line> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut lines = Lines::new(input, longest);
        runtime.block_on(async {
            let mut found = Vec::new();
            while let Some(line) = lines.next().await {
                found.push(line);
            }
            found
        })
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_alone() {
        let whole = |line: &[u8]| Line::Whole(line.to_vec());
        assert_eq!(lines(b"four\nfive5\n\nsix\nno end", 4), [whole(b"four"), Line::TooLong, whole(b""), whole(b"six")]);
    }
}
