//! Looking for damage, copying a store, and saving what can be read of one.

mod snapshots;

use std::{io::Write, path::Path, sync::atomic::AtomicBool};

use aforesaid_core::{
    StoreError,
    store::{BackedUp, CheckDepth, Existing, Finding, Salvaged},
    types::Namespace,
};

use crate::{error::Error, memory::Memory};

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
                match snapshots::check(&*self.store, &namespace) {
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
    /// The file is a store as any other: to restore it is to open it. Once `stop` is true the copy is given up: nothing of it is
    /// left, and an error says so.
    ///
    /// # Errors
    /// When the file cannot be, the store is damaged, cannot be copied or ends with the process, and when it is stopped.
    pub fn back_up(
        &self,
        file: &Path,
        existing: Existing,
        step: &mut dyn FnMut(&str),
        stop: &AtomicBool,
    ) -> Result<BackedUp, Error> {
        Ok(self.store.back_up(file, existing, step, stop)?)
    }

    /// [`Memory::export`] of a whole namespace that goes on where something cannot be read, in order of arrival.
    ///
    /// # Errors
    /// When the namespace does not exist, nothing can be read, or `out` fails.
    pub fn salvage(&self, namespace: &Namespace, out: &mut dyn Write) -> Result<Salvaged, Error> {
        self.must_exist(namespace)?;
        self.write_lines(out, |visit| self.store.salvage(namespace, visit))
    }
}
