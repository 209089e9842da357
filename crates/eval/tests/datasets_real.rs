//! The public data sets as they are, where `AFORESAID_DATA` names the folder that holds them.

use std::path::PathBuf;

use aforesaid::types::Granularity;
use aforesaid_eval::datasets::{Benchmark, DataSet, Origin};

use crate::folder::{excluded, question, remarks};

fn data(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("AFORESAID_DATA").map(PathBuf::from).map(|folder| folder.join(name));
    if path.is_none() {
        eprintln!("skipped: AFORESAID_DATA does not name the folder with {name}");
    }
    path
}

fn turns(benchmark: &Benchmark) -> usize {
    benchmark.groups.iter().map(|group| group.memories.len()).sum()
}

#[test]
fn locomo_has_the_published_counts() {
    let Some(path) = data("locomo") else { return };
    for (unit, measured, unresolved) in [(Granularity::Session, 1_978, 6), (Granularity::Turn, 1_977, 9)] {
        let benchmark = DataSet::Locomo.load(&path, unit).unwrap();
        assert_eq!((benchmark.groups.len(), turns(&benchmark)), (10, 5_882));
        assert_eq!((benchmark.questions().count(), benchmark.excluded()), (measured, 1_986 - measured));
        assert_eq!(excluded(&benchmark, "no gold").len(), 4);
        assert_eq!(benchmark.ledger.unresolved.len(), unresolved);
        assert_eq!(remarks(&benchmark, "repeated question").len(), 12);
        assert_eq!(benchmark.ledger.remarks.len(), 1);
        let splits = DataSet::Locomo.splits(&path, &benchmark).unwrap();
        let asked = |group: &String| benchmark.groups.iter().find(|known| known.id == *group).unwrap().questions.len();
        let sizes: Vec<(u64, usize)> =
            splits.by_seed.iter().map(|(seed, split)| (*seed, split.test.iter().map(asked).sum())).collect();
        if unit == Granularity::Turn {
            assert_eq!(sizes, [(7, 938), (11, 1_135), (23, 937), (31, 990), (47, 955)]);
        }
    }
    let fingerprint = DataSet::Locomo.fingerprint(&path).unwrap();
    assert_eq!(fingerprint, DataSet::Locomo.entry().files[0].sha256);
}

#[test]
fn the_audit_corrects_155_of_its_156() {
    let Some(path) = data("locomo") else { return };
    for unit in [Granularity::Session, Granularity::Turn] {
        let benchmark = DataSet::LocomoAudit.load(&path, unit).unwrap();
        assert_eq!(remarks(&benchmark, "gold corrected").len(), 155);
        assert_eq!(remarks(&benchmark, "audited without correct evidence"), ["locomo_6_qa11"]);
        assert_eq!(benchmark.questions().count(), 1_979);
    }
}

#[test]
fn an_official_item_has_its_labelled_sessions_and_turns() {
    let Some(path) = data("longmemeval/official_item_2788b940.json") else { return };
    for (unit, gold) in [(Granularity::Session, 4), (Granularity::Turn, 5)] {
        let benchmark = DataSet::LongMemEval.load(&path, unit).unwrap();
        assert_eq!((turns(&benchmark), benchmark.questions().count()), (475, 1));
        assert_eq!(question(&benchmark, "2788b940::q0").gold.len(), gold);
        assert!(benchmark.ledger.remarks.is_empty() && benchmark.ledger.unresolved.is_empty());
    }
}

#[test]
fn pooled_evidence_has_479_questions_of_which_nine_abstain() {
    let Some(path) = data("longmemeval") else { return };
    for unit in [Granularity::Session, Granularity::Turn] {
        let benchmark = DataSet::LongMemEvalPooled.load(&path, unit).unwrap();
        assert_eq!((benchmark.questions().count(), excluded(&benchmark, "abstention").len()), (470, 9));
        assert_eq!(turns(&benchmark), 896 + 1_693 - 14);
        assert_eq!(remarks(&benchmark, "distractor turn equal to evidence").len(), 14);
        assert_eq!(benchmark.ledger.remarks.len(), 1, "no session is shared, and every date is understood");
        assert!(benchmark.ledger.unresolved.is_empty());
    }
}

#[test]
fn beam_measures_355_of_400() {
    let Some(path) = data("beam") else { return };
    for unit in [Granularity::Session, Granularity::Turn] {
        let benchmark = DataSet::Beam.load(&path, unit).unwrap();
        assert_eq!((benchmark.groups.len(), benchmark.questions().count()), (20, 355));
        assert_eq!((excluded(&benchmark, "abstention").len(), excluded(&benchmark, "no gold").len()), (40, 5));
        assert!(benchmark.ledger.remarks.is_empty() && benchmark.ledger.unresolved.is_empty());
    }
}

#[test]
fn the_catalogue_pins_the_files_that_the_counts_are_of() {
    for dataset in [DataSet::Locomo, DataSet::Beam, DataSet::RealMem, DataSet::QmSum] {
        let Some(path) = data(dataset.name()) else { return };
        assert!(
            dataset.entry().files.iter().all(|file| path.join(file.name).is_file()),
            "{dataset}: nothing to download"
        );
        let fetched = dataset.entry().fetch(&path, &mut |_| {}).unwrap();
        assert!(fetched.iter().all(|file| file.origin == Origin::Present), "{dataset}");
    }
}

#[test]
fn realmem_has_816_queries() {
    let Some(path) = data("realmem") else { return };
    let benchmark = DataSet::RealMem.load(&path, Granularity::Session).unwrap();
    assert_eq!((benchmark.groups.len(), benchmark.questions().count(), benchmark.excluded()), (6, 816, 0));
    assert!(benchmark.ledger.unresolved.is_empty());
    assert!(benchmark.questions().all(|question| question.before.is_some()));
}

#[test]
fn qmsum_has_1095_questions() {
    let Some(path) = data("qmsum") else { return };
    let benchmark = DataSet::QmSum.load(&path, Granularity::Turn).unwrap();
    assert_eq!((benchmark.groups.len(), benchmark.questions().count(), benchmark.excluded()), (162, 1_095, 0));
    assert_eq!(remarks(&benchmark, "blank turn").len(), 81);
    assert!(benchmark.ledger.unresolved.is_empty());
}
