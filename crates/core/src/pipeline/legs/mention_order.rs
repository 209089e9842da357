//! The leg `mention_order`: a query may ask for the first or the last turn that names a matter.

use std::collections::{HashMap, HashSet};

use crate::{
    analysis::Analyzer,
    error::StoreError,
    lexical::Bm25,
    pipeline::{
        leg::{Column, Leg, LegInput, LegReader},
        matches::FeatureMatch,
        request::SearchContext,
    },
    time::Times,
    types::Timestamp,
};

/// 1 for the first turn that names the matter of a query, 1/2 for the second, 1/3 for the third and so on; from the last on
/// where the last is asked for. 0 for a turn that does not name it; no column where no mention is asked for.
///
/// A turn names the matter if it holds [`NAMED`] of what the turn with most of it holds: of the terms of the query, by rarity,
/// without its names of speakers and without the words that ask for a mention. Where the query is about speakers, it is one
/// that they said, if there is any. A session stands at its first such turn, or its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MentionLeg;

/// The share of the most that is held from which a turn names the matter.
const NAMED: f64 = 0.6;

/// Reads `mention_order`.
pub(super) const READER: LegReader =
    LegReader { word: MentionLeg::NAME, read: |call| LegReader::plain(call, MentionLeg) };

impl MentionLeg {
    /// Its name in pipelines and results.
    pub const NAME: &'static str = "mention_order";
}

impl Leg for MentionLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.name().to_owned()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        let times = input.context.request.question.times.as_ref().filter(|times| !times.mention.is_empty());
        let scores = times.and_then(|times| places(input, times));
        Ok(scores.map(|scores| Box::new(InOrder(scores)) as Box<dyn Column>))
    }

    fn feeds_pool(&self) -> bool {
        false
    }
}

struct InOrder(Vec<f64>);

impl Column for InOrder {
    fn scores(&self) -> &[f64] {
        &self.0
    }

    fn floor(&self) -> Option<f64> {
        Some(0.0)
    }

    /// In parts of the first: the boost's weight is not known here.
    fn features(&self, _context: SearchContext<'_>, place: usize) -> Vec<FeatureMatch> {
        let (adds, label) = (self.0[place], "among the first, or last, to name what is asked about");
        vec![FeatureMatch { feature: MentionLeg::NAME, label, met: adds > 0.0, adds, at_best: 1.0 }]
    }

    fn weakness(&self, _context: SearchContext<'_>, _place: usize, _cut: usize) -> Option<String> {
        Some("others come first of those that name what is asked about".to_owned())
    }
}

fn places(input: &LegInput<'_>, times: &Times) -> Option<Vec<f64>> {
    let SearchContext { index, request, .. } = input.context;
    let documents = index.documents();
    let shares = shares(input.context, &matter(input.context, times));
    let share = |text: &u32| shares.get(text).copied().unwrap_or(0.0);
    let texts = || input.units.iter().flat_map(|unit| input.context.texts_of(unit));
    let most = texts().map(share).fold(0.0, f64::max);
    if most == 0.0 {
        return None;
    }
    let about = request.question.is_about(documents.speakers());
    let is_theirs = |text: &u32| documents.speaker_of(*text).is_some_and(|speaker| about[speaker as usize]);
    let names = |text: &&u32| share(text) >= NAMED * most;
    let theirs = texts().filter(names).any(is_theirs);
    let moment = |text: &u32| (documents.said_at(*text).map(Timestamp::millis), *text);
    // One without a time comes last in either direction.
    let mention = |unit: &u32| {
        let of_unit = input.context.texts_of(unit).iter().filter(names).filter(|text| !theirs || is_theirs(text));
        let of_unit = of_unit.map(moment).map(|(at, text)| match times.order {
            Some(order) if order.is_newest_first() => (at.is_none(), at.map(|at| -at), -i64::from(text)),
            _ => (at.is_none(), at, i64::from(text)),
        });
        of_unit.min()
    };
    let mentions: Vec<_> = input.units.iter().map(mention).collect();
    let mut order: Vec<_> = mentions.iter().flatten().collect();
    order.sort_unstable();
    let place =
        |of: &Option<_>| of.as_ref().map_or(0.0, |of| 1.0 / (1.0 + order.partition_point(|other| *other < of) as f64));
    Some(mentions.iter().map(place).collect())
}

/// The terms of a query that are what it is about.
fn matter(context: SearchContext<'_>, times: &Times) -> Vec<String> {
    let (index, question) = (context.index, context.request.question);
    let analyzer = index.spec().analyzer;
    let speakers = index.documents().speakers();
    let named = question.terms_of(&question.without_names(speakers), analyzer);
    let asking: Vec<String> =
        times.mention.iter().flat_map(|place| question.terms_of(&question.text()[place.clone()], analyzer)).collect();
    // A term that spelling put in the place of another is in neither, and no name.
    let written = question.terms_of(question.text(), analyzer);
    let [written, named] = [&written, &named].map(|terms| terms.iter().collect::<HashSet<&String>>());
    let is_name = |term: &String| written.contains(term) && !named.contains(term);
    question.terms.iter().filter(|term| !is_name(term) && !asking.contains(term)).cloned().collect()
}

/// The sum of the rarities of the terms that each text holds.
fn shares(context: SearchContext<'_>, terms: &[String]) -> HashMap<u32, f64> {
    let SearchContext { index, candidates, .. } = context;
    let texts = candidates.text_statistics(index, 0.0).texts;
    let mut shares = HashMap::new();
    for term in terms {
        let held = || index.postings().of(term).iter().filter(|posting| candidates.collection.has(posting.text));
        let holders = index.term_holders(term).map_or_else(|| held().count(), |whole| whole.texts);
        let idf = Bm25::idf(texts, holders);
        held().for_each(|posting| *shares.entry(posting.text).or_insert(0.0) += idf);
    }
    shares
}
