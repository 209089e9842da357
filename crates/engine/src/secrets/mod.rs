//! Secrets in a text: found, and cut out.
//!
//! What is cut are keys in the shapes of known providers, private keys in PEM, values of `.env` files, credentials in
//! headers, URLs and command lines, passwords that people name, and strings without pattern beside words such as `token`. A
//! mark with the kind stays in their place.

mod assigned;
mod commands;
mod providers;
mod rules_file;

use std::{borrow::Cow, collections::BTreeMap};

use regex::{Regex, RegexSet};

pub use rules_file::InvalidSecretRules;

/// Finds secrets and cuts them out.
#[derive(Debug, Clone)]
pub struct SecretCutter {
    /// One pattern for each rule: which of them match at all.
    set: RegexSet,
    rules: Vec<Rule>,
    /// What is never cut.
    allowed: Vec<Regex>,
}

/// A kind of secret.
#[derive(Debug, Clone)]
struct Rule {
    name: String,
    /// Its first group, where it has one, is what is cut; else all of it.
    pattern: Regex,
    check: Check,
}

/// What a match must be besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    /// Nothing: the shape says enough.
    None,
    /// No placeholder, and no reference to a variable.
    Value,
    /// Without pattern, too.
    Random,
    /// Letters with digits or signs, too, and no words.
    Mixed,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutText<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// How many secrets of each kind were cut out.
    pub cut: BTreeMap<String, u64>,
}

impl SecretCutter {
    /// The rules that come with the program, and those of a rules file, where there is one.
    ///
    /// # Errors
    /// When the file is no such file, or one of its patterns none.
    pub fn new(file: Option<&str>) -> Result<Self, InvalidSecretRules> {
        let own = file.map(rules_file::read).transpose()?.unwrap_or_default();
        let mut patterns = own.rules;
        let standard = providers::RULES
            .iter()
            .map(|(name, pattern)| (*name, *pattern, Check::None))
            .chain(assigned::RULES.iter().copied())
            .chain(commands::RULES.iter().copied());
        patterns.extend(standard.map(|(name, pattern, check)| (name.to_owned(), pattern.to_owned(), check)));
        let invalid = |name: &str| {
            let name = name.to_owned();
            move |source| InvalidSecretRules::Pattern { name, source }
        };
        let mut rules = Vec::with_capacity(patterns.len());
        for (name, pattern, check) in &patterns {
            let pattern = Regex::new(pattern).map_err(invalid(name))?;
            rules.push(Rule { name: name.clone(), pattern, check: *check });
        }
        let allow = |pattern: &String| Regex::new(pattern).map_err(invalid("allow"));
        let allowed = own.allow.iter().map(allow).collect::<Result<_, _>>()?;
        let set = RegexSet::new(patterns.iter().map(|(_, pattern, _)| pattern)).map_err(invalid("all rules"))?;
        Ok(Self { set, rules, allowed })
    }

    /// Cuts the secrets out of a text; each leaves `[cut: KIND]`.
    pub fn cut<'t>(&self, text: &'t str) -> CutText<'t> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return CutText { text: Cow::Borrowed(text), cut: BTreeMap::new() };
        }
        let (mut kept, mut from, mut cut) = (String::with_capacity(text.len()), 0, BTreeMap::new());
        for (begin, end, rule) in spans {
            let name = &self.rules[rule].name;
            kept.push_str(&text[from..begin]);
            kept.push_str(&format!("[cut: {name}]"));
            from = end;
            *cut.entry(name.clone()).or_default() += 1;
        }
        kept.push_str(&text[from..]);
        CutText { text: Cow::Owned(kept), cut }
    }

    /// Where the secrets are, in order and apart, each with the rule that found it.
    fn spans(&self, text: &str) -> Vec<(usize, usize, usize)> {
        let mut spans = Vec::new();
        for rule in self.set.matches(text) {
            let Rule { pattern, check, .. } = &self.rules[rule];
            for found in pattern.captures_iter(text) {
                let Some(secret) = found.get(1).or_else(|| found.get(0)) else { continue };
                let passes = match check {
                    Check::None => true,
                    Check::Value => assigned::is_value(secret.as_str()),
                    Check::Random => assigned::is_random(secret.as_str()),
                    Check::Mixed => assigned::is_mixed(secret.as_str()),
                };
                if passes && !self.allowed.iter().any(|allowed| allowed.is_match(secret.as_str())) {
                    spans.push((secret.start(), secret.end(), rule));
                }
            }
        }
        spans.sort_unstable();
        let mut apart: Vec<(usize, usize, usize)> = Vec::with_capacity(spans.len());
        for (begin, end, rule) in spans {
            match apart.last_mut() {
                // What two rules found is cut once, by the name of the rule that comes first.
                Some(last) if begin < last.1 => {
                    last.1 = last.1.max(end);
                    last.2 = last.2.min(rule);
                }
                _ => apart.push((begin, end, rule)),
            }
        }
        apart
    }
}
