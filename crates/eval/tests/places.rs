//! A benchmark measured in a store: the same to the last digit as in the process, and nothing of it stays.

use std::{num::NonZeroUsize, path::Path, sync::Arc};

use aforesaid::{
    EncodeError, Encoder, Locality, Memory,
    formats::Captions,
    types::{EncoderId, Granularity, Vectors},
};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::{Bench, Place, Setup, Trial, try_system},
    measures::Measure,
};
use aforesaid_postgres_server::server;

/// Two numbers of each text, so that vectors matter and differ.
struct Lengths(EncoderId);

impl Encoder for Lengths {
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
        let unit = |text: &&str| {
            let angle = text.bytes().map(u32::from).sum::<u32>() as f32;
            [angle.cos(), angle.sin()]
        };
        Ok(Vectors::new(2, texts.iter().flat_map(unit).collect()).unwrap())
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_queries(texts)
    }
}

fn measured(system: &str, place: Place) -> Trial {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/garden");
    let benchmark = DataSet::Jsonl.load(&folder, Granularity::Turn).unwrap();
    let encoder: Arc<dyn Encoder> = Arc::new(Lengths(EncoderId::new("lengths").unwrap()));
    let threads = NonZeroUsize::new(2).unwrap();
    let setup = Setup { encoder: Ok(encoder), captions: Captions::Keep, cues: None, threads, place };
    let bench = Bench::new(&benchmark, &setup, &|_| {}).unwrap();
    try_system(&bench, &system.parse().unwrap(), &Measure::STANDARD, &|_| {}).unwrap()
}

#[test]
fn a_store_measures_as_the_process_does_and_is_left_empty() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scratch.db").to_str().unwrap().to_owned();
    let stores: Vec<String> = [file].into_iter().chain(server().map(|server| server.new_store())).collect();
    for system in ["hybrid", "lexical"] {
        let expected = measured(system, Place::Process);
        for store in &stores {
            assert_eq!(measured(system, Place::Store(store.clone())), expected, "{system} in {store}");
            assert_eq!(Memory::builder().open(store).unwrap().namespaces().unwrap(), []);
        }
    }
}
