//! Several processes with several memories each do random things to one store, and a model says what must come of it.
//!
//! A conversation is a lane: in a round one process writes to it, so that what it holds is known exactly however much the
//! others write beside it. A process that is killed may have done its last command, whole, or not.
//!
//! `AFORESAID_STEPS` says how many commands are given (1,000), `AFORESAID_SEED` which (1).

mod driver;
mod model;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}

#[test]
fn the_store_is_what_its_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    drive(driver::Driver::new(number("AFORESAID_SEED", 1), path.to_str().unwrap().to_owned(), true));
}

#[test]
fn a_store_on_postgres_is_what_its_model_says() {
    let Some(server) = aforesaid_postgres_server::server() else { return };
    drive(driver::Driver::new(number("AFORESAID_SEED", 1), server.new_store(), false));
}

/// Whatever is added, changed and forgotten: what a search in the database reads follows.
#[test]
fn a_store_that_is_searched_in_postgres_is_what_its_model_says() {
    let Some(server) = aforesaid_postgres_server::server() else { return };
    let Some(location) = server.new_store_with_pgvector() else { return };
    drive(driver::Driver::new(number("AFORESAID_SEED", 1), format!("{location}&held_memories=0"), false));
}

fn drive(mut driver: driver::Driver) {
    let steps = number("AFORESAID_STEPS", 1_000) as usize;
    while driver.steps() < steps {
        driver.round();
    }
    driver.check_everything();
    println!("{}", driver.figures());
}
