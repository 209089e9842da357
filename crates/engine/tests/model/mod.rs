//! The real encoder, for tests: taken from the directory in `AFORESAID_TEST_MODEL`, or fetched
//! into the one in `AFORESAID_TEST_CACHE` (by default in the directory for temporary files).

use std::{env, path::PathBuf, sync::Arc};

use aforesaid::{
    Encoder,
    models::{BertEncoder, Downloads, Places, Threads, obtain, registry},
};

pub(crate) fn encoder() -> Arc<dyn Encoder> {
    let cache = env::var_os("AFORESAID_TEST_CACHE").map(PathBuf::from);
    let places = Places {
        explicit: env::var_os("AFORESAID_TEST_MODEL").map(PathBuf::from),
        cache: cache.unwrap_or_else(|| env::temp_dir().join("aforesaid-test-models")),
        hf_home: env::var_os("HF_HOME").map(PathBuf::from),
        downloads: Downloads::Allowed,
    };
    let entry = registry::named("all-MiniLM-L6-v2").expect("it is registered");
    let files = obtain(entry, &places, &mut |_| ()).expect("set AFORESAID_TEST_MODEL, or allow the network");
    Arc::new(BertEncoder::load(&files, Threads::available()).expect("a verified model loads"))
}
