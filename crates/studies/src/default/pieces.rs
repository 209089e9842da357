//! What `hybrid`, the first stage of the default, is made of: the list to add to when it gets a new piece.
//!
//! A piece is the part of a [`Pipeline`] that it sets. Without the piece, `hybrid` has that part of the [`bare`]
//! pipeline; alone, the bare pipeline has that part of `hybrid`. A piece that changes nothing is left out of the
//! tables, so one that is no longer part of it may stay on the list.

use aforesaid::{
    Pipeline,
    formats::Captions,
    pipeline::{
        AnswerFeatures, DATE_BOOST, DenseLeg, InvalidPipeline, LexicalLeg, MENTION_BOOST, ORDER_BOOST, RECENCY_BOOST,
        REPLY_BOOST, TITLE_BOOST, WISH_BOOST,
    },
};

use super::corpus::{Corpus, Windows};

/// One piece of it.
pub(super) struct Piece {
    /// In plain words.
    pub(super) name: &'static str,
    pub(super) part: PipelinePart,
}

/// What of a pipeline a piece is.
pub(super) enum PipelinePart {
    /// Numbers and choices: the first pipeline takes them from the second.
    Numbers(fn(&mut Pipeline, &Pipeline)),
    /// A part of what is indexed: `hybrid` without it, and the plain pipeline with it alone.
    Indexed { without: Corpus, alone: Corpus },
    /// A whole leg: cuts it off.
    Leg(fn(&mut Pipeline)),
}

/// Pieces inside the legs and around them.
pub(super) const PIECES: &[Piece] = &[
    numbers("query words side by side", |to, from| lexical(to, from, |to, from| to.bigrams = from.bigrams)),
    numbers("the words of the turns around", |to, from| {
        lexical(to, from, |to, from| to.neighbours.weights = from.neighbours.weights);
    }),
    numbers("long turns take less", |to, from| {
        lexical(to, from, |to, from| to.neighbours.half_length = from.neighbours.half_length);
    }),
    numbers("the session's share in a turn", |to, from| lexical(to, from, |to, from| to.turns = from.turns)),
    numbers("the best turn's share in a session", |to, from| {
        lexical(to, from, |to, from| to.sessions = from.sessions);
    }),
    numbers("who is asked about said it", |to, from| {
        feature(to, from, |to, from| to.speaker_match = from.speaker_match)
    }),
    numbers("asked when, it says when", |to, from| {
        feature(to, from, |to, from| to.time_expression = from.time_expression)
    }),
    numbers("a turn that only asks", |to, from| {
        feature(to, from, |to, from| to.question_penalty = from.question_penalty)
    }),
    numbers("a turn that is brief", |to, from| feature(to, from, |to, from| to.short_penalty = from.short_penalty)),
    numbers("a term that nothing holds is spelt as one that something does", |to, from| {
        lexical(to, from, |to, from| to.spelling = from.spelling);
    }),
    numbers("said on the date it names", |to, from| boost(to, from, DATE_BOOST)),
    numbers("said under the title it names", |to, from| boost(to, from, TITLE_BOOST)),
    numbers("it answers a question like the query", |to, from| boost(to, from, REPLY_BOOST)),
    numbers("a person said it, and how they want things, where it asks for something new", |to, from| {
        boost(to, from, WISH_BOOST)
    }),
    numbers("of late, where it goes on with something", |to, from| boost(to, from, RECENCY_BOOST)),
    numbers("the first or the last mention, where it asks for one", |to, from| boost(to, from, MENTION_BOOST)),
    numbers("the newest or the oldest, where it asks for it", |to, from| boost(to, from, ORDER_BOOST)),
    numbers("vectors of questions without names", |to, from| {
        dense(to, from, |to, from| to.speaker_names = from.speaker_names)
    }),
    numbers("k1 and b", |to, from| lexical(to, from, |to, from| to.bm25 = from.bm25)),
    numbers("the weight of the fusion", |to, from| to.fusion = from.fusion.clone()),
    numbers("how turns are pooled", |to, from| dense(to, from, |to, from| to.pooling = from.pooling)),
    numbers("stems and stop words", |to, from| to.analyzer = from.analyzer),
    Piece {
        name: "image captions",
        part: PipelinePart::Indexed {
            without: Corpus::CAPTIONLESS,
            alone: Corpus { captions: Captions::Keep, ..Corpus::PLAIN },
        },
    },
    Piece {
        name: "a vector for each window of a long turn",
        part: PipelinePart::Indexed {
            without: Corpus { windows: Windows::CutOff, ..Corpus::WHOLE },
            alone: Corpus { windows: Windows::Each, ..Corpus::PLAIN },
        },
    },
];

/// The legs themselves.
pub(super) const LEGS: &[Piece] = &[
    Piece { name: "the vectors", part: PipelinePart::Leg(|to| *to = to.clone().without_leg::<DenseLeg>()) },
    Piece { name: "the words", part: PipelinePart::Leg(|to| *to = to.clone().without_leg::<LexicalLeg>()) },
];

/// Every piece, in the order of the tables.
pub(super) fn all() -> impl Iterator<Item = &'static Piece> {
    PIECES.iter().chain(LEGS)
}

/// `hybrid` as it searches these data, which have no cue questions.
pub(super) fn hybrid() -> Pipeline {
    Pipeline::hybrid().without_cues()
}

/// Textbook BM25 without stems and stop words, and plain cosines, at equal weights.
pub(super) fn bare() -> Result<Pipeline, InvalidPipeline> {
    "zscore(0.5, bm25(plain), dense(max))".parse()
}

/// What pieces are tried alone on: the bare pipeline over the terms of `hybrid`, as BM25 is commonly used.
pub(super) fn plain() -> Result<Pipeline, InvalidPipeline> {
    Ok(Pipeline { analyzer: hybrid().analyzer, ..bare()? })
}

const fn numbers(name: &'static str, take: fn(&mut Pipeline, &Pipeline)) -> Piece {
    Piece { name, part: PipelinePart::Numbers(take) }
}

fn lexical(to: &mut Pipeline, from: &Pipeline, take: fn(&mut LexicalLeg, &LexicalLeg)) {
    if let Some(from) = from.leg::<LexicalLeg>() {
        to.change(|to| take(to, from));
    }
}

fn feature(to: &mut Pipeline, from: &Pipeline, take: fn(&mut AnswerFeatures, &AnswerFeatures)) {
    if let Some(from) = from.leg::<LexicalLeg>() {
        to.change(|to: &mut LexicalLeg| take(&mut to.features, &from.features));
    }
}

fn dense(to: &mut Pipeline, from: &Pipeline, take: fn(&mut DenseLeg, &DenseLeg)) {
    if let Some(from) = from.leg::<DenseLeg>() {
        to.change(|to| take(to, from));
    }
}

fn boost(to: &mut Pipeline, from: &Pipeline, word: &str) {
    let without = to.clone().without_boost(word);
    *to = match from.boosts.iter().find(|boost| boost.word == word) {
        Some(boost) => without.with_boost(boost.clone()),
        None => without,
    };
}

impl Piece {
    /// The whole corpus without it; `None` where it is a part of the pipeline.
    pub(super) fn left_out(&self) -> Option<Corpus> {
        match self.part {
            PipelinePart::Indexed { without, .. } => Some(without),
            PipelinePart::Numbers(_) | PipelinePart::Leg(_) => None,
        }
    }

    /// `hybrid` without it; `None` where that is `hybrid`.
    pub(super) fn without(&self, default: &Pipeline, bare: &Pipeline) -> Option<(Pipeline, Corpus)> {
        let mut pipeline = default.clone();
        match self.part {
            PipelinePart::Numbers(take) => take(&mut pipeline, bare),
            PipelinePart::Leg(cut) => cut(&mut pipeline),
            PipelinePart::Indexed { without, .. } => return Some((pipeline, without)),
        }
        (pipeline != *default).then_some((pipeline, Corpus::WHOLE))
    }

    /// The plain pipeline with it, over the plain corpus; `None` where that is the plain pipeline.
    pub(super) fn alone(&self, plain: &Pipeline, default: &Pipeline) -> Option<(Pipeline, Corpus)> {
        let mut pipeline = plain.clone();
        match self.part {
            PipelinePart::Numbers(take) => take(&mut pipeline, default),
            PipelinePart::Leg(_) => return None,
            PipelinePart::Indexed { alone, .. } => return Some((pipeline, alone)),
        }
        (pipeline != *plain).then_some((pipeline, Corpus::PLAIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_together_are_the_default() {
        let default = super::hybrid();
        let mut built = bare().unwrap();
        let mut taken_apart = default.clone();
        for piece in PIECES {
            if let PipelinePart::Numbers(take) = piece.part {
                take(&mut built, &default);
                take(&mut taken_apart, &bare().unwrap());
            }
        }
        assert_eq!(built.to_string(), default.to_string(), "a piece of the default is not on the list");
        assert_eq!(taken_apart.to_string(), bare().unwrap().to_string());
    }

    #[test]
    fn a_piece_is_taken_away_and_tried_alone() {
        let (default, bare, plain) = (super::hybrid(), bare().unwrap(), plain().unwrap());
        let piece = |name: &str| all().find(|piece| piece.name == name).unwrap();
        let bigrams = piece("query words side by side");
        let (without, _) = bigrams.without(&default, &bare).unwrap();
        let of = |pipeline: &Pipeline| *pipeline.leg::<LexicalLeg>().unwrap();
        assert_eq!(of(&without).bigrams, 0.0);
        assert_eq!(of(&without).turns, of(&default).turns);
        let (alone, corpus) = bigrams.alone(&plain, &default).unwrap();
        assert_eq!((of(&alone).bigrams, corpus), (of(&default).bigrams, Corpus::PLAIN));
        assert!(piece("stems and stop words").alone(&plain, &default).is_none(), "the plain pipeline has them");
        assert!(piece("the words").without(&default, &bare).unwrap().0.leg::<LexicalLeg>().is_none());
        assert_eq!(piece("image captions").without(&default, &bare).unwrap().1, Corpus::CAPTIONLESS);
    }
}
