//! The receipts at the root of the repository: what documents print of them, and, where the data is, that they hold.

use std::{
    env,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use aforesaid::{
    Encoder,
    models::{BertEncoder, Downloads, Instructions, ModelPaths, Precision, Runtime, Threads, registry, resolve},
};
use aforesaid_eval::{
    datasets::DataSet,
    experiments::Place,
    receipts::{Receipt, Tables, Verdict},
    recipe::Equipment,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn documents_print_what_the_receipts_say() {
    let tables = Tables::read(&root().join("receipts")).unwrap();
    for document in ["README.md", "docs/decisions/0001-fusion.md", "docs/evaluation.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        assert!(!tables.is_stale(&text).unwrap(), "{document}: run `aforesaid-studies tables {document}`");
    }
}

/// The models of the receipts.
const MODELS: [&str; 2] = ["all-MiniLM-L6-v2+conversations", "all-MiniLM-L6-v2"];

/// The precision that made a receipt's vectors, where it has any.
fn precision(receipt: &Receipt) -> Option<Precision> {
    receipt.encoder().map(|encoder| encoder.as_str().rsplit_once('/').unwrap().1.parse().unwrap())
}

/// The model that made a receipt's vectors, and the default where it has none.
fn model(receipt: &Receipt) -> &str {
    receipt.encoder().map_or(MODELS[0], |encoder| encoder.model())
}

/// An encoder of the receipts, its files from the directory in `AFORESAID_TEST_MODEL`, or fetched.
fn encoder(model: &str, precision: Precision) -> Arc<dyn Encoder> {
    let cache = env::var_os("AFORESAID_TEST_CACHE").map(PathBuf::from);
    let paths = ModelPaths {
        explicit: env::var_os("AFORESAID_TEST_MODEL").map(PathBuf::from),
        cache: cache.unwrap_or_else(|| env::temp_dir().join("aforesaid-test-models")),
        hf_home: env::var_os("HF_HOME").map(PathBuf::from),
        downloads: Downloads::Allowed,
    };
    let entry = registry::named(model).expect("it is registered");
    let files = resolve(entry, &paths, &mut |_| ()).expect("set AFORESAID_TEST_MODEL, or allow the network");
    // AMX sums bfloat16 in another order than the processors that the receipts are of (docs/decisions/0011).
    let instructions = match Instructions::best() {
        Instructions::Amx => Instructions::Avx512,
        best => best,
    };
    let runtime = Runtime { instructions, ..Runtime::new(precision, Threads::available()) };
    Arc::new(BertEncoder::load(&files, runtime).expect("a verified model loads"))
}

/// Who has a clone alone replays them.
#[test]
fn receipts_on_data_of_the_repository_say_where_it_is() {
    let folder = root().join("receipts");
    let mut named = 0;
    for receipt in Receipt::read_all(&folder).unwrap() {
        if let Some(data) = receipt.recipe().dataset.in_repository() {
            let text = std::fs::read_to_string(folder.join(format!("{}.toml", receipt.name()))).unwrap();
            assert!(text.contains(&format!("data = \"../{}\"", data.display())), "{}", receipt.name());
            named += 1;
        }
    }
    assert!(named >= 15, "{named} receipts");
}

/// Those on LoCoMo that leave no numbers to choose; `make reproduce` measures all.
#[test]
fn the_receipts_on_locomo_hold() {
    let Some(data) = env::var_os("AFORESAID_DATA").map(PathBuf::from) else {
        eprintln!("skipped: AFORESAID_DATA does not name a folder with data sets");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let threads = NonZeroUsize::new(Threads::available().get()).unwrap();
    let equipment = |model: &str, precision: Precision| {
        let source = aforesaid::EncoderSource::Ready(encoder(model, precision));
        let cached = aforesaid_eval::experiments::CachedEncoder::new(source, Some(folder.path())).unwrap();
        Equipment { encoder: Ok(Arc::new(cached)), threads, place: Place::Process, reranker: None }
    };
    let of_model =
        |model: &'static str| Precision::ALL.map(|precision| (model, precision, equipment(model, precision)));
    let equipments: Vec<_> = MODELS.into_iter().flat_map(of_model).collect();
    // Those of bf16 and int8 are of a processor that multiplies bfloat16. Without one bf16 takes minutes, and what int8 does
    // in f32, around its exact sums, rounds otherwise: it moves a measure by up to 0.007.
    let is_as_measured = Precision::default_on(Instructions::best()) == Precision::Bf16;
    let mut measured = 0;
    for receipt in Receipt::read_all(&root().join("receipts")).unwrap() {
        let recipe = receipt.recipe();
        let locomo = matches!(recipe.dataset, DataSet::Locomo | DataSet::LocomoAudit);
        let precision = precision(&receipt).unwrap_or(Precision::F32);
        if receipt.reranker().is_some() {
            eprintln!(
                "skipped: {}: ten pairs of each question take minutes to read; make reproduce reads them",
                receipt.name()
            );
        } else if precision != Precision::F32 && !is_as_measured {
            eprintln!("skipped: {}: {precision} rounds otherwise on this processor", receipt.name());
        } else if locomo && !recipe.system.chooses() {
            let is_its =
                |(name, other, _): &&(&str, Precision, Equipment)| (*name, *other) == (model(&receipt), precision);
            let (.., equipment) = equipments.iter().find(is_its).expect("a receipt of another model");
            let replayed = receipt.replay(Some(&data), equipment, &|_| {}).unwrap();
            assert!(matches!(replayed.verdict, Verdict::Ok { .. }), "{replayed}");
            measured += 1;
        }
    }
    assert!(measured >= 10, "{measured} receipts on LoCoMo");
}
