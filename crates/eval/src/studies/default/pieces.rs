//! What the default is made of: the list to add to when it gets a new piece.
//!
//! A piece is the part of a [`Preset`] that it sets. Without the piece, the default has that part of the [`bare`]
//! pipeline; alone, the bare pipeline has that part of the default. A piece that changes nothing is left out of the
//! tables, so one that is no longer part of the default may stay on the list.

use aforesaid::{
    Preset,
    formats::Captions,
    pipeline::{DenseLeg, Expectation, InvalidPipeline, LexicalLeg},
};

/// One piece of the default.
pub(super) struct Piece {
    /// In plain words.
    pub(super) name: &'static str,
    pub(super) part: Part,
}

/// What of a pipeline a piece is.
pub(super) enum Part {
    /// Numbers and choices: the first pipeline takes them from the second.
    Numbers(fn(&mut Preset, &Preset)),
    /// Image captions, which are part of what is indexed.
    Captions,
    /// A whole leg: cuts it off.
    Leg(fn(&mut Preset)),
}

/// Pieces inside the legs and around them.
pub(super) const PIECES: &[Piece] = &[
    numbers("query words side by side", |to, from| lexical(to, from, |to, from| to.pairs = from.pairs)),
    numbers("the words of the turns around", |to, from| {
        lexical(to, from, |to, from| to.context.weights = from.context.weights);
    }),
    numbers("long turns take less", |to, from| {
        lexical(to, from, |to, from| to.context.half_length = from.context.half_length);
    }),
    numbers("the session's share in a turn", |to, from| lexical(to, from, |to, from| to.turns = from.turns)),
    numbers("the best turn's share in a session", |to, from| {
        lexical(to, from, |to, from| to.sessions = from.sessions);
    }),
    numbers("who is asked about said it", |to, from| expectation(to, from, |to, from| to.speaker = from.speaker)),
    numbers("asked when, it says when", |to, from| expectation(to, from, |to, from| to.time = from.time)),
    numbers("a turn that only asks", |to, from| expectation(to, from, |to, from| to.question = from.question)),
    numbers("a turn that is brief", |to, from| expectation(to, from, |to, from| to.brief = from.brief)),
    numbers("said on the date it names", |to, from| to.dated = from.dated),
    numbers("vectors of questions without names", |to, from| dense(to, from, |to, from| to.names = from.names)),
    numbers("k1 and b", |to, from| lexical(to, from, |to, from| to.bm25 = from.bm25)),
    numbers("the weight of the fusion", |to, from| to.fusion = from.fusion),
    numbers("how turns are pooled", |to, from| dense(to, from, |to, from| to.pooling = from.pooling)),
    numbers("stems and stop words", |to, from| to.analyzer = from.analyzer),
    Piece { name: "image captions", part: Part::Captions },
];

/// The legs themselves.
pub(super) const LEGS: &[Piece] = &[
    Piece { name: "the vectors", part: Part::Leg(|to| to.dense = None) },
    Piece { name: "the words", part: Part::Leg(|to| to.lexical = None) },
];

/// Every piece, in the order of the tables.
pub(super) fn all() -> impl Iterator<Item = &'static Piece> {
    PIECES.iter().chain(LEGS)
}

/// The default as it searches these data, which have no cue questions.
pub(super) fn default() -> Preset {
    Preset::hybrid().without_cues()
}

/// Textbook BM25 without stems and stop words, and plain cosines, at equal weights.
pub(super) fn bare() -> Result<Preset, InvalidPipeline> {
    "zscore(0.5, bm25(plain), dense(max))".parse()
}

/// What pieces are tried alone on: the bare pipeline over the default's terms, as BM25 is commonly used.
pub(super) fn plain() -> Result<Preset, InvalidPipeline> {
    Ok(Preset { analyzer: default().analyzer, ..bare()? })
}

const fn numbers(name: &'static str, take: fn(&mut Preset, &Preset)) -> Piece {
    Piece { name, part: Part::Numbers(take) }
}

fn lexical(to: &mut Preset, from: &Preset, take: fn(&mut LexicalLeg, &LexicalLeg)) {
    if let (Some(to), Some(from)) = (&mut to.lexical, &from.lexical) {
        take(to, from);
    }
}

fn expectation(to: &mut Preset, from: &Preset, take: fn(&mut Expectation, &Expectation)) {
    if let (Some(to), Some(from)) = (&mut to.lexical, &from.lexical) {
        take(&mut to.expectation, &from.expectation);
    }
}

fn dense(to: &mut Preset, from: &Preset, take: fn(&mut DenseLeg, &DenseLeg)) {
    if let (Some(to), Some(from)) = (&mut to.dense, &from.dense) {
        take(to, from);
    }
}

impl Piece {
    /// The default without it; `None` where that is the default.
    pub(super) fn without(&self, default: &Preset, bare: &Preset) -> Option<(Preset, Captions)> {
        let mut preset = default.clone();
        match self.part {
            Part::Numbers(take) => take(&mut preset, bare),
            Part::Leg(cut) => cut(&mut preset),
            Part::Captions => return Some((preset, Captions::Drop)),
        }
        (preset != *default).then_some((preset, Captions::Keep))
    }

    /// The plain pipeline with it, where captions are not indexed; `None` where that is the plain pipeline.
    pub(super) fn alone(&self, plain: &Preset, default: &Preset) -> Option<(Preset, Captions)> {
        let mut preset = plain.clone();
        match self.part {
            Part::Numbers(take) => take(&mut preset, default),
            Part::Leg(_) => return None,
            Part::Captions => return Some((preset, Captions::Keep)),
        }
        (preset != *plain).then_some((preset, Captions::Drop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_together_are_the_default() {
        let default = super::default();
        let mut built = bare().unwrap();
        let mut taken_apart = default.clone();
        for piece in PIECES {
            if let Part::Numbers(take) = piece.part {
                take(&mut built, &default);
                take(&mut taken_apart, &bare().unwrap());
            }
        }
        assert_eq!(built.to_string(), default.to_string(), "a piece of the default is not on the list");
        assert_eq!(taken_apart.to_string(), bare().unwrap().to_string());
    }

    #[test]
    fn a_piece_is_taken_away_and_tried_alone() {
        let (default, bare, plain) = (super::default(), bare().unwrap(), plain().unwrap());
        let piece = |name: &str| all().find(|piece| piece.name == name).unwrap();
        let pairs = piece("query words side by side");
        let (without, _) = pairs.without(&default, &bare).unwrap();
        assert_eq!(without.lexical.unwrap().pairs, 0.0);
        assert_eq!(without.lexical.unwrap().turns, default.lexical.unwrap().turns);
        let (alone, captions) = pairs.alone(&plain, &default).unwrap();
        assert_eq!((alone.lexical.unwrap().pairs, captions), (default.lexical.unwrap().pairs, Captions::Drop));
        assert!(piece("stems and stop words").alone(&plain, &default).is_none(), "the plain pipeline has them");
        assert!(piece("the words").without(&default, &bare).unwrap().0.lexical.is_none());
        assert_eq!(piece("image captions").without(&default, &bare).unwrap().1, Captions::Drop);
    }
}
