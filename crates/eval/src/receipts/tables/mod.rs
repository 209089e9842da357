//! Tables of documents, made from receipts and from what others have published.

mod cell;
mod document;
mod markdown;
mod read;

use self::cell::Cell;
use super::ReceiptError;

/// The tables that documents may ask for.
///
/// `tables.toml` lies beside the receipts:
///
/// ```toml
/// [[table]]
/// name = "locomo-sessions"
/// columns = { "hit@1" = "Hit@1", mrr = "MRR" }
///
/// [[table.row]]
/// label = "BM25, as published"
/// encoder = "none"
/// source = "Lysenstøen 2026, Table 5"
/// values = { "hit@1" = 0.6395, mrr = 0.7504 }
///
/// [[table.row]]
/// label = "`aforesaid`, preset hybrid"
/// encoder = "all-MiniLM-L6-v2, 22M"
/// receipt = "locomo-session-hybrid"
/// ```
///
/// A document has the table between the lines `<!-- table: locomo-sessions -->` and `<!-- end of table -->`.
///
/// The best value of each column is bold, as far as the decimals shown tell: four of a receipt, of a published value
/// those written, at least three. Where a row names its `source` there is a column for it, with our receipts in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    tables: Vec<Table>,
}

#[derive(Debug, Clone, PartialEq)]
struct Table {
    name: String,
    /// Heads of the measures.
    columns: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    label: String,
    encoder: String,
    /// Who published it, if that is said.
    source: Option<String>,
    /// Name of the receipt of a row of ours.
    receipt: Option<String>,
    /// One for each column; `None` where the measure is not known.
    cells: Vec<Option<Cell>>,
}

impl Tables {
    /// Whether a document's tables differ from what [`Tables::fill`] puts there.
    ///
    /// # Errors
    /// As [`Tables::fill`].
    pub fn is_stale(&self, document: &str) -> Result<bool, ReceiptError> {
        Ok(self.fill(document)? != document)
    }

    fn table(&self, name: &str, line: usize) -> Result<&Table, ReceiptError> {
        self.tables.iter().find(|table| table.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.tables.iter().map(|table| table.name.as_str()).collect();
            ReceiptError::UnknownTable { line, name: name.to_owned(), expected: names.join(", ") }
        })
    }
}
