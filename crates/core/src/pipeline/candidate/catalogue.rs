//! The features of a candidate, by name.

/// A number about a candidate of one query, and what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// Its name, as models record it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
}

const fn feature(name: &'static str, doc: &'static str) -> Feature {
    Feature { name, doc }
}

/// A score, and how it compares with those of the other candidates.
macro_rules! compared {
    ($name:literal, $doc:literal) => {
        [
            feature($name, $doc),
            feature(concat!($name, ".rank"), concat!("logarithm of the rank by ", $name)),
            feature(concat!($name, ".gap"), concat!("distance to the best ", $name, ", in standard deviations")),
            feature(concat!($name, ".z"), concat!($name, " above the mean, in standard deviations")),
        ]
    };
}

/// Scores that are compared: those of the first stage and its legs, and three by the candidate's own words.
const COMPARED: [[Feature; 4]; 8] = [
    compared!("total", "score of the first stage"),
    compared!("lexical", "score of the lexical leg"),
    compared!("dense", "cosine of the text and the query"),
    compared!("cue_bm25", "best cue question by BM25"),
    compared!("cue_dense", "best cue question by cosine"),
    compared!("turn_bm25", "lexical score without the session's"),
    compared!("own_bm25", "BM25 of the text's own words"),
    compared!("coverage", "share of the query's terms that the text holds, by idf, names of speakers aside"),
];

const PLAIN: [Feature; 69] = [
    feature("date_match", "fit of its time and the dates the query names"),
    feature("title_match", "fit of its session's title and the query"),
    feature("reply_match", "how much the question it answers is like the query"),
    feature("time_order", "place in time, where the query asks for the newest or the oldest"),
    feature("coverage_all", "share of all the query's terms that the text holds, by idf"),
    feature("coverage_before", "share of the terms that the text before holds, by idf"),
    feature("coverage_after", "share of the terms that the text after holds, by idf"),
    feature("coverage_near", "share of the terms that it and two texts on both sides hold, by idf"),
    feature("coverage_session", "share of the terms that its session holds, by idf"),
    feature("terms_held", "how many of the query's terms it holds"),
    feature("rarest_held", "largest idf of a term that it holds"),
    feature("holds_rarest", "whether it holds the query's rarest known term"),
    feature("near_rarest", "whether it or two texts on both sides hold that term"),
    feature("bigrams_held", "pairs of neighbouring query terms that stand side by side in it"),
    feature("density", "share of its terms that are the query's"),
    feature("bm25_before", "BM25 of the text before"),
    feature("bm25_after", "BM25 of the text after"),
    feature("bm25_session", "largest BM25 of a text of its session"),
    feature("session_part", "lexical score that comes from the session"),
    feature("dense_before", "cosine of the text before"),
    feature("dense_after", "cosine of the text after"),
    feature("dense_near", "largest cosine of two texts on both sides"),
    feature("dense_session", "largest cosine of a text of its session"),
    feature("dense_session_mean", "mean cosine of the texts of its session"),
    feature("like_first", "cosine of the text and the first candidate"),
    feature("like_best", "mean cosine of the text and the first five candidates, itself aside"),
    feature("like_best_most", "largest of these"),
    feature("total_before", "score of the text before, as a gap to the best"),
    feature("total_after", "score of the text after, as a gap to the best"),
    feature("total_session", "best score of its session, as a gap to the best"),
    feature("session_rank", "rank of its session by its best score, as a logarithm"),
    feature("rank_in_session", "its rank among the candidates of its session, as a logarithm"),
    feature("session_in_10", "how many of the first ten are of its session"),
    feature("session_in_50", "how many of the first fifty are of its session"),
    feature("near_in_20", "how many of the first twenty stand within three places of it"),
    feature("length", "logarithm of its terms"),
    feature("relative_length", "its terms as a multiple of the mean"),
    feature("asking", "share of it that asks"),
    feature("asking_before", "share of the text before that asks"),
    feature("asking_after", "share of the text after that asks"),
    feature("tells_when", "whether it names a time"),
    feature("tells_asked", "whether it names a time and the query asks for one"),
    feature("place", "its place in its session, as a logarithm"),
    feature("place_share", "its place in its session, from 0 to 1"),
    feature("session_length", "texts of its session, as a logarithm"),
    feature("recency", "its place in the history, from 0 to 1"),
    feature("said_by_named", "1 where somebody the query is about said it, -1 where another did, 0 where nobody is"),
    feature("said_by_assistant", "whether an assistant said it"),
    feature("same_before", "whether the same speaker said the text before"),
    feature("query_terms", "how many terms the query has"),
    feature("query_idf", "sum of the idf of its known terms"),
    feature("query_rarest", "largest idf of a known term"),
    feature("query_unknown", "share of its terms that nobody said"),
    feature("query_asks_when", "whether it asks for a time"),
    feature("query_names", "whether it is about a speaker"),
    feature("query_dates", "whether it names a date"),
    feature("history", "logarithm of the texts searched"),
    feature("lead", "how far the first candidate is ahead of the second, in standard deviations"),
    feature("best_coverage", "largest coverage of a candidate"),
    feature("best_dense", "largest cosine of a candidate"),
    feature("named_hold", "largest coverage by somebody the query is about"),
    feature("others_hold", "how much more another speaker's best text holds than theirs"),
    feature("best_total", "score of the first candidate above the mean, in standard deviations"),
    feature("overlap", "terms it shares with the query as a share of both, by idf"),
    feature("cue_overlap", "the same of its best cue question"),
    feature("coverage_with_cues", "share of the terms that it or its cue questions hold, by idf"),
    feature("cue_dense_before", "best cosine of a cue question of the text before"),
    feature("cue_dense_after", "best cosine of a cue question of the text after"),
    feature("has_cue", "whether it has a cue question, where there are some"),
];

/// Changes with the meaning of any feature: a ranker reads the features it was trained on.
pub const FEATURES_VERSION: u32 = 1;

/// How many there are.
pub const FEATURE_COUNT: usize = COMPARED.len() * 4 + PLAIN.len();

/// All features, in the order of their values.
pub const FEATURES: [Feature; FEATURE_COUNT] = {
    let mut all = [PLAIN[0]; FEATURE_COUNT];
    let mut at = 0;
    while at < FEATURE_COUNT {
        let compared = COMPARED.len() * 4;
        all[at] = if at < compared { COMPARED[at / 4][at % 4] } else { PLAIN[at - compared] };
        at += 1;
    }
    all
};
