//! Which project a log is of, and whether that one is read.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use aforesaid_core::types::Namespace;
use glob::Pattern;

use crate::project::Project;

/// A pattern of an allow or deny list that is none.
#[derive(Debug, Clone, thiserror::Error)]
#[error("project pattern {pattern:?}: {found}; expected a namespace or a folder, with * and ? for what may differ")]
pub struct InvalidRule {
    pattern: String,
    found: &'static str,
}

/// Which projects are read, and searched for a hook.
///
/// A pattern names a namespace (`forge.example/ann/*`) or a folder, which stands for all folders in it.
#[derive(Debug, Clone, Default)]
pub struct ProjectRules {
    allow: Vec<(String, Pattern)>,
    deny: Vec<(String, Pattern)>,
}

impl ProjectRules {
    /// Projects that match `allow`, or all where it is empty, but those that match `deny`.
    ///
    /// # Errors
    /// When a pattern is none.
    pub fn new(allow: &[String], deny: &[String]) -> Result<Self, InvalidRule> {
        let read = |patterns: &[String]| {
            let one = |pattern: &String| match Pattern::new(pattern) {
                Ok(read) => Ok((pattern.trim_end_matches(['/', '\\']).to_owned(), read)),
                Err(error) => Err(InvalidRule { pattern: pattern.clone(), found: error.msg }),
            };
            patterns.iter().map(one).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { allow: read(allow)?, deny: read(deny)? })
    }

    /// Whether a project is read.
    pub fn admit(&self, namespace: &Namespace, folder: Option<&Path>) -> bool {
        let matches = |patterns: &[(String, Pattern)]| patterns.iter().any(|rule| names(rule, namespace, folder));
        !matches(&self.deny) && (self.allow.is_empty() || matches(&self.allow))
    }
}

fn names((text, pattern): &(String, Pattern), namespace: &Namespace, folder: Option<&Path>) -> bool {
    let is_in = |folder: &Path| folder.starts_with(text) || folder.ancestors().any(|above| pattern.matches_path(above));
    namespace.as_str() == text || pattern.matches(namespace.as_str()) || folder.is_some_and(is_in)
}

/// The namespace and the folder of a project.
type Place = (Namespace, PathBuf);

/// Projects by the folders that logs name; each folder is looked at once.
#[derive(Debug, Default)]
pub(super) struct Projects {
    known: HashMap<(String, Option<String>), Option<Place>>,
}

impl Projects {
    /// The namespace and the folder of the project that a log's folder is in; `None` where no name can be made of it.
    pub(super) fn find(&mut self, folder: &str, remote: Option<&str>) -> Option<(Namespace, PathBuf)> {
        let key = (folder.to_owned(), remote.map(str::to_owned));
        let find = || {
            let project = Project::recorded(Path::new(folder), remote).ok()?;
            Some((project.namespace, project.folder))
        };
        self.known.entry(key).or_insert_with(find).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deny_goes_before_allow() {
        let rules = |allow: &[&str], deny: &[&str]| {
            let owned = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>();
            ProjectRules::new(&owned(allow), &owned(deny)).unwrap()
        };
        let kites = Namespace::new("forge.example/ann/kites").unwrap();
        let folder = Path::new("/home/ann/kites");
        assert!(rules(&[], &[]).admit(&kites, None));
        assert!(!rules(&[], &["forge.example/ann/*"]).admit(&kites, None));
        assert!(!rules(&["forge.example/*"], &["/home/ann/"]).admit(&kites, Some(folder)));
        assert!(rules(&["/home/*"], &["/home/an"]).admit(&kites, Some(folder)));
        assert!(!rules(&["forge.example/bob/*"], &[]).admit(&kites, Some(folder)));
        assert!(ProjectRules::new(&["a[".to_owned()], &[]).is_err());
    }
}
