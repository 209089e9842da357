//! Whether two indexes of the same rows are the same.

use super::Index;

impl Index {
    /// The first part in which this index and another differ; their analyzers and encoders are not compared.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let parts = [
            ("version", self.version == other.version),
            ("texts", self.documents == other.documents),
            ("terms", self.postings == other.postings),
            ("vectors", self.dense == other.dense),
            ("cues", self.cues == other.cues),
            ("titles", self.titles == other.titles),
        ];
        parts.into_iter().find(|(_, same)| !same).map(|(part, _)| part)
    }
}
