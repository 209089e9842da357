//! Receipts measured again on a small history that lies in this repository.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use aforesaid::{
    EncodeError, Encoder, Locality,
    rerank::{RerankCandidate, RerankError, Reranker},
    types::{EncoderId, Vectors},
};
use aforesaid_eval::{
    experiments::{Place, System},
    receipts::{Difference, Figures, Receipt, Replayed, Tolerance, Verdict},
    recipe::{Equipment, Recipe, Recording},
};

/// Sees whether a text speaks of beans.
struct Beans(EncoderId);

impl Encoder for Beans {
    fn id(&self) -> &EncoderId {
        &self.0
    }

    fn dim(&self) -> usize {
        2
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let row = |text: &&str| if text.contains("beans") { [1.0, 0.0] } else { [0.0, 1.0] };
        Ok(Vectors::new(2, texts.iter().flat_map(row).collect()).unwrap())
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_queries(texts)
    }
}

fn beans(id: &str) -> Equipment {
    let encoder: Arc<dyn Encoder> = Arc::new(Beans(EncoderId::new(id).unwrap()));
    Equipment { encoder: Ok(encoder), threads: NonZeroUsize::MIN, place: Place::Process, reranker: None }
}

/// Puts the shortest texts first.
struct Shortest(&'static str);

impl Reranker for Shortest {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn default_depth(&self) -> NonZeroUsize {
        NonZeroUsize::new(10).unwrap()
    }

    fn score(&self, _: &str, candidates: &[RerankCandidate]) -> Result<Vec<Option<f64>>, RerankError> {
        Ok(candidates.iter().map(|candidate| Some(-(candidate.text.len() as f64))).collect())
    }
}

fn words_only() -> Equipment {
    Equipment {
        encoder: Err("there is no model".to_owned()),
        threads: NonZeroUsize::MIN,
        place: Place::Process,
        reranker: None,
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn replay(receipt: &Receipt, root: Option<&Path>, equipment: &Equipment) -> Replayed {
    receipt.replay(root, equipment, &|_| {}).unwrap()
}

/// A committed receipt, changed, elsewhere; `data` of the garden stays where it is.
fn changed(name: &str, from: &str, to: &str) -> Receipt {
    let text = fs::read_to_string(folder("receipts").join(format!("{name}.toml"))).unwrap();
    assert!(text.contains(from), "{text}");
    let text = text.replacen(from, to, 1).replacen("../garden", &folder("garden").display().to_string(), 1);
    written(name, &text)
}

fn written(name: &str, text: &str) -> Receipt {
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().join(format!("{name}.toml"));
    fs::write(&path, text).unwrap();
    Receipt::read(&path).unwrap()
}

#[test]
fn committed_receipts_replay() {
    let receipts = Receipt::read_all(&folder("receipts")).unwrap();
    let names: Vec<&str> = receipts.iter().map(Receipt::name).collect();
    assert_eq!(names, ["garden-session-lexical", "garden-turn-paper-bm25"]);
    let replayed = receipts.iter().map(|receipt| replay(receipt, None, &words_only()).to_string());
    let replayed: Vec<String> = replayed.collect();
    assert!(replayed.iter().all(|line| line.starts_with("OK    garden-")), "{replayed:#?}");
}

#[test]
fn a_changed_figure_fails_and_says_both() {
    let receipt = changed("garden-turn-paper-bm25", "\"mrr\" = 0.625000", "\"mrr\" = 0.6255");
    let line = replay(&receipt, None, &words_only()).to_string();
    let expected = "FAIL  garden-turn-paper-bm25: mrr expected 0.6255 +- 0.00005, actual 0.625000 (-0.000500)";
    assert_eq!(line, expected);

    let receipt = changed("garden-turn-paper-bm25", "n = 11", "n = 12");
    let line = replay(&receipt, None, &words_only()).to_string();
    assert_eq!(line, "FAIL  garden-turn-paper-bm25: n expected 12, actual 11");
}

#[test]
fn on_other_data_nothing_is_measured() {
    let receipt = changed("garden-turn-paper-bm25", "data_sha256 = \"17a8", "data_sha256 = \"0000");
    let replayed = receipt.replay(None, &words_only(), &|step| panic!("{step:?}")).unwrap();
    assert!(matches!(&replayed.verdict, Verdict::Failed { differences } if matches!(&differences[..],
        [Difference::Data { expected, actual }] if expected != actual && expected[4..] == actual[4..])));
    assert!(replayed.to_string().starts_with("FAIL  garden-turn-paper-bm25: data_sha256 expected 0000"), "{replayed}");
}

#[test]
fn data_that_are_not_there_are_skipped_unless_they_should_be() {
    let receipt = changed("garden-turn-paper-bm25", "data = \"../garden\"\n", "");
    let line = replay(&receipt, None, &words_only()).to_string();
    assert_eq!(line, "SKIP  garden-turn-paper-bm25: data set jsonl: no folder with data sets was given");

    let root = tempfile::tempdir().unwrap();
    let replayed = replay(&receipt, Some(root.path()), &words_only());
    assert!(matches!(&replayed.verdict, Verdict::Skipped { reason } if reason.contains("not found at")), "{replayed}");

    fs::create_dir(root.path().join("jsonl")).unwrap();
    for file in ["memories.jsonl", "queries.jsonl"] {
        fs::copy(folder("garden").join(file), root.path().join("jsonl").join(file)).unwrap();
    }
    let replayed = replay(&receipt, Some(root.path()), &words_only());
    assert!(matches!(replayed.verdict, Verdict::Ok { .. }), "{replayed}");

    let gone = changed("garden-turn-paper-bm25", "../garden", "../meadow");
    let error = gone.replay(None, &words_only(), &|_| {}).unwrap_err().to_string();
    assert!(error.contains("meadow"), "{error}");
}

#[test]
fn data_sets_of_one_folder_share_it() {
    let text = fs::read_to_string(folder("receipts/garden-turn-paper-bm25.toml")).unwrap();
    for (dataset, place) in [("locomo-audit", "locomo"), ("longmemeval-pooled", "longmemeval"), ("beam", "beam")] {
        let receipt = written("row", &text.replace("jsonl", dataset).replace("data = \"../garden\"\n", ""));
        let line = replay(&receipt, Some(Path::new("nowhere")), &words_only()).to_string();
        let at = format!("not found at {};", Path::new("nowhere").join(place).display());
        assert!(line.starts_with("SKIP  row: ") && line.contains(&at), "{line}");
    }
}

#[test]
fn numbers_are_chosen_again() {
    let words = Receipt::read(&folder("receipts/garden-turn-paper-bm25.toml")).unwrap().recipe();
    for (criterion, stated) in [("hit@1", ""), ("mrr+recall@5", " --criterion mrr+recall@5")] {
        let system = System {
            criterion: criterion.parse().unwrap(),
            ..r"zscore({0..1/0.5}, bm25(k1={0.9, 1.5}, turns={0, 0.5}:1), dense(beans, max))".parse().unwrap()
        };
        let recipe = Recipe { system, ..words.clone() };
        let equipment = beans("beans@1/f32");
        let data = recipe.dataset.fingerprint(&folder("garden")).unwrap();
        let outcome = recipe.run(&folder("garden"), &equipment, &|_| {}).unwrap();
        let figures = Figures::of(&recipe, &equipment, data, &outcome);
        let text = Receipt::of("Beans", Tolerance::new(0.00001).unwrap(), &recipe, &figures, None);
        let here = format!("\ndata = \"{}\"\nn =", folder("garden").display());
        let receipt = written("beans", &text.replacen("\nn =", &here, 1));
        assert!(receipt.command().ends_with(&format!("dense(beans, max))'{stated}")), "{}", receipt.command());
        assert_eq!(receipt.recipe(), recipe);
        let replayed = replay(&receipt, None, &equipment);
        assert!(replayed.to_string().starts_with("OK    beans  hit@1 0."), "{replayed}");
    }
}

#[test]
fn a_new_receipt_replays_with_its_encoder_only() {
    let system = "zscore(0.5, bm25, dense(beans, max))";
    let words = Receipt::read(&folder("receipts/garden-turn-paper-bm25.toml")).unwrap().recipe();
    let recipe = Recipe { system: system.parse().unwrap(), ..words };
    let equipment = beans("beans@1/f32");
    let data = recipe.dataset.fingerprint(&folder("garden")).unwrap();
    let outcome = recipe.run(&folder("garden"), &equipment, &|_| {}).unwrap();
    let figures = Figures::of(&recipe, &equipment, data, &outcome);
    let text = Receipt::of("Beans", Tolerance::new(0.00001).unwrap(), &recipe, &figures, None);
    let here = format!("data = \"{}\"\nn =", folder("garden").display());
    let receipt = written("beans", &text.replacen("n =", &here, 1));

    assert!(receipt.command().ends_with("--unit turn --system 'zscore(0.5, bm25, dense(beans, max))'"));
    assert_eq!(receipt.encoder().unwrap().as_str(), "beans@1/f32");
    assert_eq!(receipt.recipe(), recipe);
    let replayed = replay(&receipt, None, &equipment);
    assert!(replayed.to_string().starts_with("OK    beans  hit@1 0."), "{replayed}");

    let line = replay(&receipt, None, &beans("beans@2/f32")).to_string();
    assert_eq!(line, "FAIL  beans: encoder expected beans@1/f32, actual beans@2/f32");
    assert_eq!(replay(&receipt, None, &words_only()).to_string(), "SKIP  beans: no encoder: there is no model");
}

#[test]
fn a_reranked_receipt_replays_with_its_reranker_only() {
    let words = Receipt::read(&folder("receipts/garden-turn-paper-bm25.toml")).unwrap().recipe();
    let with = |id: &'static str| Equipment { reranker: Some(Arc::new(Shortest(id))), ..words_only() };
    let equipment = with("tiny+evidence@1/f32");
    let recipe = Recipe { rerank_depth: NonZeroUsize::new(3), ..words.clone() };
    let data = recipe.dataset.fingerprint(&folder("garden")).unwrap();
    let run = |recipe: &Recipe| recipe.run(&folder("garden"), &equipment, &|_| {}).unwrap();
    let outcome = run(&recipe);
    assert_ne!(outcome.trial.run.to_trec().unwrap(), run(&words).trial.run.to_trec().unwrap());
    assert!(outcome.report.to_markdown().contains("the best 3 reranked by tiny+evidence@1/f32"));
    let figures = Figures::of(&recipe, &equipment, data, &outcome);
    let text = Receipt::of("Shortest", Tolerance::new(0.00001).unwrap(), &recipe, &figures, None);
    let here = format!("data = \"{}\"\nreranker =", folder("garden").display());
    let receipt = written("shortest", &text.replacen("reranker =", &here, 1));

    assert!(
        receipt.command().ends_with("--system paper-bm25 --rerank evidence --rerank-depth 3"),
        "{}",
        receipt.command()
    );
    assert_eq!(receipt.recipe(), recipe);
    assert!(replay(&receipt, None, &equipment).to_string().starts_with("OK    shortest  hit@1 0."));
    let line = replay(&receipt, None, &with("tiny+evidence@2/f32")).to_string();
    assert_eq!(line, "FAIL  shortest: reranker expected tiny+evidence@1/f32, actual tiny+evidence@2/f32");
    assert_eq!(replay(&receipt, None, &words_only()).to_string(), "SKIP  shortest: no reranker");
    let error = recipe.run(&folder("garden"), &words_only(), &|_| {}).unwrap_err().to_string();
    assert!(error.contains("system paper-bm25: it is to be reranked, and there is no reranker"), "{error}");
}

#[test]
fn cue_questions_are_indexed_and_belong_to_the_receipt() {
    let words = Receipt::read(&folder("receipts/garden-turn-paper-bm25.toml")).unwrap().recipe();
    let system: System = "bm25(cues=0:1)".parse().unwrap();
    let ranked = |cues: Option<Recording>| {
        let recipe = Recipe { system: system.clone(), cues, ..words.clone() };
        recipe.run(&folder("garden"), &words_only(), &|_| {}).unwrap().trial.run.to_trec().unwrap()
    };
    let all = Some(Recording::default());
    let none = Some(Recording { at_most: Some(0), ..Recording::default() });
    assert_eq!(ranked(None), ranked(none), "no questions change nothing");
    assert_ne!(ranked(all), ranked(None));

    let recipe = Recipe { system, cues: Some(Recording { at_most: Some(1), ..Recording::default() }), ..words };
    let data = recipe.dataset.fingerprint(&folder("garden")).unwrap();
    let outcome = recipe.run(&folder("garden"), &words_only(), &|_| {}).unwrap();
    let figures = Figures::of(&recipe, &words_only(), data, &outcome);
    let text = Receipt::of("Cues", Tolerance::new(0.00001).unwrap(), &recipe, &figures, None);
    let here = format!("data = \"{}\"\nn =", folder("garden").display());
    let receipt = written("cues", &text.replacen("n =", &here, 1));
    assert!(receipt.command().ends_with("'bm25(cues=0:1)' --cues recorded --cue-questions 1"), "{}", receipt.command());
    assert_eq!(receipt.recipe(), recipe);
    let replayed = replay(&receipt, None, &words_only());
    assert!(replayed.to_string().starts_with("OK    cues  "), "{replayed}");

    let digest = outcome.cues_sha256.unwrap();
    let other = written("cues", &text.replacen("n =", &here, 1).replace(&digest, &"0".repeat(64)));
    let line = replay(&other, None, &words_only()).to_string();
    assert!(line.starts_with("FAIL  cues: cues_sha256 expected 000") && line.ends_with(&digest), "{line}");
}
