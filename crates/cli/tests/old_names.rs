//! Names of the release before are read, with a warning on standard error.

use insta::assert_snapshot;

use crate::sandbox::{Sandbox, finish};

const HELD: &str = include_str!("conversations/kites.jsonl");

#[test]
fn an_option_a_variable_and_a_key_are_read_by_their_old_names() {
    let sandbox = Sandbox::holding(HELD);
    let by_option = finish(&mut sandbox.command(&["search", "kite", "--full", "--preset", "lexical"]));
    assert_snapshot!(by_option.stderr.trim(), @"note: --preset is now --pipeline; the old name is read in this release only");
    let by_variable = finish(sandbox.command(&["search", "kite", "--full"]).env("AFORESAID_PRESET", "lexical"));
    assert_snapshot!(by_variable.stderr.trim(), @"note: AFORESAID_PRESET is now AFORESAID_PIPELINE; the old name is read in this release only");
    sandbox.write("old.toml", "preset = \"lexical\"\n");
    let by_key = finish(&mut sandbox.command(&["search", "kite", "--full", "--config", "old.toml"]));
    assert_snapshot!(by_key.stderr.trim(), @"note: configuration key `preset` is now `pipeline`; the old name is read in this release only");
    let by_new_name = finish(&mut sandbox.command(&["search", "kite", "--full", "--pipeline", "lexical"]));
    assert_snapshot!(by_new_name.stderr.trim(), @"");
    for outcome in [by_option, by_variable, by_key, by_new_name] {
        assert!(outcome.code == 0 && outcome.stdout.contains("lexical"), "{outcome:?}");
    }
}

#[test]
fn the_new_name_goes_before_the_old() {
    let sandbox = Sandbox::holding(HELD);
    let mut command = sandbox.command(&["search", "kite", "--pipeline", "lexical"]);
    let outcome = finish(command.env("AFORESAID_PRESET", "no pipeline"));
    assert!(outcome.code == 0 && outcome.stderr.is_empty(), "{outcome:?}");
    let outcome = finish(sandbox.command(&["search", "kite"]).env("AFORESAID_PRESET", "no pipeline"));
    assert!(outcome.code == 2 && outcome.stderr.contains("AFORESAID_PRESET: "), "{outcome:?}");
}
