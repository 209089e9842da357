//! The three signs that Slack writes otherwise, since they mark something in its texts.

/// A text with these signs as they are read.
pub(super) fn decoded(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
