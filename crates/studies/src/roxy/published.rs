//! Figures of the paper, in per cent, with its columns in its order.

/// LoCoMo's categories in the order of the paper's columns.
pub(super) const CATEGORIES: [&str; 5] = ["single-hop", "multi-hop", "temporal", "open-domain", "adversarial"];

/// A row of a table: by category, and overall.
pub(super) type Row = (&'static str, [f64; 5], f64);

/// Table 1: sessions, Recall@5.
pub(super) const SESSIONS: [Row; 5] = [
    ("RAG baseline, DPR (paper)", [15.7, 31.4, 15.4, 15.4, 34.9], 26.5),
    ("MemInsight, Claude 3 Sonnet, priority (paper)", [39.7, 75.1, 32.6, 70.9, 49.7], 60.5),
    ("ROXY concat, relevance reranker (paper)", [93.0, 66.2, 89.4, 62.5, 89.7], 86.5),
    ("ROXY multivec, judge (paper)", [94.0, 72.4, 93.4, 67.3, 85.9], 87.8),
    ("ROXY concat, judge (paper)", [94.7, 74.7, 94.1, 64.6, 89.9], 89.3),
];

/// Table 3: turns, Recall@5. Its columns do not fit those of Table 1 (a multi-hop question found more often than one
/// of a single hop), so that only the last one is compared.
pub(super) const TURNS: [(&str, f64); 4] = [
    ("without cues and judge (paper)", 55.6),
    ("with judge only (paper)", 70.9),
    ("with cues only (paper)", 60.0),
    ("with both (paper)", 71.9),
];

/// Section 4.4: turns, Recall@40 of concat before the judge.
pub(super) const CEILING: f64 = 83.0;

/// Table 2: F1 of answers from five memories.
pub(super) const ANSWERS: Row = ("ROXY concat, Claude 3 Sonnet (paper)", [37.9, 27.6, 17.0, 14.4, 79.2], 41.2);
