//! Bytes to text.

use super::FormatError;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The text of a file, without a byte order mark.
pub(crate) fn decode<'b>(bytes: &'b [u8], file: &str) -> Result<&'b str, FormatError> {
    refuse_archive(bytes, file)?;
    if is_utf16(bytes) {
        return Err(FormatError::Utf16 { file: file.into() });
    }
    let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
    std::str::from_utf8(text).map_err(|error| {
        let before = &text[..error.valid_up_to()];
        FormatError::NotUtf8 {
            file: file.into(),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            offset: bytes.len() - text.len() + before.len(),
        }
    })
}

// Both chat services hand out their exports as a zip.
fn refuse_archive(bytes: &[u8], file: &str) -> Result<(), FormatError> {
    let archives: [(&[u8], &str); 3] =
        [(b"PK\x03\x04", "zip archive"), (b"\x1F\x8B", "gzip archive"), (b"\x28\xB5\x2F\xFD", "zstd archive")];
    match archives.into_iter().find(|(magic, _)| bytes.starts_with(magic)) {
        Some((_, found)) => Err(FormatError::Packed { file: file.into(), found }),
        None => Ok(()),
    }
}

/// JSON starts with two ASCII characters: in UTF-16, one byte of each is zero.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        [first, second, ..] => (*first == 0) != (*second == 0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> String {
        decode(bytes, "chat.json").unwrap_err().to_string()
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(decode(b"\xEF\xBB\xBF{}", "f").unwrap(), "{}");
        assert_eq!(decode(b"{}", "f").unwrap(), "{}");
        assert_eq!(decode(b"", "f").unwrap(), "");
    }

    #[test]
    fn utf16_is_named_with_and_without_a_mark() {
        for bytes in [&b"\xFF\xFE[\0"[..], b"\xFE\xFF\0[", b"\0[\0]", b"[\0]\0"] {
            let message = refused(bytes);
            assert!(message.contains("chat.json") && message.contains("UTF-16") && message.contains("iconv"));
        }
    }

    #[test]
    fn a_bad_byte_is_named_by_line_and_offset() {
        let message = refused(b"\xEF\xBB\xBF{}\n{\"a\": \"\xFF\"}");
        assert!(message.starts_with("chat.json, line 2: the byte at offset 13 is not UTF-8"), "{message}");
    }

    #[test]
    fn an_archive_is_not_text() {
        for (bytes, name) in [(&b"PK\x03\x04.."[..], "zip"), (b"\x1F\x8B\x08", "gzip"), (b"\x28\xB5\x2F\xFD", "zstd")] {
            let message = refused(bytes);
            assert!(message.contains(name) && message.contains("unpack"), "{message}");
        }
    }
}
