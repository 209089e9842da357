//! No statement without its tenant.
//!
//! Every statement about a namespace goes through one place, which binds the tenant as `$1` and has the statement looked at
//! here before the server sees it. Tables are written `@table alias`, and for each there is `alias.tenant = $1`, or the row
//! that is inserted begins with it. A statement that lacks it is refused, in every build.

/// What a statement lacks; `None` where it is about one tenant in every table it names.
pub(crate) fn lack(sql: &str) -> Option<String> {
    let words = words(sql);
    let is = |at: usize, word: &str| words.get(at).is_some_and(|found| found.eq_ignore_ascii_case(word));
    let mut tables = 0;
    for (at, word) in words.iter().enumerate() {
        let Some(table) = word.strip_prefix('@') else { continue };
        tables += 1;
        if at > 0 && is(at - 1, "INTO") {
            // INSERT INTO @table (tenant, ...) VALUES ($1, ...)
            let columns = at + 1;
            let rest = words[at..].iter().position(|word| ["VALUES", "SELECT"].contains(&word.to_uppercase().as_str()));
            let first = rest.map(|rest| at + rest + if is(at + rest, "VALUES") { 2 } else { 1 });
            if !(is(columns, "(") && is(columns + 1, "tenant") && first.is_some_and(|first| is(first, "$1"))) {
                return Some(format!("a row of {table} is inserted whose tenant is not $1"));
            }
            continue;
        }
        let Some(alias) = words.get(at + 1).filter(|word| word.chars().all(|c| c.is_ascii_lowercase())) else {
            return Some(format!("table {table} has no alias"));
        };
        let named = (0..words.len())
            .any(|at| is(at, alias) && is(at + 1, ".") && is(at + 2, "tenant") && is(at + 3, "=") && is(at + 4, "$1"));
        if !named {
            return Some(format!("table {table} is read without {alias}.tenant = $1"));
        }
    }
    (tables == 0).then(|| "it names no table of the store".to_owned())
}

/// Words and signs of a statement; what stands in quotes is none.
fn words(sql: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            '$' | '@' => 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_its_tenant_in_every_table() {
        for sql in [
            "SELECT m.seq FROM @memory m WHERE m.tenant = $1 AND m.id = $2",
            "DELETE FROM @memory m WHERE m.tenant = $1",
            "UPDATE @namespace n SET last = $2 WHERE n.tenant = $1",
            "INSERT INTO @vector (tenant, seq) VALUES ($1, $2)",
            "SELECT 1 FROM @memory m LEFT JOIN @session s ON s.tenant = $1 AND s.id = m.session WHERE m.tenant = $1",
        ] {
            assert_eq!(lack(sql), None, "{sql}");
        }
    }

    #[test]
    fn a_statement_without_it_is_refused() {
        for sql in [
            "SELECT m.seq FROM @memory m WHERE m.id = $2",
            "SELECT m.seq FROM @memory m WHERE m.tenant = $2",
            "SELECT m.seq FROM @memory m WHERE m.tenant > $1",
            "SELECT m.seq FROM @memory m WHERE m.text = 'm.tenant = $1'",
            "SELECT 1 FROM @memory m LEFT JOIN @session s ON s.id = m.session WHERE m.tenant = $1",
            "DELETE FROM @memory",
            "INSERT INTO @vector (seq, tenant) VALUES ($1, $2)",
            "INSERT INTO @vector (tenant, seq) VALUES ($2, $1)",
            "SELECT 1",
            "SELECT pg_sleep(1)",
        ] {
            assert!(lack(sql).is_some(), "{sql}");
        }
    }
}
