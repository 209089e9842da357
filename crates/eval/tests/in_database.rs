//! What candidates that a database picks lose against a namespace that is held: LoCoMo, all conversations in one namespace.
//!
//! `AFORESAID_DATA` names the folder of data sets; `AFORESAID_TEST_MODEL` and `AFORESAID_TEST_CACHE` are as in `published`.

use std::{env, path::PathBuf, sync::Arc, time::Instant};

use aforesaid::{
    EncoderSource, Memory, Pipeline, Warning,
    models::{BertEncoder, Downloads, ModelPaths, Runtime, Threads, registry, resolve},
    types::{Draft, Granularity, MemoryId, Namespace, Query},
};
use aforesaid_eval::{
    datasets::{Benchmark, DataSet},
    experiments::CachedEncoder,
};
use aforesaid_postgres_server::server;

/// Ids that are one conversation's only, as all of a namespace's are to be told apart.
fn id_in(group: &str, id: &str) -> String {
    format!("{group}/{id}")
}

fn encoder() -> EncoderSource {
    let cache = env::var_os("AFORESAID_TEST_CACHE").map(PathBuf::from);
    let paths = ModelPaths {
        explicit: env::var_os("AFORESAID_TEST_MODEL").map(PathBuf::from),
        cache: cache.unwrap_or_else(|| env::temp_dir().join("aforesaid-test-models")),
        hf_home: env::var_os("HF_HOME").map(PathBuf::from),
        downloads: Downloads::Allowed,
    };
    let entry = registry::named("all-MiniLM-L6-v2").expect("it is registered");
    let files = resolve(entry, &paths, &mut |_| ()).expect("set AFORESAID_TEST_MODEL, or allow the network");
    let runtime = Runtime::new(aforesaid::models::Precision::F32, Threads::available());
    EncoderSource::Ready(Arc::new(BertEncoder::load(&files, runtime).expect("a verified model loads")))
}

/// Of the questions, one in so many is asked.
const ONE_IN: usize = 4;

/// Recall@10 of questions that are asked of the whole namespace.
fn recall(memory: &Memory, namespace: &Namespace, benchmark: &Benchmark, pipeline: &Pipeline) -> f64 {
    let (mut sum, mut asked) = (0.0, 0.0);
    let started = Instant::now();
    for group in &benchmark.groups {
        for question in group.questions.iter().step_by(ONE_IN) {
            let query = Query { unit: Granularity::Turn, ..Query::new(namespace.clone(), &question.text) };
            let found = memory.rank(&query, pipeline).unwrap();
            let is_correction = |warning: &Warning| matches!(warning, Warning::Corrected { .. });
            assert!(found.warnings.iter().all(is_correction), "{:?}", found.warnings);
            let is_found = |gold: &&String| found.hits.iter().any(|hit| hit.id == id_in(&group.id, gold));
            sum += question.gold.iter().filter(is_found).count() as f64 / question.gold.len() as f64;
            asked += 1.0;
        }
    }
    println!("{asked} questions in {:.1} s", started.elapsed().as_secs_f64());
    sum / asked
}

#[test]
fn candidates_lose_at_most_two_thousandths_of_recall() {
    let Some(path) = env::var_os("AFORESAID_DATA").map(|folder| PathBuf::from(folder).join("locomo")) else {
        eprintln!("skipped: AFORESAID_DATA does not name the folder with locomo");
        return;
    };
    let Some(location) = server().and_then(|server| server.new_store_with_pgvector()) else { return };
    let benchmark = DataSet::Locomo.load(&path, Granularity::Turn).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let encoder: Arc<dyn aforesaid::Encoder> = Arc::new(CachedEncoder::new(encoder(), Some(folder.path())).unwrap());
    let open = |options: &str| {
        let source = EncoderSource::Ready(Arc::clone(&encoder));
        Memory::builder().encoders(source).open(&format!("{location}{options}")).unwrap()
    };
    let namespace = Namespace::new("locomo").unwrap();
    let held = open("");
    for group in &benchmark.groups {
        let mut drafts = group.memories.clone();
        for draft in &mut drafts {
            let Draft::Turn(turn) = draft else { continue };
            let id = turn.id.as_ref().expect("a turn of LoCoMo has an id").as_str();
            turn.id = Some(MemoryId::new(id_in(&group.id, id)).unwrap());
        }
        held.add(&namespace, &drafts, &mut |_| {}).unwrap();
    }
    for (pipeline, depths) in [(Pipeline::hybrid(), &[1_000, 100][..]), (Pipeline::lexical(), &[1_000])] {
        let all = recall(&held, &namespace, &benchmark, &pipeline);
        assert!(all > 0.3, "{all}");
        for &depth in depths {
            let picked = open(&format!("&held_memories=0&candidates={depth}"));
            let found = recall(&picked, &namespace, &benchmark, &pipeline);
            println!("{}: Recall@10 held {all:.4}, of {depth} candidates a leg {found:.4}", pipeline.name);
            assert!(depth < 1_000 || found >= all - 0.002, "{found} instead of {all}");
        }
    }
}
