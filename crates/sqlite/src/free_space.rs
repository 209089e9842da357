//! Clearing what the pages of a store hold beside their rows.
//!
//! When SQLite moves rows between pages (splitting a full page, joining two that are half empty) it leaves copies in the free
//! space of the page they came from, `secure_delete` or not: they are live rows then. Once such a row is deleted, its copies stay.
//! So a forget goes through all pages and overwrites their free space. Format of pages: <https://sqlite.org/fileformat2.html>, section 1.6.

use std::ops::Range;

use aforesaid_core::StoreError;
use rusqlite::{Connection, Transaction, params};

use crate::errors::Context;

/// Where a deleted row may still be found in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remains {
    /// Nowhere.
    Nowhere,
    /// In free space of pages: this build of SQLite shows no pages, so that the file has to be rewritten.
    InPages,
}

/// Numbers of the first page from which on the number of an overflow page could pass for the kind of a b-tree page: 256 GiB.
const TOO_MANY: i64 = 0x0200_0000;

/// Bytes of the header of the file, which come before that of the first page.
const FILE_HEADER: usize = 100;

/// Overwrites the free space of all pages, within the transaction.
pub(crate) fn clear(transaction: &Transaction<'_>, context: Context<'_>) -> Result<Remains, StoreError> {
    let pages: i64 = context.run(transaction.pragma_query_value(None, "page_count", |row| row.get(0)))?;
    let shown = "SELECT 1 FROM pragma_module_list WHERE name = 'sqlite_dbpage'";
    if pages >= TOO_MANY || !context.run(transaction.prepare(shown).and_then(|mut select| select.exists([])))? {
        return Ok(Remains::InPages);
    }
    let mut write = context.run(transaction.prepare("UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1"))?;
    let mut read = context.run(transaction.prepare("SELECT data FROM sqlite_dbpage WHERE pgno = ?1"))?;
    for number in littered(transaction, context)? {
        let mut page: Vec<u8> = context.run(read.query_row([number], |row| row.get(0)))?;
        let spaces = Page { number, bytes: &page }.free_spaces().unwrap_or_default();
        spaces.into_iter().for_each(|space| page[space].fill(0));
        context.run(write.execute(params![number, page]))?;
    }
    Ok(Remains::Nowhere)
}

/// Rewrites the whole file without its free space; waits for nobody.
pub(crate) fn rewrite(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("VACUUM")
}

/// Pages whose free space holds anything.
fn littered(transaction: &Transaction<'_>, context: Context<'_>) -> Result<Vec<i64>, StoreError> {
    let mut select = context.run(transaction.prepare("SELECT pgno, data FROM sqlite_dbpage"))?;
    let mut rows = context.run(select.query([]))?;
    let mut littered = Vec::new();
    while let Some(row) = context.run(rows.next())? {
        let number = context.run(row.get(0))?;
        let bytes = context.run(row.get_ref(1).and_then(|data| Ok(data.as_blob()?)))?;
        match (Page { number, bytes }).free_spaces() {
            Some(spaces) if spaces.iter().all(|space| is_clear(&bytes[space.clone()])) => {}
            Some(_) => littered.push(number),
            None => {
                return Err(StoreError::Damaged {
                    location: context.location().to_owned(),
                    found: format!("page {number} of the file does not say where its rows are"),
                });
            }
        }
    }
    Ok(littered)
}

fn is_clear(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<16>();
    words.iter().all(|word| u128::from_ne_bytes(*word) == 0) && rest.iter().all(|&byte| byte == 0)
}

/// A page of the file, by its number from 1.
struct Page<'a> {
    number: i64,
    bytes: &'a [u8],
}

impl Page<'_> {
    /// Where a b-tree page holds no rows, bytes that SQLite itself reads left out; nowhere on pages of other kinds, which
    /// SQLite clears as a whole. `None` where the page contradicts itself.
    fn free_spaces(&self) -> Option<Vec<Range<usize>>> {
        let header = if self.number == 1 { FILE_HEADER } else { 0 };
        let pointers = match self.bytes.get(header)? {
            // Inner pages have a pointer to their last child in the header.
            2 | 5 => header + 12,
            10 | 13 => header + 8,
            _ => return Some(Vec::new()),
        };
        let gap = pointers + 2 * self.short(header + 3)?;
        let content = match self.short(header + 5)? {
            0 => 1 << 16,
            content => content,
        };
        if gap > content || content > self.bytes.len() {
            return None;
        }
        let mut spaces: Vec<_> = std::iter::once(gap..content).collect();
        let (mut block, mut end) = (self.short(header + 1)?, content);
        while block != 0 {
            let (next, size) = (self.short(block)?, self.short(block + 2)?);
            // Blocks lie in order, so that a chain of them ends.
            if block < end || size < 4 || block + size > self.bytes.len() {
                return None;
            }
            spaces.push(block + 4..block + size);
            (block, end) = (next, block + size);
        }
        Some(spaces)
    }

    fn short(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at + 2)?;
        Some(usize::from(bytes[0]) << 8 | usize::from(bytes[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A leaf of a table with one row of 8 bytes at the end and a block of 10 free bytes before it.
    fn leaf() -> Vec<u8> {
        let mut page = vec![0xEE; 64];
        page[..8].copy_from_slice(&[13, 0, 46, 0, 1, 0, 46, 0]);
        page[8..10].copy_from_slice(&[0, 56]);
        page[46..50].copy_from_slice(&[0, 0, 0, 10]);
        page
    }

    #[test]
    fn free_space_is_the_gap_and_the_rest_of_free_blocks() {
        assert_eq!(Page { number: 2, bytes: &leaf() }.free_spaces(), Some(vec![10..46, 50..56]));
    }

    #[test]
    fn the_first_page_begins_after_the_header_of_the_file() {
        let mut first = vec![0xEE; FILE_HEADER];
        first.extend(leaf());
        for at in [FILE_HEADER + 2, FILE_HEADER + 6] {
            first[at] += FILE_HEADER as u8;
        }
        assert_eq!(Page { number: 1, bytes: &first }.free_spaces(), Some(vec![110..146, 150..156]));
    }

    #[test]
    fn other_pages_have_no_free_space_and_broken_ones_none_to_tell() {
        assert_eq!(Page { number: 2, bytes: &[0; 64] }.free_spaces(), Some(Vec::new()));
        for (at, value) in [(4, 40), (6, 255), (2, 20), (49, 60), (49, 3), (47, 46)] {
            let mut broken = leaf();
            broken[at] = value;
            assert_eq!(Page { number: 2, bytes: &broken }.free_spaces(), None, "byte {at} = {value}");
        }
    }
}
