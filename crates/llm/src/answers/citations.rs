//! The memories an answer cites.

use std::collections::BTreeSet;

use aforesaid_core::types::Timestamp;

use crate::quoted::label;

/// The ids in square brackets in an answer that are among the `given` ones, each once, in the order of citing.
///
/// A bracket may hold several, separated by commas or semicolons: `[D1:3, D2:4]`. An id that was not given is a
/// model's invention and is left out.
pub fn citations(answer: &str, given: &[&str]) -> Vec<String> {
    let mut labels: Vec<_> = given.iter().map(|id| (label(id), *id)).collect();
    // Of two ids, one the beginning of the other, the longer one is meant where it fits.
    labels.sort_by_key(|(label, _)| std::cmp::Reverse(label.len()));
    let mut cited: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    let mut rest = answer;
    while let Some(open) = rest.find('[') {
        let (ids, after) = ids_in(&rest[open + 1..], &labels);
        cited.extend(ids.into_iter().filter(|id| known.insert(*id)).map(str::to_owned));
        rest = after;
    }
    cited
}

/// What an answer cites in square brackets as ids are written, and was not `given`: each once, in the order of citing.
///
/// An id has a digit and no white space, is no date, and is no longer than 64 characters.
pub fn not_given(answer: &str, given: &[&str]) -> Vec<String> {
    let known: BTreeSet<String> = given.iter().map(|id| label(id)).collect();
    let is_id = |part: &&str| {
        let has_digit = part.bytes().any(|byte| byte.is_ascii_digit());
        has_digit && part.len() <= 64 && !part.contains(char::is_whitespace) && part.parse::<Timestamp>().is_err()
    };
    let mut found: Vec<String> = Vec::new();
    let brackets = answer.split('[').skip(1).filter_map(|after| after.split_once(']'));
    for part in brackets.flat_map(|(within, _)| within.split([',', ';']).map(str::trim)).filter(is_id) {
        if !known.contains(part) && !found.iter().any(|known| known == part) {
            found.push(part.to_owned());
        }
    }
    found
}

/// The known ids in a bracket that has just been opened, and what follows it; none if it is not closed.
///
/// A bracket within a known id opens nothing, so that no part of an answer is read twice.
fn ids_in<'a, 't>(mut rest: &'t str, labels: &[(String, &'a str)]) -> (Vec<&'a str>, &'t str) {
    let mut ids = Vec::new();
    loop {
        rest = rest.trim_start();
        let known = labels.iter().find_map(|(label, id)| {
            let after = rest.strip_prefix(label.as_str())?.trim_start();
            after.starts_with([',', ';', ']']).then_some((*id, after))
        });
        if let Some((id, after)) = known {
            ids.push(id);
            rest = after;
        }
        match rest.find([',', ';', '[', ']']).map(|end| rest.split_at(end)) {
            Some((_, after)) if after.starts_with([',', ';']) => rest = &after[1..],
            Some((_, after)) if after.starts_with(']') => return (ids, after),
            Some((_, after)) => return (Vec::new(), after),
            None => return (Vec::new(), ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_given_are_found_once_in_order() {
        let given = ["D1:3", "D2:4", "D1:30", "a", "a, b"];
        for (answer, expected) in [
            ("Red [D2:4], bought in May [D1:3]. Really [D2:4].", vec!["D2:4", "D1:3"]),
            ("Red [D1:3, D2:4; D9:9 ,D1:30].", vec!["D1:3", "D2:4", "D1:30"]),
            ("Red [ D1:3 ].", vec!["D1:3"]),
            ("Red [D1:30].", vec!["D1:30"]),
            ("[a, b] and [[D2:4]] and [D9:9]", vec!["a, b", "D2:4"]),
            ("D1:3 (D2:4) [D1:3 [see D2:4] {D1:3}", vec![]),
            ("[D1:300] [D1] [D1:3", vec![]),
            ("Not mentioned.", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(citations(answer, &given), expected, "{answer}");
        }
        assert!(citations("[]", &[""]).is_empty() && citations("[D1:3]", &[]).is_empty());
    }

    #[test]
    fn ids_that_were_not_given_are_named_once() {
        let given = ["D1:3", "D2:4"];
        let answer = "Red [D2:4], since May [S99:1; D1:3]. Really [S99:1], as [he said] in [2024-05-01].";
        assert_eq!(not_given(answer, &given), ["S99:1"]);
        assert!(not_given("Red [D2:4]. [", &given).is_empty());
    }

    #[test]
    fn an_id_shown_as_json_is_cited_as_such() {
        let given = ["x] [y\n", "<z>"];
        assert_eq!(citations(r#"Yes ["x] [y\n", "\u003cz>"]."#, &given), given);
    }

    /// Where an id holds a bracket, an answer was read again from each such bracket to its end.
    #[test]
    fn a_bracket_within_an_id_opens_nothing() {
        let given = ["x[", "b"];
        assert_eq!(citations(r#"["x[", b]"#, &given), given);
        assert_eq!(citations(r#"["x[", b [b]"#, &given), ["b"]);
        for end in ["", "[", "]"] {
            let answer = format!("[{}{end}", r#""x[","#.repeat(200_000));
            assert_eq!(citations(&answer, &given).len(), usize::from(end == "]"), "{end}");
        }
    }

    proptest! {
        #[test]
        fn only_given_ids_are_returned_and_each_once(answer in "[\\[\\],; D1-3:\"\\\\]{0,60}", given in prop::collection::vec("D[1-3]:[1-3]", 0..4)) {
            let given: Vec<_> = given.iter().map(String::as_str).collect();
            let mut cited = citations(&answer, &given);
            prop_assert!(cited.iter().all(|id| given.contains(&id.as_str()) && answer.contains(id)));
            let found = cited.len();
            cited.sort();
            cited.dedup();
            prop_assert_eq!(cited.len(), found);
        }

        #[test]
        fn whatever_is_cited_is_found(ids in prop::collection::btree_set(".{1,8}", 1..4)) {
            let given: Vec<_> = ids.iter().map(String::as_str).collect();
            let answer = format!("Yes [{}].", given.iter().map(|id| label(id)).collect::<Vec<_>>().join(", "));
            let mut cited = citations(&answer, &given);
            cited.sort();
            // Of ids that hold commas, one may be the other's beginning: all are found where none does.
            if !ids.iter().any(|id| label(id).contains([',', ';', '[', ']'])) {
                prop_assert_eq!(cited, given);
            }
        }
    }
}
