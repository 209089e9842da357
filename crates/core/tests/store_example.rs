//! The example of a store passes the suite that every store must pass.

#[allow(unreachable_pub, reason = "the example is public as in a crate of its own")]
#[path = "../../../docs/examples/store.rs"]
mod store;

use aforesaid_core::store::conformance;
use store::LogStore;

#[test]
fn the_example_conforms() {
    conformance::run_all(LogStore::default);
}

#[test]
fn the_example_remembers_as_many_removals_as_others() {
    conformance::removals_are_bounded(&LogStore::default());
}
