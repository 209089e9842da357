//! Looking for damage, copying a store, and saving what can be read of one.

use std::{io::Write, path::Path};

use aforesaid_core::{
    StoreError,
    analysis::Analyzer,
    index::{Index, IndexSpec},
    store::{BackedUp, CheckDepth, CueRow, Existing, Finding, IndexRow, IndexSink, Salvaged, Version},
    types::{EncoderId, Namespace},
};

use crate::{error::Error, memory::Memory};

const MADE_ANEW: &str = "nothing: the next search makes the snapshot anew";

impl Memory {
    /// Looks for damage; `step` is told what is looked at. In full it also makes the index of every snapshot anew and
    /// compares them.
    ///
    /// # Errors
    /// When the store cannot be looked at; what is wrong with it is a finding.
    pub fn check(&self, depth: CheckDepth, step: &mut dyn FnMut(&str)) -> Result<Vec<Finding>, Error> {
        let mut findings = self.store.check(depth, step)?;
        if depth == CheckDepth::Full {
            step("snapshots");
            let namespaces = match self.store.namespaces() {
                Ok(namespaces) => namespaces,
                // Names that cannot be read are a finding already.
                Err(StoreError::Damaged { .. } | StoreError::Name(_) | StoreError::Backend { .. }) => Vec::new(),
                Err(error) => return Err(error.into()),
            };
            for namespace in namespaces {
                match self.check_snapshots(&namespace) {
                    Ok(found) => findings.extend(found),
                    Err(StoreError::Damaged { found, .. }) => {
                        findings.push(Finding::damage(
                            format!("snapshots of namespace {namespace:?}"),
                            found,
                            "rows that can be read",
                        ));
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(findings)
    }

    /// Copies the store as it is now to a file, which appears whole and compared, or not at all.
    ///
    /// The file is a store as any other: to restore it is to open it.
    ///
    /// # Errors
    /// When the file cannot be, or the store is damaged, cannot be copied or ends with the process.
    pub fn back_up(&self, file: &Path, existing: Existing, step: &mut dyn FnMut(&str)) -> Result<BackedUp, Error> {
        Ok(self.store.back_up(file, existing, step)?)
    }

    /// [`Memory::export`] of a whole namespace that goes on where something cannot be read, in order of arrival.
    ///
    /// # Errors
    /// When the namespace does not exist, nothing can be read, or `out` fails.
    pub fn salvage(&self, namespace: &Namespace, out: &mut dyn Write) -> Result<Salvaged, Error> {
        self.must_exist(namespace)?;
        self.write_lines(out, |visit| self.store.salvage(namespace, visit))
    }

    fn check_snapshots(&self, namespace: &Namespace) -> Result<Vec<Finding>, StoreError> {
        let encoders = self.store.serving(namespace)?;
        let mut findings = Vec::new();
        for name in self.store.snapshots(namespace)? {
            let Some(spec) = spec_of(&name, encoders.as_ref()) else { continue };
            let subject = format!("snapshot {name} of namespace {namespace:?}");
            let Some(bytes) = self.store.snapshot(namespace, &name)? else { continue };
            let kept = match Index::from_snapshot(spec, &bytes) {
                Ok(kept) => kept,
                Err(bad) => {
                    findings.push(Finding::note(subject, bad.to_string(), "one that can be read", MADE_ANEW));
                    continue;
                }
            };
            let Some(version) = kept.version() else { continue };
            let mut anew = Until { index: kept.empty_like(), version };
            let now = self.store.catch_up(namespace, kept.spec().encoder.as_ref(), None, &mut anew)?;
            // One of another epoch is not used.
            if now.epoch != version.epoch {
                continue;
            }
            anew.index.set_version(version);
            if let Some(part) = kept.difference(&anew.index) {
                findings.push(
                    Finding::damage(subject, format!("other {part} than the rows give"), "the index of the rows")
                        .remedied_by("restore a backup, or run `aforesaid reembed` with another --model and back: it drops the snapshot"),
                );
            }
        }
        Ok(findings)
    }
}

/// What an index is made of that is kept under a name; `None` for one that this program would not use.
fn spec_of(name: &str, encoder: Option<&EncoderId>) -> Option<IndexSpec> {
    let analyzers = [Analyzer::English, Analyzer::Plain];
    let specs = analyzers
        .into_iter()
        .flat_map(|analyzer| [None, encoder.cloned()].map(|encoder| IndexSpec { analyzer, encoder }));
    specs.into_iter().find(|spec| spec.key() == name)
}

/// Takes the rows that there were at a version.
struct Until {
    index: Index,
    version: Version,
}

impl IndexSink for Until {
    fn reset(&mut self) {
        self.index.reset();
    }

    fn row(&mut self, row: IndexRow<'_>) -> Result<(), StoreError> {
        if row.seq > self.version.last { Ok(()) } else { self.index.row(row) }
    }

    fn cue(&mut self, cue: CueRow<'_>) -> Result<(), StoreError> {
        if cue.id > self.version.cues { Ok(()) } else { self.index.cue(cue) }
    }
}
