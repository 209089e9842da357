//! Numbers of a pipeline that are to be chosen: `bm25(k1={0.7, 0.9, 1.2}, turns={0.6..0.9/0.1}:1)`.
//!
//! | written | means |
//! |---|---|
//! | `{0.7, 0.9, 1.2}` in the place of a number, or of a part of a word (`top{1, 3}`) | one of these |
//! | `{0.5..0.9/0.1}` | 0.5 to 0.9 by 0.1, both ends among them |
//! | `{0.7, 0..1/0.05}` | both kinds together; a value named again counts once, so that the first may be put in front |
//! | `loco` as the first argument of `zscore` or `minmax` | `{0..1/0.05}` |
//! | `loco` as the first argument of `rrf` | `60, a, 1 - a` with `a` from the same |

use std::iter;

/// The weights that `loco` stands for.
const WEIGHTS: &str = "{0..1/0.05}";

/// A range that is longer has a step that was not meant.
const LONGEST: usize = 1_000;

/// A description with sets of numbers in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// What stands around the sets: one piece more than there are sets.
    text: Vec<String>,
    sets: Vec<Set>,
}

/// The values that one number of a pipeline may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// What the number is: `k1`, `turns=_:1`, `zscore argument 1`.
    pub name: String,
    /// As a description has them; at least one, none twice.
    pub values: Vec<String>,
}

impl Choices {
    /// Reads the sets of a description; what stands around them is for the pipeline's own grammar.
    ///
    /// # Errors
    /// A sentence that names a set with what was found and what was expected.
    pub(super) fn read(described: &str) -> Result<Self, String> {
        let (described, linked) = loco(described);
        let mut choices = Self { text: Vec::new(), sets: Vec::new() };
        let mut rest = described.as_str();
        while let Some((before, opened)) = rest.split_once('{') {
            let (inside, after) =
                opened.split_once('}').ok_or_else(|| format!("the set {{{opened} does not end in }}"))?;
            choices.text.push(text(before)?);
            choices.sets.push(Set { name: String::new(), values: values(inside)? });
            rest = after;
        }
        choices.text.push(text(rest)?);
        for place in 0..choices.sets.len() {
            choices.sets[place].name = choices.name(place);
        }
        if let Some(set) = linked {
            let shares = |weight: &String| Some(format!("60, {weight}, {}", 1.0 - weight.parse::<f64>().ok()?));
            choices.sets[set].values = choices.sets[set].values.iter().filter_map(shares).collect();
        }
        Ok(choices)
    }

    /// The sets, in the order written.
    pub fn sets(&self) -> &[Set] {
        &self.sets
    }

    /// The description with one value of each set, by place; the first value where a place is not one.
    pub fn describe(&self, configuration: &[usize]) -> String {
        let places = configuration.iter().copied().chain(iter::repeat(0));
        let values = self.sets.iter().zip(places).map(|(set, place)| set.values.get(place).unwrap_or(&set.values[0]));
        let texts = self.text.iter().map(String::as_str);
        texts.zip(values.map(String::as_str).chain(iter::once(""))).flat_map(|(text, value)| [text, value]).collect()
    }

    /// What the number in a set's place is, by the argument it stands in.
    fn name(&self, place: usize) -> String {
        let first = |at: usize| [self.text[at].as_str(), self.sets[at].values[0].as_str()];
        let before: String = (0..place).flat_map(first).chain([self.text[place].as_str()]).collect();
        let behind = place + 1..self.sets.len();
        let after: String = behind.flat_map(first).chain(self.text.last().map(String::as_str)).collect();
        let (start, callee, ordinal) = argument(&before);
        let end = after.find([',', ')']).unwrap_or(after.len());
        match (before[start..].trim(), after[..end].trim()) {
            ("", "") => format!("{callee} argument {ordinal}"),
            (key, "") if key.ends_with('=') => key.trim_end_matches('=').trim_end().to_owned(),
            (before, after) => format!("{before}_{after}"),
        }
    }
}

/// Where the argument that a text ends in starts, what it is an argument of, and which one it is, from 1.
fn argument(before: &str) -> (usize, &str, usize) {
    let (mut depth, mut start, mut ordinal) = (0usize, None, 1);
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' => depth += 1,
            ',' if depth == 0 => {
                ordinal += 1;
                start = start.or(Some(at + 1));
            }
            '(' if depth == 0 => {
                let callee = before[..at].rsplit([',', '(']).next().unwrap_or_default().trim();
                return (start.unwrap_or(at + 1), callee, ordinal);
            }
            '(' => depth -= 1,
            _ => {}
        }
    }
    (start.unwrap_or(0), "pipeline", ordinal)
}

/// The description with a set in the place of `loco`, and whether its values are linked weights.
fn loco(described: &str) -> (String, Option<usize>) {
    let Some((outer, (first, rest))) =
        described.split_once('(').and_then(|(name, rest)| Some((name, rest.split_once(',')?)))
    else {
        return (described.to_owned(), None);
    };
    match (outer.trim(), first.trim()) {
        ("zscore" | "minmax", "loco") => (format!("{outer}({WEIGHTS},{rest}"), None),
        ("rrf", "loco") => (format!("{outer}({WEIGHTS},{rest}"), Some(0)),
        // The fusion stands within.
        (
            "dated" | "date_boost" | "title_boost" | "reply_boost" | "wish_boost" | "recency_boost" | "mention_boost"
            | "order_boost" | "cued" | "cue_boost",
            _,
        ) => {
            let (inner, linked) = loco(rest);
            (format!("{outer}({first},{inner}"), linked.map(|set| set + first.matches('{').count()))
        }
        _ => (described.to_owned(), None),
    }
}

fn text(outside: &str) -> Result<String, String> {
    match outside.contains('}') {
        true => Err("a } closes a set that no { opened".to_owned()),
        false => Ok(outside.to_owned()),
    }
}

fn values(inside: &str) -> Result<Vec<String>, String> {
    let wrong = |why: String| format!("the set {{{inside}}}: {why}");
    if inside.contains('{') {
        return Err(wrong("a set within a set; expected numbers".to_owned()));
    }
    let mut values: Vec<String> = Vec::new();
    for item in inside.split(',').map(str::trim) {
        let found = if item.contains("..") { range(item) } else { number(item).map(|number| vec![number]) };
        for number in found.map_err(wrong)? {
            let value = number.to_string();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    Ok(values)
}

fn number(item: &str) -> Result<f64, String> {
    let number = item.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("found {item:?}; expected numbers separated by commas, or a range as in 0.5..0.9/0.1"))
}

/// From, to and step in whole units of the last decimal: 3 times 0.05 must print as 0.15.
fn range(item: &str) -> Result<Vec<f64>, String> {
    let wrong = |why: &str| format!("the range {item}: {why}; expected from..to/step, as in 0.5..0.9/0.1");
    let (from, rest) = item.split_once("..").ok_or_else(|| wrong("it has no .."))?;
    let (to, step) = rest.split_once('/').ok_or_else(|| wrong("it has no step"))?;
    let parts = [from, to, step].map(str::trim);
    let decimals = parts.iter().map(|part| part.split_once('.').map_or(0, |(_, decimals)| decimals.len())).max();
    let unit = 10f64.powi(decimals.unwrap_or(0).min(9) as i32);
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_digit() || c == '.');
    let [from, to, step] = parts.map(|part| part.parse::<f64>().ok().filter(|_| plain(part)));
    let (Some(from), Some(to), Some(step)) = (from, to, step) else {
        return Err(wrong("one of its three is no plain number from 0"));
    };
    let [from, to, step] = [from, to, step].map(|part| (part * unit).round());
    let steps = (to - from) / step;
    match steps {
        _ if step == 0.0 => Err(wrong("its step is 0")),
        _ if steps < 0.0 => Err(wrong("it ends before it begins")),
        _ if steps > LONGEST as f64 => Err(wrong(&format!("it has more than {LONGEST} steps"))),
        _ if steps.fract() != 0.0 => Err(wrong("its steps do not arrive at its end")),
        _ => Ok((0..=steps as u32).map(|taken| (from + step * f64::from(taken)) / unit).collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::experiments::tuning::alphas;

    fn read(described: &str) -> Vec<(String, String)> {
        let choices = Choices::read(described).unwrap();
        choices.sets.into_iter().map(|set| (set.name, set.values.join(" "))).collect()
    }

    #[test]
    fn sets_are_named_by_what_they_stand_in() {
        let described = "zscore({0.5..0.7/0.1}, bm25(paper-2606, k1 = {0.7,0.9}, turns={0.6}:{1,2}), dense(top{1,3}))";
        let named = [
            ("zscore argument 1", "0.5 0.6 0.7"),
            ("k1", "0.7 0.9"),
            ("turns=_:1", "0.6"),
            ("turns=0.6:_", "1 2"),
            ("top_", "1 3"),
        ];
        assert_eq!(read(described), named.map(|(name, values)| (name.to_owned(), values.to_owned())));
        let choices = Choices::read(described).unwrap();
        assert_eq!(
            choices.describe(&[2, 0, 0, 1, 1]),
            "zscore(0.7, bm25(paper-2606, k1 = 0.7, turns=0.6:2), dense(top3))"
        );
        assert_eq!(choices.describe(&[]), "zscore(0.5, bm25(paper-2606, k1 = 0.7, turns=0.6:1), dense(top1))");
        assert_eq!(read("rrf(60, {1}, {2, 1}, bm25, dense)")[1].0, "rrf argument 3");
    }

    #[test]
    fn the_first_may_be_put_in_front_of_a_range() {
        assert_eq!(read("bm25(k1={0.9, 0.3..1.2/0.3, 0.90})")[0].1, "0.9 0.3 0.6 1.2");
        assert_eq!(read("bm25(half_length={100..100/50,1e3})")[0].1, "100 1000");
    }

    #[test]
    fn loco_is_a_set_of_weights() {
        let weights: Vec<String> = alphas().map(|alpha| alpha.to_string()).collect();
        for (described, first) in [
            ("zscore(loco, bm25, dense)", "zscore(0.05, bm25, dense)"),
            ("minmax( loco , bm25, dense)", "minmax(0.05, bm25, dense)"),
            ("rrf(loco, bm25, dense)", "rrf(60, 0.05, 0.95, bm25, dense)"),
            ("date_boost(2, zscore(loco, bm25, dense))", "date_boost(2, zscore(0.05, bm25, dense))"),
        ] {
            let choices = Choices::read(described).unwrap();
            assert_eq!((choices.sets.len(), choices.sets[0].values.len()), (1, weights.len()));
            assert_eq!(choices.describe(&[1]), first);
        }
        assert_eq!(Choices::read("zscore(loco, bm25, dense)").unwrap().sets[0].values, weights);
        assert!(Choices::read("dense(loco, max)").unwrap().sets.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (described, named) in [
            ("bm25(k1={0.9)", "the set {0.9) does not end"),
            ("bm25(k1=0.9})", "no { opened"),
            ("bm25(k1={0.9}})", "no { opened"),
            ("bm25(k1={{0.9}})", "a set within a set"),
            ("bm25(k1={})", "found \"\""),
            ("bm25(k1={0.9,})", "found \"\""),
            ("bm25(k1={0.9; 1.2})", "found \"0.9; 1.2\""),
            ("dense({max})", "found \"max\""),
            ("bm25(k1={inf})", "found \"inf\""),
            ("bm25(k1={1..2})", "it has no step"),
            ("bm25(k1={1..2/0})", "its step is 0"),
            ("bm25(k1={1..2/0.3})", "do not arrive"),
            ("bm25(k1={2..1/0.5})", "ends before it begins"),
            ("bm25(k1={0..1/0.0005})", "more than 1000 steps"),
            ("bm25(k1={-1..1/1})", "plain number"),
            ("bm25(k1={1..2/x})", "plain number"),
            ("bm25(k1={...})", "no step"),
        ] {
            let error = Choices::read(described).unwrap_err();
            assert!(error.contains(named), "{described}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "[a-z0-9=(){},./: ä-]{0,40}") {
            if let Ok(choices) = Choices::read(&text) {
                let described = choices.describe(&[0]);
                prop_assert!(!described.contains(['{', '}']), "{}", described);
            }
        }

        #[test]
        fn a_range_has_the_numbers_that_are_written(from in 0u32..50, steps in 0u32..20, step in 1u32..30) {
            let written = |hundredths: u32| format!("{}.{:02}", hundredths / 100, hundredths % 100);
            let text = format!("{}..{}/{}", written(from), written(from + steps * step), written(step));
            let expected: Vec<f64> = (0..=steps).map(|i| written(from + i * step).parse().unwrap()).collect();
            prop_assert_eq!(range(&text).unwrap(), expected);
        }
    }
}
