//! Computes the features of the best candidates.

use super::{
    table::{Columns, FeatureTable},
    words::{HeldByCues, HeldTerms},
};
use crate::{
    dense::{DenseIndex, Scan},
    fusion::mean_and_deviation,
    pipeline::{request::SearchContext, shared::TermWeights, signals::SignalTable},
    types::Granularity,
};

/// Candidates of the first stage that have features: the best ones.
pub const DEPTH: usize = 500;
/// Candidates that others are likened to.
const LIKENED: usize = 5;
/// A gap to the best of one that is no candidate.
const FAR: f64 = 20.0;

/// What features are computed from.
pub(in crate::pipeline) struct Ground<'a> {
    pub(in crate::pipeline) context: SearchContext<'a>,
    pub(in crate::pipeline) table: &'a SignalTable,
    /// Candidates of the first stage, as places in unit order, ascending.
    pub(in crate::pipeline) pool: &'a [usize],
    /// Their scores.
    pub(in crate::pipeline) totals: &'a [f64],
    pub(in crate::pipeline) weights: TermWeights,
}

impl FeatureTable {
    /// The features of the best turns and notes; none of sessions.
    ///
    /// The second is the place of each candidate in the pool.
    pub(in crate::pipeline) fn of(ground: &Ground<'_>) -> (Self, Vec<usize>) {
        let Ground { context, pool, totals, .. } = ground;
        if context.request.unit == Granularity::Session || pool.is_empty() {
            return (Self::default(), Vec::new());
        }
        let mut best: Vec<usize> = (0..pool.len()).collect();
        best.sort_unstable_by(|&a, &b| totals[b].total_cmp(&totals[a]).then(a.cmp(&b)));
        best.truncate(DEPTH);
        let (mean, deviation) = mean_and_deviation(totals);
        let over = deviation.unwrap_or(1.0);
        let base = best.iter().map(|&i| (totals[i] - mean) / over).collect();
        let candidates: Vec<u32> = best.iter().map(|&i| context.units()[pool[i]]).collect();
        let values = Features::of(ground, &best, &candidates, (mean, over)).values();
        (Self { candidates, base, values }, best)
    }
}

/// What is known of the candidates before their features are written.
struct Features<'a> {
    ground: &'a Ground<'a>,
    /// Candidates, as places in the pool, best first.
    best: &'a [usize],
    /// Their text positions.
    texts: &'a [u32],
    held: HeldTerms,
    /// By place in unit order: how far it is behind the best, in standard deviations; [`FAR`] outside the pool.
    gaps: Vec<f64>,
    /// By place in unit order.
    cosines: Option<&'a [f64]>,
    /// By session number, of those with a candidate: gap of its best, its best cosine, their sum and number.
    sessions: Vec<SessionSigns>,
    /// By speaker number: whether the query is about them.
    about: Vec<bool>,
    mean: f64,
    over: f64,
}

/// The place of a text among ascending ones; where these are all of a namespace it is the text's own number.
fn place_of(units: &[u32], text: u32) -> Option<usize> {
    match units.get(text as usize) == Some(&text) {
        true => Some(text as usize),
        false => units.binary_search(&text).ok(),
    }
}

#[derive(Clone)]
struct SessionSigns {
    gap: f64,
    cosine: f64,
    sum: f64,
    count: f64,
    bm25: f64,
    in_10: f64,
    in_50: f64,
    rank: f64,
}

impl<'a> Features<'a> {
    fn of(ground: &'a Ground<'a>, best: &'a [usize], texts: &'a [u32], (mean, over): (f64, f64)) -> Self {
        let Ground { context, table, pool, totals, weights } = ground;
        let SearchContext { index, request, .. } = context;
        let documents = index.documents();
        let held = HeldTerms::of(*context, *weights);
        let first = totals[best[0]];
        let mut gaps = vec![FAR; context.units().len()];
        pool.iter().zip(*totals).for_each(|(&place, total)| gaps[place] = ((first - total) / over).min(FAR));
        let cosines = leg(table, "dense").and_then(|filled| Some(filled.column.as_ref()?.scores()));
        let none =
            SessionSigns { gap: FAR, cosine: -1.0, sum: 0.0, count: 0.0, bm25: 0.0, in_10: 0.0, in_50: 0.0, rank: 0.0 };
        let mut sessions = vec![none; documents.sessions().len()];
        let mut seen = 0.0;
        for (place, &text) in texts.iter().enumerate() {
            let Some(session) = documents.session_of(text) else { continue };
            let signs = &mut sessions[session as usize];
            if signs.rank == 0.0 {
                seen += 1.0;
                signs.rank = seen;
                for &turn in &documents.sessions()[session as usize].turns {
                    let Some(place) = place_of(context.units(), turn) else { continue };
                    signs.gap = signs.gap.min(gaps[place]);
                    signs.bm25 = signs.bm25.max(held.bm25[turn as usize]);
                    if let Some(cosines) = cosines {
                        signs.cosine = signs.cosine.max(cosines[place]);
                        signs.sum += cosines[place];
                        signs.count += 1.0;
                    }
                }
            }
            signs.in_10 += f64::from(place < 10);
            signs.in_50 += f64::from(place < 50);
        }
        let about = request.question.is_about(documents.speakers());
        Self { ground, best, texts, held, gaps, cosines, sessions, about, mean, over }
    }

    fn values(&self) -> Vec<f32> {
        let mut columns = Columns::of(self.texts.len());
        self.compared(&mut columns);
        self.words(&mut columns);
        self.vectors(&mut columns);
        self.surroundings(&mut columns);
        self.form(&mut columns);
        self.query(&mut columns);
        columns.into_values()
    }

    /// One value a candidate.
    fn each(&self, value: impl Fn(u32) -> f64) -> Option<Vec<f64>> {
        Some(self.texts.iter().map(|&text| value(text)).collect())
    }

    /// The scores of a leg of the first stage.
    fn leg(&self, name: &str) -> Option<Vec<f64>> {
        let pooled = leg(self.ground.table, name)?.pooled(self.ground.pool)?;
        Some(self.best.iter().map(|&i| pooled[i]).collect())
    }

    /// Of the text some places away in the session.
    fn neighbour(&self, text: u32, distance: isize) -> Option<u32> {
        let other = self.ground.context.index.documents().neighbour(text, distance)?;
        self.place(other).map(|_| other)
    }

    fn place(&self, text: u32) -> Option<usize> {
        place_of(self.ground.context.units(), text)
    }

    fn session(&self, text: u32) -> Option<&SessionSigns> {
        self.ground.context.index.documents().session_of(text).map(|session| &self.sessions[session as usize])
    }

    /// Terms of a text and those so many places around it, as bits.
    fn near(&self, text: u32) -> u64 {
        let around = [-2, -1, 1, 2].into_iter().filter_map(|distance| self.neighbour(text, distance));
        around.fold(self.held.text(text), |bits, other| bits | self.held.text(other))
    }

    fn compared(&self, columns: &mut Columns) {
        let totals: Vec<f64> = self.best.iter().map(|&i| self.ground.totals[i]).collect();
        columns.put_compared("total", Some(&totals));
        for name in ["lexical", "dense", "cue_bm25", "cue_dense"] {
            columns.put_compared(name, self.leg(name).as_deref());
        }
        let lexical = leg(self.ground.table, "lexical").and_then(|filled| filled.column.as_ref());
        columns.put_compared("turn_bm25", lexical.and_then(|column| column.turn_scores(self.texts)).as_deref());
        columns.put_compared("own_bm25", self.each(|text| self.held.bm25[text as usize]).as_deref());
        columns.put_compared("coverage", self.each(|text| self.held.coverage(self.held.text(text))).as_deref());
    }

    fn words(&self, columns: &mut Columns) {
        for name in ["date_match", "title_match", "reply_match", "time_order"] {
            columns.put(name, self.leg(name));
        }
        let held = &self.held;
        let lengths = self.ground.context.index.postings().lengths();
        let of_neighbour = |distance: isize, value: &dyn Fn(u32) -> f64| {
            self.each(|text| self.neighbour(text, distance).map_or(0.0, value))
        };
        let coverage = |text: u32| held.coverage(held.text(text));
        let documents = self.ground.context.index.documents();
        let rarest = held.rarest_term();
        columns.put("coverage_all", self.each(|text| held.share_of_all(held.text(text))));
        columns.put("coverage_before", of_neighbour(-1, &coverage));
        columns.put("coverage_after", of_neighbour(1, &coverage));
        columns.put("coverage_near", self.each(|text| held.coverage(self.near(text))));
        let of_session =
            |text: u32| documents.session_of(text).map_or(held.text(text), |session| held.session(session));
        columns.put("coverage_session", self.each(|text| held.coverage(of_session(text))));
        columns.put("terms_held", self.each(|text| f64::from(held.text(text).count_ones())));
        columns.put("rarest_held", self.each(|text| held.rarest(held.text(text))));
        columns.put("holds_rarest", self.each(|text| truth(held.text(text) & rarest != 0)));
        columns.put("near_rarest", self.each(|text| truth(self.near(text) & rarest != 0)));
        columns.put("bigrams_held", self.each(|text| f64::from(held.bigrams[text as usize])));
        let density = |text: u32| f64::from(held.counts[text as usize]) / f64::from(lengths[text as usize].max(1));
        columns.put("density", self.each(density));
        let bm25 = |text: u32| held.bm25[text as usize];
        columns.put("bm25_before", of_neighbour(-1, &bm25));
        columns.put("bm25_after", of_neighbour(1, &bm25));
        columns.put("bm25_session", self.each(|text| self.session(text).map_or(0.0, |signs| signs.bm25)));
        let lexical = leg(self.ground.table, "lexical").and_then(|filled| filled.column.as_ref());
        let turns = lexical.and_then(|column| column.turn_scores(self.texts));
        let part = self.leg("lexical").zip(turns);
        columns.put("session_part", part.map(|(all, own)| all.into_iter().zip(own).map(|(all, own)| all - own)));
    }

    fn vectors(&self, columns: &mut Columns) {
        let cosines = self.cosines;
        let at = |text: u32| cosines.zip(self.place(text)).map_or(0.0, |(cosines, place)| cosines[place]);
        let of_neighbour =
            |distance: isize| cosines.and(self.each(|text| self.neighbour(text, distance).map_or(0.0, at)));
        columns.put("dense_before", of_neighbour(-1));
        columns.put("dense_after", of_neighbour(1));
        let near = |text: u32| {
            [-2, -1, 1, 2].into_iter().filter_map(|distance| self.neighbour(text, distance)).map(at).fold(0.0, f64::max)
        };
        columns.put("dense_near", cosines.and(self.each(near)));
        let session = |value: fn(&SessionSigns) -> f64| {
            cosines.and(self.each(|text| self.session(text).map_or_else(|| at(text), value)))
        };
        columns.put("dense_session", session(|signs| signs.cosine));
        columns.put("dense_session_mean", session(|signs| signs.sum / signs.count.max(1.0)));
        let likeness =
            self.ground.context.index.dense().filter(|_| cosines.is_some()).map(|dense| self.likeness(dense));
        let rows = || likeness.as_ref();
        let count = self.texts.len();
        columns.put("like_first", rows().and_then(|likeness| likeness.first().cloned()));
        let others = |row: usize| -> Vec<f64> {
            let of = rows().into_iter().flatten().enumerate();
            of.filter(|(first, _)| *first != row).map(|(_, likeness)| likeness[row]).collect()
        };
        let mean = |row: usize| {
            let others = others(row);
            others.iter().sum::<f64>() / others.len().max(1) as f64
        };
        columns.put("like_best", rows().map(|_| (0..count).map(mean)));
        let most = |row: usize| others(row).into_iter().fold(-1.0, f64::max);
        columns.put("like_best_most", rows().map(|_| (0..count).map(most)));
    }

    /// For each of the first candidates, its cosine with all.
    fn likeness(&self, dense: &DenseIndex) -> Vec<Vec<f64>> {
        let likened = self.texts.iter().take(LIKENED);
        let of = |&text: &u32| {
            let vector = dense.vector(text);
            let mut cosines = Vec::with_capacity(self.texts.len());
            Scan::new(dense, &vector, self.texts).each(|_, cosine| cosines.push(cosine.unwrap_or(0.0)));
            cosines
        };
        likened.map(of).collect()
    }

    fn surroundings(&self, columns: &mut Columns) {
        let gap = |text: u32| self.place(text).map_or(FAR, |place| self.gaps[place]);
        let of_neighbour = |distance: isize| self.each(|text| self.neighbour(text, distance).map_or(FAR, gap));
        columns.put("total_before", of_neighbour(-1));
        columns.put("total_after", of_neighbour(1));
        let session =
            |value: fn(&SessionSigns) -> f64, alone: f64| self.each(|text| self.session(text).map_or(alone, value));
        columns.put("total_session", session(|signs| signs.gap, FAR));
        columns.put("session_rank", session(|signs| (1.0 + signs.rank).ln(), 0.0));
        let documents = self.ground.context.index.documents();
        let mut seen = vec![0.0; documents.sessions().len()];
        let mut rank_in_session = Vec::with_capacity(self.texts.len());
        for &text in self.texts {
            let rank = documents.session_of(text).map_or(1.0, |session| {
                seen[session as usize] += 1.0;
                seen[session as usize]
            });
            rank_in_session.push(f64::ln(1.0 + rank));
        }
        columns.put("rank_in_session", Some(rank_in_session));
        columns.put("session_in_10", session(|signs| signs.in_10, 0.0));
        columns.put("session_in_50", session(|signs| signs.in_50, 0.0));
        let first: Vec<u32> = self.texts.iter().take(20).copied().collect();
        let near = |text: u32| {
            let own = documents.in_session(text);
            let close = |other: &&u32| match (own, documents.in_session(**other)) {
                (Some((session, place)), Some((theirs, there))) => {
                    **other != text && session == theirs && place.abs_diff(there) <= 3
                }
                _ => false,
            };
            first.iter().filter(close).count() as f64
        };
        columns.put("near_in_20", self.each(near));
    }

    fn form(&self, columns: &mut Columns) {
        let SearchContext { index, candidates, request } = self.ground.context;
        let documents = index.documents();
        let terms = |text: u32| f64::from(index.postings().lengths()[text as usize]);
        let mean = candidates.text_statistics(index, 0.0).mean_length();
        columns.put("length", self.each(|text| terms(text).ln_1p()));
        columns.put("relative_length", self.each(|text| terms(text) / mean));
        let asking = |text: u32| documents.form(text).asking();
        let of_neighbour = |distance: isize| self.each(|text| self.neighbour(text, distance).map_or(0.0, asking));
        columns.put("asking", self.each(asking));
        columns.put("asking_before", of_neighbour(-1));
        columns.put("asking_after", of_neighbour(1));
        let tells_when = |text: u32| documents.form(text).tells_when;
        columns.put("tells_when", self.each(|text| truth(tells_when(text))));
        let asks_when = request.question.asks_when;
        columns.put("tells_asked", self.each(|text| truth(asks_when && tells_when(text))));
        let place = |text: u32| documents.in_session(text).map_or(0.0, |(_, place)| place as f64);
        let length = |text: u32| {
            documents.session_of(text).map_or(1.0, |session| candidates.turns_of(index, session).len() as f64)
        };
        columns.put("place", self.each(|text| place(text).ln_1p()));
        columns.put("place_share", self.each(|text| place(text) / (length(text) - 1.0).max(1.0)));
        columns.put("session_length", self.each(|text| length(text).ln_1p()));
        let last = (context_end(self.ground.context) - 1.0).max(1.0);
        columns.put("recency", self.each(|text| f64::from(text) / last));
        columns.put("said_by_named", self.each(|text| self.said_by_named(text)));
        let assists = documents.said_by_assistant();
        columns.put("said_by_assistant", self.each(|text| truth(assists(text))));
        let same = |text: u32| {
            self.neighbour(text, -1).is_some_and(|before| documents.speaker_of(before) == documents.speaker_of(text))
        };
        columns.put("same_before", self.each(|text| truth(same(text))));
    }

    fn said_by_named(&self, text: u32) -> f64 {
        let speaker = self.ground.context.index.documents().speaker_of(text);
        match speaker.and_then(|speaker| self.about.get(speaker as usize)) {
            _ if !self.about.contains(&true) => 0.0,
            Some(true) => 1.0,
            _ => -1.0,
        }
    }

    fn query(&self, columns: &mut Columns) {
        let SearchContext { index, request, .. } = self.ground.context;
        let (question, held) = (request.question, &self.held);
        columns.put_same("query_terms", question.terms.len() as f64);
        columns.put_same("query_idf", held.idf.iter().sum());
        columns.put_same("query_rarest", held.idf.iter().copied().fold(0.0, f64::max));
        columns.put_same("query_unknown", held.unknown);
        columns.put_same("query_asks_when", truth(question.asks_when));
        columns.put_same("query_names", truth(self.about.contains(&true)));
        let times = question.times.as_ref().is_some_and(|times| !times.expressions.is_empty());
        columns.put_same("query_dates", truth(times || !question.dates.is_empty()));
        columns.put_same("history", (self.ground.context.candidate_count() as f64).ln());
        let total = |i: usize| self.best.get(i).map(|&i| self.ground.totals[i]);
        let lead = total(0).zip(total(1)).map_or(0.0, |(first, second)| (first - second) / self.over);
        columns.put_same("lead", lead);
        let coverage = |text: u32| held.coverage(held.text(text));
        let most = |by: &dyn Fn(u32) -> bool| {
            self.texts.iter().filter(|text| by(**text)).map(|&text| coverage(text)).fold(0.0, f64::max)
        };
        columns.put_same("best_coverage", most(&|_| true));
        let cosine = |text: &u32| self.cosines.zip(self.place(*text)).map(|(cosines, place)| cosines[place]);
        let best = self.texts.iter().filter_map(cosine).reduce(f64::max);
        columns.put("best_dense", best.map(|best| std::iter::repeat_n(best, self.texts.len())));
        let named = most(&|text| self.said_by_named(text) == 1.0);
        let others = most(&|text| self.said_by_named(text) == -1.0);
        columns.put_same("named_hold", named);
        columns.put_same("others_hold", others - named);
        columns.put_same("best_total", total(0).map_or(0.0, |first| (first - self.mean) / self.over));
        self.cues(columns);
        let has_cue = index.cues().map(|cues| self.each(|text| truth(cues.questions().terms_of(text) > 0)));
        columns.put("has_cue", has_cue.flatten());
    }
}

impl Features<'_> {
    fn cues(&self, columns: &mut Columns) {
        let (context, held) = (self.ground.context, &self.held);
        let postings = context.index.postings();
        let overlap = |text: u32| held.overlap(held.text(text), postings.terms_of(text), postings);
        columns.put("overlap", self.each(overlap));
        let cues = context.index.cues().map(|cues| HeldByCues::of(context, cues, held));
        let of_text = |value: &dyn Fn(&HeldByCues, u32) -> f64| {
            cues.as_ref().map(|cues| self.texts.iter().map(|&text| value(cues, text)).collect::<Vec<f64>>())
        };
        columns.put("cue_overlap", of_text(&|cues, text| cues.overlap[text as usize]));
        columns.put(
            "coverage_with_cues",
            of_text(&|cues, text| held.coverage(held.text(text) | cues.terms[text as usize])),
        );
        let best = leg(self.ground.table, "cue_dense").and_then(|filled| Some(filled.column.as_ref()?.scores()));
        for (name, distance) in [("cue_dense_before", -1), ("cue_dense_after", 1)] {
            let of_neighbour = |text: &u32| self.neighbour(*text, distance).and_then(|other| self.place(other));
            let value = |best: &[f64], text: &u32| of_neighbour(text).map_or(0.0, |at| best[at]);
            columns.put(name, best.map(|best| self.texts.iter().map(move |text| value(best, text))));
        }
    }
}

fn leg<'t>(table: &'t SignalTable, name: &str) -> Option<&'t crate::pipeline::signals::Filled> {
    table.columns.iter().find(|filled| filled.leg.name() == name)
}

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// The position after the last text that may be found.
fn context_end(context: SearchContext<'_>) -> f64 {
    context.units().last().map_or(1.0, |&last| f64::from(last) + 1.0)
}
