//! The marks in the texts of Slack: `<@U1>` is a person, `<#C1|ops>` a channel, `<https://a.test|a>` a link.

use aforesaid_core::types::MAX_TEXT_BYTES;

use super::{entities::decoded, names::Names};

/// A text as it is read in Slack.
///
/// A link whose label says something else keeps both: `the plan (https://a.test/plan)`.
pub(super) fn plain(text: &str, names: &Names<'_>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        // Names may be long and mentioned often; what is longer than this is left out anyway.
        if plain.len() > MAX_TEXT_BYTES {
            break;
        }
        plain.push_str(&decoded(&rest[..open]));
        let after = &rest[open + 1..];
        let inside = after.find(['<', '>']).filter(|&end| after[end..].starts_with('>')).map(|end| &after[..end]);
        match inside.and_then(|inside| Some((inside.len(), mark(inside, names)?))) {
            Some((length, said)) => {
                plain.push_str(&said);
                rest = &after[length + 1..];
            }
            None => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain.push_str(&decoded(rest));
    plain
}

/// What a mark says; `None` where it is none.
fn mark(inside: &str, names: &Names<'_>) -> Option<String> {
    let (target, label) = match inside.split_once('|') {
        Some((target, label)) => (target, decoded(label.trim())),
        None => (inside, String::new()),
    };
    let labelled = |sign: char, label: &str| format!("{sign}{}", label.trim_start_matches(sign));
    match target.chars().next()? {
        '@' => Some(match (names.person(&target[1..]), label.as_str()) {
            (Some(name), _) => labelled('@', name),
            (None, "") => target.to_owned(),
            (None, label) => labelled('@', label),
        }),
        '#' => Some(match (label.as_str(), names.channel(&target[1..])) {
            ("", Some(name)) => labelled('#', name),
            ("", None) => target.to_owned(),
            (label, _) => labelled('#', label),
        }),
        '!' => Some(command(&target[1..], &label)),
        _ => link(target, &label),
    }
}

/// What is called by name: `!channel`, `!subteam^S1`, `!date^1735600000^{date}`.
fn command(command: &str, label: &str) -> String {
    let (kind, argument) = command.split_once('^').unwrap_or((command, ""));
    match (kind, label) {
        ("here" | "channel" | "everyone", _) => format!("@{kind}"),
        ("subteam", "") => format!("@{}", argument.split('^').next().unwrap_or_default()),
        ("subteam", label) => format!("@{}", label.trim_start_matches('@')),
        (_, "") => format!("@{kind}"),
        (_, label) => label.to_owned(),
    }
}

/// A link as it is read; `None` where the target is no address.
fn link(target: &str, label: &str) -> Option<String> {
    let (scheme, address) = target.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !is_scheme || address.is_empty() || target.contains(char::is_whitespace) {
        return None;
    }
    let target = decoded(target);
    // Of an address that somebody typed without them, Slack adds these.
    let bare = |text: &str| {
        let text = ["https://", "http://", "mailto:", "tel:"]
            .iter()
            .find_map(|scheme| text.strip_prefix(scheme))
            .unwrap_or(text);
        text.strip_suffix('/').unwrap_or(text).to_owned()
    };
    Some(match label {
        "" => target,
        label if bare(label) == bare(&target) => label.to_owned(),
        label => format!("{label} ({})", target.strip_prefix("mailto:").unwrap_or(&target)),
    })
}

/// A label and its address, where it has one that it does not say itself.
pub(super) fn linked(label: &str, address: Option<&str>) -> String {
    match address.map(decoded) {
        Some(address) if !address.is_empty() && !label.contains(&address) => format!("{label} ({address})"),
        _ => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::workspace::Workspace, *};

    fn read(text: &str) -> String {
        let mut workspace = Workspace::default();
        workspace.add("users.json", r#"[{"id": "U1", "name": "Priya"}]"#).unwrap();
        workspace.add("channels.json", r#"[{"id": "C1", "name": "ops"}]"#).unwrap();
        plain(text, &Names::new(Some(&workspace)))
    }

    #[test]
    fn people_and_channels_have_names() {
        for (text, expected) in [
            ("Thanks <@U1>!", "Thanks @Priya!"),
            ("<@U1|old> and <@U9|tom> and <@U9>", "@Priya and @tom and @U9"),
            ("see <#C1>, <#C1|>, <#C7|dev>, <#C9>", "see #ops, #ops, #dev, #C9"),
            ("<!channel> <!here|@here> <!everyone>", "@channel @here @everyone"),
            ("<!subteam^S1|@oncall> <!subteam^S2>", "@oncall @S2"),
            ("at <!date^1735600000^{date}^https://a.test|31 December>", "at 31 December"),
        ] {
            assert_eq!(read(text), expected);
        }
    }

    #[test]
    fn a_link_keeps_its_address_where_its_label_says_something_else() {
        for (text, expected) in [
            ("Fixed it: <https://vpn2.test|vpn2>", "Fixed it: vpn2 (https://vpn2.test)"),
            ("<https://a.test/x?a=1&amp;b=2>", "https://a.test/x?a=1&b=2"),
            ("<http://a.test|a.test> <https://a.test/|https://a.test>", "a.test https://a.test"),
            ("<mailto:a@b.test|a@b.test> <mailto:a@b.test|Ann>", "a@b.test Ann (a@b.test)"),
            ("<https://a.test|R&amp;D | all>", "R&D | all (https://a.test)"),
        ] {
            assert_eq!(read(text), expected);
        }
    }

    #[test]
    fn what_is_no_mark_stays() {
        for (text, expected) in [
            ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("<", "<"),
            ("<> <|x> <@", "<> <|x> <@"),
            ("a<b<@U1>", "a<b@Priya"),
            ("<é>", "<é>"),
        ] {
            assert_eq!(read(text), expected);
        }
    }

    #[test]
    fn many_marks_are_read_in_linear_time_and_bounded_space() {
        assert_eq!(read(&"<".repeat(1 << 17)).len(), 1 << 17);
        let long = "<@U1>".repeat(1 << 18);
        assert!(read(&long).len() < long.len() + MAX_TEXT_BYTES / 2);
    }
}
