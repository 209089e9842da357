//! Progress on a terminal, and nothing in a pipe.

use std::time::Duration;

use aforesaid::models;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::settings::Output;

/// A bar on standard error; hidden where that is no terminal, or a program reads the output.
pub(crate) fn bar(output: Output, what: &str, template: &'static str) -> ProgressBar {
    let target = match output {
        Output::People => ProgressDrawTarget::stderr(),
        Output::Programs => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(None, target).with_message(what.to_owned());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A bar that counts passages being encoded.
pub(crate) fn passages(output: Output, what: &str) -> ProgressBar {
    bar(output, what, "{msg} [{bar:30}] {pos}/{len} turns, {per_sec}, {eta} left")
}

/// Runs a download with a bar that shows its bytes.
pub(crate) fn download<T>(output: Output, run: impl FnOnce(&mut dyn FnMut(models::Progress<'_>)) -> T) -> T {
    let bytes = bar(output, "looking for the model", "{msg} [{bar:30}] {bytes}/{total_bytes}, {eta} left");
    let result = run(&mut |progress| {
        bytes.set_message(format!("fetching {} from {}", progress.file, progress.origin));
        bytes.set_length(progress.total);
        bytes.set_position(progress.done);
    });
    bytes.finish_and_clear();
    result
}
