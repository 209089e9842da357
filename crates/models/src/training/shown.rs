//! Which candidates of a question a step of a training shows.

use super::{draws::Draws, evidence::EvidenceSettings};

/// The places of the candidates of a list that a step shows, in ascending order; `gold` tells of each whether it is gold.
pub(super) fn shown(gold: &[bool], settings: &EvidenceSettings, of: [usize; 2]) -> Vec<usize> {
    let places =
        |wanted: bool| gold.iter().enumerate().filter(move |(_, gold)| **gold == wanted).map(|(place, _)| place);
    if gold.len() <= settings.shown {
        return (0..gold.len()).collect();
    }
    let most = settings.shown.max(2);
    let [step, list] = of.map(|number| number as u64);
    let mut draws = Draws::new(settings.seed ^ (step << 32 | list));
    let mut draw = |wanted: bool, count: usize| -> Vec<usize> {
        let places: Vec<usize> = places(wanted).collect();
        draws.order(places.len()).into_iter().take(count).map(|at| places[at]).collect()
    };
    let mut shown = draw(true, most / 2);
    shown.extend(draw(false, most - shown.len()));
    shown.sort_unstable();
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_shows_some_of_each_kind_and_others_in_another_step() {
        let settings = EvidenceSettings { shown: 5, ..EvidenceSettings::default() };
        let gold: Vec<bool> = (0..10).map(|place| [2, 5, 6, 9].contains(&place)).collect();
        let mut seen = [0; 10];
        for step in 0..50 {
            let shown = shown(&gold, &settings, [step, 3]);
            assert_eq!(shown.len(), 5);
            assert!(shown.is_sorted_by(|a, b| a < b), "{shown:?}");
            assert_eq!(shown.iter().filter(|place| gold[**place]).count(), 2, "{shown:?}");
            shown.iter().for_each(|place| seen[*place] += 1);
        }
        assert!(!seen.contains(&0), "{seen:?}");
        assert_eq!(shown(&gold[..5], &settings, [0, 0]), [0, 1, 2, 3, 4]);
        let one = shown(&[false, true, false, false, false, false, false], &settings, [0, 0]);
        assert!(one.contains(&1) && one.len() == 5, "{one:?}");
    }
}
