//! What of a history is indexed: with or without image captions, with or without the windows of long turns.

use std::sync::Arc;

use aforesaid::{
    EncodeError, Encoder, Locality,
    formats::Captions,
    types::{Draft, EncoderId, Vectors},
};
use aforesaid_eval::datasets::Benchmark;

/// Whether a turn that its model does not read whole has a vector for each part that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Windows {
    /// It has.
    Each,
    /// It has one vector, of what the model reads; the rest is cut off.
    CutOff,
}

/// What of a history is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Corpus {
    pub(super) captions: Captions,
    pub(super) windows: Windows,
}

impl Corpus {
    /// All of it, as the default has it.
    pub(super) const WHOLE: Corpus = Corpus { captions: Captions::Keep, windows: Windows::Each };
    /// As simple systems have it.
    pub(super) const PLAIN: Corpus = Corpus { captions: Captions::Drop, windows: Windows::CutOff };
    /// As the published systems have it: without captions.
    pub(super) const CAPTIONLESS: Corpus = Corpus { captions: Captions::Drop, windows: Windows::Each };

    /// The encoder of this corpus.
    pub(super) fn encoder(self, encoder: &Arc<dyn Encoder>) -> Arc<dyn Encoder> {
        match self.windows {
            Windows::Each => Arc::clone(encoder),
            Windows::CutOff => Arc::new(OneVector(Arc::clone(encoder))),
        }
    }
}

/// What there is of a benchmark that may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) captions: bool,
    pub(super) windows: bool,
}

impl Contents {
    pub(super) fn of(benchmark: &Benchmark, encoder: &dyn Encoder) -> Self {
        Self { captions: has_captions(benchmark), windows: has_windows(benchmark, encoder) }
    }

    /// The corpus without leaving out what is not there.
    pub(super) fn of_corpus(self, corpus: Corpus) -> Corpus {
        Corpus {
            captions: if self.captions { corpus.captions } else { Captions::Keep },
            windows: if self.windows { corpus.windows } else { Windows::Each },
        }
    }

    /// Every corpus that differs from the others.
    pub(super) fn corpora(self) -> Vec<Corpus> {
        let mut all = Vec::new();
        for captions in [Captions::Keep, Captions::Drop] {
            for windows in [Windows::Each, Windows::CutOff] {
                let corpus = self.of_corpus(Corpus { captions, windows });
                if !all.contains(&corpus) {
                    all.push(corpus);
                }
            }
        }
        all
    }
}

/// Whether the model reads some memory of the benchmark in several windows.
fn has_windows(benchmark: &Benchmark, encoder: &dyn Encoder) -> bool {
    // What the encoder fails on is an error where it is indexed.
    let is_long = |draft: &Draft| encoder.windows(&draft.passage()).map_or(true, |windows| windows.len() > 1);
    benchmark.groups.iter().flat_map(|group| &group.memories).any(is_long)
}

/// Whether some turn of the benchmark has an image caption.
fn has_captions(benchmark: &Benchmark) -> bool {
    let captioned = |draft: &Draft| matches!(draft, Draft::Turn(turn) if turn.image_caption.is_some());
    benchmark.groups.iter().flat_map(|group| &group.memories).any(captioned)
}

/// An encoder of which nobody knows how much it reads.
struct OneVector(Arc<dyn Encoder>);

impl Encoder for OneVector {
    fn id(&self) -> &EncoderId {
        self.0.id()
    }

    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn locality(&self) -> Locality {
        self.0.locality()
    }

    fn has_word(&self, word: &str) -> Option<bool> {
        self.0.has_word(word)
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.0.encode_queries(texts)
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.0.encode_passages(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_not_left_out() {
        let without_captions = Contents { captions: false, windows: true };
        assert_eq!(without_captions.corpora(), [Corpus::WHOLE, Corpus { windows: Windows::CutOff, ..Corpus::WHOLE }]);
        assert_eq!(without_captions.of_corpus(Corpus::CAPTIONLESS), Corpus::WHOLE);
        let short = Contents { captions: true, windows: false };
        assert_eq!(short.corpora(), [Corpus::WHOLE, Corpus::CAPTIONLESS]);
        assert_eq!(short.of_corpus(Corpus::PLAIN), Corpus::CAPTIONLESS);
        assert_eq!(Contents { captions: true, windows: true }.corpora().len(), 4);
    }
}
