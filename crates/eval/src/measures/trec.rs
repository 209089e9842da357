//! The text formats of `trec_eval`, for runs and for qrels.
//!
//! Columns are separated by white space; blank lines and a byte order mark are skipped.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};

use super::{Qrels, Run, TrecError, run::in_range};

const RUN_LINE: &str = "question Q0 unit rank score tag";
const QRELS_LINE: &str = "question 0 unit grade";

impl Run {
    /// Reads a run in the order in which `trec_eval` ranks it.
    ///
    /// That is by score, ties by unit id, both descending, ids by their bytes;
    /// the rank column is ignored. `trec_eval` keeps a score as a 32-bit float,
    /// so scores that differ only beyond that tie, and so they do here:
    /// the scores of the run are those floats.
    ///
    /// # Errors
    /// When a line is not `question Q0 unit rank score tag`, a unit stands twice
    /// under a question, the tag changes, or there is no line.
    pub fn from_trec(text: &str) -> Result<Self, TrecError> {
        let mut tag = None;
        let mut rankings: Vec<(&str, Vec<(&str, f32)>)> = Vec::new();
        let mut places = HashMap::new();
        let mut seen = HashSet::new();
        for (line, text) in lines(text) {
            let [question, _, unit, _, score, found] = columns(line, text, RUN_LINE)?;
            let expected = *tag.get_or_insert(found);
            if found != expected {
                return Err(TrecError::Tag { line, found: found.into(), expected: expected.into() });
            }
            if !seen.insert((question, unit)) {
                return Err(TrecError::Repeated { line, question: question.into(), unit: unit.into() });
            }
            let place = *places.entry(question).or_insert(rankings.len());
            if place == rankings.len() {
                rankings.push((question, Vec::new()));
            }
            rankings[place].1.push((unit, parse_score(line, score)?));
        }
        let Some(tag) = tag else { return Err(TrecError::Empty { expected: RUN_LINE }) };
        let mut run = Run::empty(tag.into());
        for (question, mut ranking) in rankings {
            ranking.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(a.0)));
            let ranking = ranking.into_iter().map(|(unit, score)| (unit.to_owned(), f64::from(score)));
            run.insert(question.into(), ranking.collect());
        }
        Ok(run)
    }

    /// Writes the run so that any reader sees its order, whatever it does with ties and ranks.
    ///
    /// Where a score would not be below the one before it as a 32-bit float, the
    /// next smaller float is written instead; all others are written in full.
    /// A question with an empty ranking has no line. White space in the name, which a pipeline's text has, is left out.
    ///
    /// # Errors
    /// When an id contains white space or a control character, or scores tie at
    /// the very bottom of the floats.
    pub fn to_trec(&self) -> Result<String, TrecError> {
        let tag: String = self.name().chars().filter(|c| !c.is_whitespace()).collect();
        let tag = writable("tag", &tag)?;
        let mut text = String::new();
        for (question, ranking) in self.rankings() {
            let question = writable("question", question)?;
            let mut before = f32::INFINITY;
            for (rank, (unit, score)) in (1..).zip(ranking) {
                let unit = writable("unit", unit)?;
                let score = if (*score as f32) < before { *score } else { f64::from(before.next_down()) };
                if !score.is_finite() {
                    return Err(TrecError::NoScoreLeft { question: question.into(), unit: unit.into() });
                }
                before = score as f32;
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{question} Q0 {unit} {rank} {score:?} {tag}");
            }
        }
        Ok(text)
    }
}

impl Qrels {
    /// Reads qrels; questions stand in the order of their first line.
    ///
    /// A unit is gold when its grade is above 0. Questions without gold are
    /// [`Qrels::excluded`].
    ///
    /// # Errors
    /// When a line is not `question 0 unit grade` with a whole grade from 0, a unit
    /// stands twice under a question, or there is no line.
    pub fn from_trec(text: &str) -> Result<Self, TrecError> {
        let mut qrels = Qrels::default();
        let mut seen = HashSet::new();
        for (line, text) in lines(text) {
            let [question, _, unit, grade] = columns(line, text, QRELS_LINE)?;
            if !seen.insert((question, unit)) {
                return Err(TrecError::Repeated { line, question: question.into(), unit: unit.into() });
            }
            let grade = grade.parse().map_err(|_| TrecError::Number {
                line,
                column: "grade",
                found: grade.into(),
                expected: "a whole number from 0, where 0 is not relevant",
            })?;
            qrels.judge(question, unit.into(), grade);
        }
        if seen.is_empty() {
            return Err(TrecError::Empty { expected: QRELS_LINE });
        }
        Ok(qrels)
    }

    /// Writes all that was judged, with its grades; [`Qrels::add`] judges with grade 1.
    ///
    /// # Errors
    /// When an id contains white space or a control character.
    pub fn to_trec(&self) -> Result<String, TrecError> {
        let mut text = String::new();
        for judged in self.judged() {
            let question = writable("question", &judged.question)?;
            for (unit, grade) in &judged.grades {
                let unit = writable("unit", unit)?;
                let _ = writeln!(text, "{question} 0 {unit} {grade}");
            }
        }
        Ok(text)
    }
}

/// Lines that are not blank, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

fn columns<'t, const N: usize>(line: usize, text: &'t str, expected: &'static str) -> Result<[&'t str; N], TrecError> {
    const SHOWN: usize = 100;
    let columns: Vec<&str> = text.split_ascii_whitespace().collect();
    let found = columns.len();
    columns.try_into().map_err(|_| TrecError::Columns {
        line,
        text: text.trim().chars().take(SHOWN).collect(),
        found,
        expected,
    })
}

fn parse_score(line: usize, found: &str) -> Result<f32, TrecError> {
    match found.parse::<f64>() {
        // -0.0 becomes 0.0, so that the two tie.
        Ok(score) if in_range(score) => Ok(score as f32 + 0.0),
        _ => Err(TrecError::Number {
            line,
            column: "score",
            found: found.into(),
            expected: "a number from -3.4e38 to 3.4e38",
        }),
    }
}

fn writable<'i>(what: &'static str, id: &'i str) -> Result<&'i str, TrecError> {
    if id.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(TrecError::Unwritable { what, id: id.into() });
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn units(run: &Run, question: &str) -> Vec<String> {
        run.ranking(question).unwrap().iter().map(|(unit, _)| unit.clone()).collect()
    }

    fn refused(text: &str) -> String {
        Run::from_trec(text).unwrap_err().to_string()
    }

    #[test]
    fn a_run_is_read_as_trec_eval_ranks_it() {
        let text = "\u{feff}q2 Q0 s1 1 0.5 words\r\n\r\n\
                    q1\tQ0\ts1\t1\t-3\twords\r\n\
                    q2 Q0 s3 9 0.50000000001 words\n  \n\
                    q2 Q0 s2 1 0.5 words\n\
                    q2 Q0 s9 4 2e-1 words\n\
                    q2 Q0 z 4 -0 words\n\
                    q2 Q0 \u{e9} 4 0 words";
        let run = Run::from_trec(text).unwrap();
        assert_eq!(run.name(), "words");
        assert_eq!(run.rankings().map(|(question, _)| question).collect::<Vec<_>>(), ["q2", "q1"]);
        // The third score is larger only beyond a 32-bit float.
        assert_eq!(units(&run, "q2"), ["s3", "s2", "s1", "s9", "\u{e9}", "z"]);
        assert_eq!(run.ranking("q1").unwrap(), [("s1".to_owned(), -3.0)]);
    }

    #[test]
    fn a_tie_beyond_a_float_goes_to_the_larger_id() {
        let run = Run::from_trec("q Q0 s1 1 0.50000000001 t\nq Q0 s2 2 0.5 t").unwrap();
        assert_eq!(units(&run, "q"), ["s2", "s1"]);
    }

    #[test]
    fn a_bad_line_is_named() {
        let good = "q1 Q0 s1 1 0.5 words\n";
        assert_eq!(
            refused(&format!("{good}\nq1 Q0 the unit 2 0.4 words")),
            "line 3: 7 columns in \"q1 Q0 the unit 2 0.4 words\"; expected `question Q0 unit rank score tag`, \
             separated by white space; mend the line, and see that no id contains white space"
        );
        for score in ["high", "NaN", "inf", "1e39", "0,5"] {
            assert_eq!(
                refused(&format!("{good}q1 Q0 s2 2 {score} words")),
                format!("line 2: score {score:?}; expected a number from -3.4e38 to 3.4e38; mend the line")
            );
        }
        assert!(refused(&format!("{good}q1 Q0 s1 2 0.4 words")).starts_with("line 2: question \"q1\" has unit \"s1\""));
        assert!(
            refused(&format!("{good}q1 Q0 s2 2 0.4 other")).starts_with("line 2: tag \"other\"; expected \"words\"")
        );
        assert!(refused(" \n\n").starts_with("no line that is not blank; expected lines of `question Q0 unit"));
    }

    #[test]
    fn qrels_read_and_write_back() {
        let text = "q2 0 s1 0\nq2 0 s2 3\nq1 0 s1 1\nq3 0 s1 0\n";
        let qrels = Qrels::from_trec(text).unwrap();
        assert_eq!(qrels.questions().collect::<Vec<_>>(), ["q2", "q1"]);
        assert_eq!(qrels.excluded().collect::<Vec<_>>(), ["q3"]);
        assert_eq!(qrels.gold("q2").collect::<Vec<_>>(), ["s2"]);
        assert_eq!(qrels.to_trec().unwrap(), text);
    }

    #[test]
    fn lines_of_a_question_may_stand_apart() {
        let qrels = Qrels::from_trec("q1 0 s1 1\nq2 0 s1 1\n\nq1 0 s2 1\r\n").unwrap();
        assert_eq!(qrels.gold("q1").collect::<Vec<_>>(), ["s1", "s2"]);
        assert_eq!(qrels.questions().collect::<Vec<_>>(), ["q1", "q2"]);
    }

    #[test]
    fn a_bad_line_of_qrels_is_named() {
        let refused = |text: &str| Qrels::from_trec(text).unwrap_err().to_string();
        for grade in ["-1", "1.0", "yes"] {
            let message = refused(&format!("q1 0 s1 1\n\nq1 0 s2 {grade}"));
            assert!(message.starts_with(&format!("line 3: grade {grade:?}; expected a whole number")), "{message}");
        }
        assert!(refused("q1 s1 1").starts_with("line 1: 3 columns in \"q1 s1 1\"; expected `question 0 unit grade`"));
        assert!(refused("q1 0 s1 1\nq1 0 s1 1").starts_with("line 2: question \"q1\" has unit \"s1\" a second time"));
        assert!(refused("").contains("is this the right file?"));
    }

    #[test]
    fn a_name_is_written_without_its_white_space() {
        let mut run = Run::new("zscore(bm25, dense(max))").unwrap();
        run.rank("q1", vec![("s1", 1.0)]).unwrap();
        assert_eq!(run.to_trec().unwrap(), "q1 Q0 s1 1 1.0 zscore(bm25,dense(max))\n");
    }

    #[test]
    fn an_id_with_white_space_is_not_written() {
        let message = |name: &str, question: &str, unit: &str| {
            let mut run = Run::new(name).unwrap();
            run.rank(question, vec![(unit, 1.0)]).unwrap();
            run.to_trec().unwrap_err().to_string()
        };
        assert!(message("my\u{7f}run", "q1", "s1").starts_with("tag \"my\\u{7f}run\": white space"));
        assert!(message("words", "q\t1", "s1").starts_with("question \"q\\t1\": white space"));
        assert!(message("words", "q1", "s\u{a0}1").contains("rename it"));
        let mut qrels = Qrels::default();
        qrels.add("q1", ["the session"]).unwrap();
        assert!(qrels.to_trec().unwrap_err().to_string().starts_with("unit \"the session\""));
    }

    #[test]
    fn a_score_is_nudged_only_where_it_ties() {
        let mut run = Run::new("words").unwrap();
        run.rank("q1", vec![("a", 0.1), ("b", 0.1), ("c", 0.05), ("d", 0.0), ("e", 0.0)]).unwrap();
        assert_eq!(
            run.to_trec().unwrap(),
            "q1 Q0 a 1 0.1 words\n\
             q1 Q0 b 2 0.09999999403953552 words\n\
             q1 Q0 c 3 0.05 words\n\
             q1 Q0 d 4 0.0 words\n\
             q1 Q0 e 5 -1.401298464324817e-45 words\n"
        );
    }

    #[test]
    fn ties_at_the_bottom_cannot_be_told_apart() {
        let mut run = Run::new("words").unwrap();
        let bottom = f64::from(f32::MIN);
        run.rank("q1", vec![("a", bottom), ("b", bottom)]).unwrap();
        assert!(run.to_trec().unwrap_err().to_string().starts_with("question \"q1\", unit \"b\": no 32-bit float"));
    }

    fn score() -> impl Strategy<Value = f64> {
        let near = (0.0..1e-6f64).prop_map(|x| 1.0 + x);
        prop_oneof![near, (-3i8..3).prop_map(f64::from), -3e38..3e38, Just(-3e38), -1e-44..1e-44]
    }

    proptest! {
        #[test]
        fn a_written_run_reads_back_in_its_order(
            mut scores in prop::collection::vec(score(), 0..40),
            ids in Just((10..50).collect::<Vec<u8>>()).prop_shuffle(),
        ) {
            scores.sort_by(|a, b| b.total_cmp(a));
            let ranking: Vec<(String, f64)> = ids.iter().map(|id| format!("s{id}")).zip(scores).collect();
            let expected: Vec<String> = ranking.iter().map(|(unit, _)| unit.clone()).collect();
            let mut run = Run::new("words").unwrap();
            run.rank("q0", vec![("s0", 1.0)]).unwrap();
            run.rank("q1", ranking).unwrap();
            let text = run.to_trec().unwrap();
            let read = Run::from_trec(&text).unwrap();
            if !expected.is_empty() {
                prop_assert_eq!(units(&read, "q1"), expected);
            }
            // A reader with doubles sees no tie either.
            let doubles: Vec<f64> =
                text.lines().skip(1).map(|line| line.split(' ').nth(4).unwrap().parse().unwrap()).collect();
            prop_assert!(doubles.is_sorted_by(|a, b| a > b), "{:?}", doubles);
            prop_assert_eq!(read.to_trec().map(|text| Run::from_trec(&text)), Ok(Ok(read)));
        }

        #[test]
        fn no_text_is_a_panic(text in "[q0s1 .\\-e\r\n\t]{0,60}") {
            let _ = Run::from_trec(&text);
            let _ = Qrels::from_trec(&text);
        }
    }
}
