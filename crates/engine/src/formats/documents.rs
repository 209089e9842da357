//! Documents that a model wrote beside a conversation, such as a canvas or an artifact: the last version of each.

/// A document as it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    /// What the program calls it.
    pub(super) key: String,
    /// Place of the message that began it.
    pub(super) place: usize,
    title: String,
    kind: String,
    text: String,
}

impl Document {
    /// What a turn says that stands for it: what it is, and its text. `None` where it is blank.
    pub(super) fn turn(&self, what: &str) -> Option<String> {
        if self.text.trim().is_empty() {
            return None;
        }
        let title = if self.title.is_empty() { String::new() } else { format!(" \"{}\"", self.title) };
        let kind = if self.kind.is_empty() { String::new() } else { format!(" ({})", self.kind) };
        Some(format!("{what}{title}{kind}:\n\n{}", self.text))
    }
}

/// Where a text is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurrences {
    First,
    All,
}

/// The documents of a conversation, in the order in which they were begun.
#[derive(Debug, Default)]
pub(super) struct Documents(Vec<Document>);

impl Documents {
    /// Begins a document, or another version of one that is there.
    pub(super) fn create(&mut self, place: usize, key: &str, title: &str, kind: &str, text: &str) {
        let (title, kind, text) = (title.to_owned(), kind.to_owned(), text.to_owned());
        match self.find(key) {
            Some(document) => {
                let place = document.place;
                *document = Document { key: key.to_owned(), place, title, kind, text };
            }
            None => self.0.push(Document { key: key.to_owned(), place, title, kind, text }),
        }
    }

    /// Gives a document another text; one that is not there begins here.
    pub(super) fn rewrite(&mut self, place: usize, key: &str, text: &str) {
        match self.find(key) {
            Some(document) => document.text = text.to_owned(),
            None => self.create(place, key, "", "", text),
        }
    }

    /// Replaces a part of a document; where it is not found, the new part comes at the end, so that no text is lost.
    pub(super) fn update(&mut self, key: &str, old: &str, new: &str, occurrences: Occurrences) {
        let Some(document) = self.find(key) else { return };
        if old.is_empty() || !document.text.contains(old) {
            document.text.push('\n');
            document.text.push_str(new);
            return;
        }
        document.text = match occurrences {
            Occurrences::First => document.text.replacen(old, new, 1),
            Occurrences::All => document.text.replace(old, new),
        };
    }

    /// Whether a part of a document's text is `part`.
    pub(super) fn has(&mut self, key: &str, part: &str) -> bool {
        self.find(key).is_some_and(|document| document.text.contains(part))
    }

    /// What the last document that was begun is called.
    pub(super) fn last(&self) -> Option<String> {
        self.0.last().map(|document| document.key.clone())
    }

    /// What the documents are called.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|document| &*document.key)
    }

    /// The documents that the message at a place began.
    pub(super) fn begun_at(&self, place: usize) -> impl Iterator<Item = &Document> {
        self.0.iter().filter(move |document| document.place == place)
    }

    fn find(&mut self, key: &str) -> Option<&mut Document> {
        self.0.iter_mut().find(|document| document.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_version_is_kept() {
        let mut documents = Documents::default();
        documents.create(3, "a", "Plan", "document", "Sow beans. Sow kale.");
        documents.update("a", "Sow", "Plant", Occurrences::First);
        documents.update("nobody", "Sow", "x", Occurrences::All);
        let turn = |documents: &Documents| documents.begun_at(3).next().unwrap().turn("Canvas");
        assert_eq!(turn(&documents).unwrap(), "Canvas \"Plan\" (document):\n\nPlant beans. Sow kale.");
        documents.update("a", "not there", "Water them.", Occurrences::All);
        assert!(turn(&documents).unwrap().ends_with("kale.\nWater them."));
        documents.rewrite(5, "a", " ");
        assert_eq!(turn(&documents), None);
        documents.rewrite(5, "b", "new");
        assert_eq!(documents.begun_at(5).next().unwrap().turn("Canvas").unwrap(), "Canvas:\n\nnew");
        assert_eq!(documents.last().unwrap(), "b");
    }
}
