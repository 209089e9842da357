//! Passwords that a command is given.

use super::Check;

/// Rules by the command and the option before a value; the first group is the value.
///
/// Between the two stands whatever the command is told, over lines that end in a backslash, but no other command.
pub(super) const RULES: &[(&str, &str, Check)] = &[
    (
        "password of a command",
        r#"\b(?:curl|wget|xh)(?:[^\n|;&]|[;&][^\s&]|\\\r?\n)*?\s(?:-u|--user|--proxy-user|--auth|-U)[= ]?["']?[^\s:"'/]+:([^\s"'`]{3,})"#,
        Check::Value,
    ),
    (
        "password of a command",
        r#"\bhttps?(?:[^\n|;&]|[;&][^\s&]|\\\r?\n)*?\s(?:-a|--auth)[= ]["']?[^\s:"'/]+:([^\s"'`]{3,})"#,
        Check::Value,
    ),
    (
        "password of a command",
        r#"\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)(?:[^\n|;&]|\\\r?\n)*?\s-p["']?([^\s"'`=]{3,})"#,
        Check::Value,
    ),
    ("password of a command", r#"\bsshpass\s+-p\s*["']?([^\s"'`]{3,})"#, Check::Value),
    (
        "password of a command",
        r#"\b(?:docker|podman|nerdctl|helm registry)\s+login(?:[^\n|;&]|\\\r?\n)*?\s-p[= ]["']?([^\s"'`]{3,})"#,
        Check::Value,
    ),
    (
        "password of a command",
        r#"\bredis-cli(?:[^\n|;&]|\\\r?\n)*?\s(?:-a|--pass)[= ]["']?([^\s"'`]{3,})"#,
        Check::Value,
    ),
    ("secret option", r#"--(?:password|passwd|passphrase|pass)=["']?([^\s"'`]{4,})"#, Check::Value),
    // In a sentence a word follows the option, too.
    ("secret option", r#"--(?:password|passwd|passphrase|pass)\s+["']?([^\s"'`-][^\s"'`]{5,})"#, Check::Mixed),
];
