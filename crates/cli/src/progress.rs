//! Progress on a terminal, and nothing in a pipe.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use aforesaid::{models, resolve::DownloadEvent};
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

/// A sign that turns while something is done that cannot be counted.
pub(crate) fn working(output: Output, what: &str) -> ProgressBar {
    bar(output, what, "{spinner} {msg}")
}

/// A bar that counts passages being encoded.
pub(crate) fn passages(output: Output, what: &str) -> ProgressBar {
    bar(output, what, "{msg} [{bar:30}] {pos}/{len} turns, {per_sec}, {eta} left")
}

/// Runs a download with a bar that shows its bytes.
pub(crate) fn download<T>(output: Output, run: impl FnOnce(&mut dyn FnMut(models::Progress<'_>)) -> T) -> T {
    let show = downloads(output);
    let result = run(&mut |progress| show(DownloadEvent::Advanced(progress)));
    show(DownloadEvent::Ended);
    result
}

/// Shows each download on a bar while it lasts.
pub(crate) fn downloads(output: Output) -> impl Fn(DownloadEvent<'_>) + Send + Sync + 'static {
    let shown: Mutex<Option<ProgressBar>> = Mutex::default();
    move |event| {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            DownloadEvent::Advanced(progress) => {
                let template = "{msg} [{bar:30}] {bytes}/{total_bytes}, {eta} left";
                let bar = shown.get_or_insert_with(|| bar(output, "looking for the model", template));
                bar.set_message(format!("fetching {} from {}", progress.file, progress.origin));
                bar.set_length(progress.total);
                bar.set_position(progress.done);
            }
            DownloadEvent::Ended => {
                if let Some(bar) = shown.take() {
                    bar.finish_and_clear();
                }
            }
        }
    }
}
