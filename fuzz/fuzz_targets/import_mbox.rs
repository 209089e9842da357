#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aforesaid_fuzz_targets::check("import_mbox", bytes));
