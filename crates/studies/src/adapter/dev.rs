//! What a training looks at to choose its step: one set a genre, none of whose questions is learned from.

use aforesaid::models::training::TrainingSet;

use super::{dialogues, longmemeval, realmem};
use crate::{ShippableData, StudyError};

/// The dev sides of several genres, one set each: conversations of people and chats with an assistant, both of the dialogues;
/// the RealMem persona Sophie; and the held-out questions on LongMemEval's distractors.
///
/// The turns of the dialogues are learned from, their dev questions are not. Nothing of LoCoMo or BEAM is read, and no test
/// side. A passage is a whole turn, of which the encoder reads as much as it may.
///
/// # Errors
/// When the files of a folder that is there cannot be read. A data set whose folder is not there is left out.
pub fn adapter_dev_sets(sources: ShippableData<'_>) -> Result<Vec<TrainingSet>, StudyError> {
    let [mut people, mut assistants] =
        ["people", "assistants"].map(|name| TrainingSet { name: name.to_owned(), ..TrainingSet::default() });
    for conversation in dialogues::dev(sources.dialogues)? {
        let genre = if conversation.has_assistant { &mut assistants } else { &mut people };
        append(conversation.set, genre);
    }
    let mut sets = vec![people, assistants];
    let realmem = sources.data.join("realmem");
    if realmem.is_dir() {
        sets.extend(realmem::dev(&realmem)?);
    }
    let longmemeval = sources.data.join("longmemeval");
    if longmemeval.is_dir() {
        sets.extend(longmemeval::dev(&longmemeval, &sources.cues.join("longmemeval"))?);
    }
    sets.retain(|set| !set.pairs.is_empty());
    Ok(sets)
}

/// Adds the passages and pairs of a set to another, among whose passages its questions are then asked.
fn append(set: TrainingSet, to: &mut TrainingSet) {
    let first = to.passages.len();
    to.passages.extend(set.passages);
    to.pairs.extend(set.pairs.into_iter().map(|mut pair| {
        pair.passage += first;
        pair.also.iter_mut().for_each(|place| *place += first);
        pair
    }));
}

#[cfg(test)]
mod tests {
    use aforesaid::models::training::TrainingPair;

    use super::*;

    #[test]
    fn places_move_with_their_passages() {
        let set = |texts: &[&str], passage: usize, also: &[usize]| TrainingSet {
            passages: texts.iter().map(|text| vec![(*text).to_owned()]).collect(),
            pairs: vec![TrainingPair { questions: vec!["q".to_owned()], passage, also: also.to_vec() }],
            ..TrainingSet::default()
        };
        let mut all = set(&["a", "b"], 1, &[]);
        append(set(&["c", "d", "e"], 0, &[2]), &mut all);
        assert_eq!(all.passages.concat(), ["a", "b", "c", "d", "e"]);
        assert_eq!((all.pairs[0].passage, all.pairs[1].passage, all.pairs[1].also.as_slice()), (1, 2, [4].as_slice()));
    }
}
