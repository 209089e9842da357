//! Runs scenes without a fault to learn what must be, and with faults to see whether it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use aforesaid_core::StoreError;
use rusqlite::Connection;

use crate::{
    chance::Chance,
    disk::{Call, Fault, Left, disk},
    scenario::{Bench, Kind, Step},
    vfs,
    world::{World, left_in_files},
};

/// How often a call may fail when only one thing went wrong.
const TRIES: usize = 3;

/// Steps that are gone on with after a recovery.
const STEPS_AFTER: usize = 3;

/// Steps from a state of the disk.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// Writes what is there before the first step.
    pub(crate) before: fn(&Path),
    pub(crate) steps: fn() -> Vec<Step>,
}

/// What a scene comes to where nothing goes wrong.
pub(crate) struct Truth {
    scene: Scene,
    steps: Vec<Step>,
    /// After each step.
    worlds: Vec<World>,
    /// What is gone after each step.
    gone: Vec<BTreeSet<String>>,
}

/// Where something goes wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Whether the store's file is read where it lies in memory.
    pub(crate) mapped: bool,
    /// The number of the call.
    pub(crate) at: usize,
    pub(crate) fault: Fault,
    /// The kind of the step that makes the call.
    pub(crate) kind: Kind,
    /// How many calls there are in all.
    calls: usize,
}

/// Figures of a run of many points.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) points: usize,
    pub(crate) by_fault: BTreeMap<Fault, usize>,
    pub(crate) by_kind: BTreeMap<Kind, usize>,
    /// Calls of a store that failed.
    pub(crate) failed_calls: usize,
    /// Stores that had to be opened again after a loss of power, or after errors that did not end.
    pub(crate) recovered: usize,
    /// Stores in whose files something forgotten stands again after a loss of power, until they are opened and closed.
    pub(crate) forgotten_until_closed: usize,
    /// Calls that had failed, or were never answered, and were found done.
    pub(crate) done_all_the_same: usize,
}

impl Truth {
    pub(crate) fn of(scene: Scene) -> Self {
        let steps = (scene.steps)();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        (scene.before)(&path);
        vfs::same_randomness();
        disk().forget();
        disk().mapped = true;
        let mut bench = Bench::new(&path);
        let (mut worlds, mut gone, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for step in &steps {
            step.run(&mut bench).unwrap_or_else(|error| panic!("{}: {error}", step.name));
            let world = World::of(bench.open().unwrap()).unwrap();
            let marks = world.marks();
            seen.extend(marks.iter().cloned());
            gone.push(&seen - &marks);
            worlds.push(world);
        }
        Self { scene, steps, worlds, gone }
    }

    /// Everywhere something can go wrong.
    pub(crate) fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for mapped in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("m.db");
            (self.scene.before)(&path);
            vfs::same_randomness();
            disk().mapped = mapped;
            disk().watch(Vec::new());
            let mut bench = Bench::new(&path);
            let mut calls: Vec<(Call, Kind)> = Vec::new();
            for step in &self.steps {
                step.run(&mut bench).unwrap();
                let new = disk().calls()[calls.len()..].to_vec();
                calls.extend(new.into_iter().map(|call| (call, step.kind)));
            }
            let world = World::of(bench.open().unwrap()).unwrap();
            assert!(world.is(self.worlds.last().unwrap()), "the scene {} is the same each time", self.scene.name);
            drop(bench);
            disk().forget();
            for (at, (call, kind)) in calls.iter().enumerate() {
                let point = |fault: &Fault| Point { mapped, at, fault: *fault, kind: *kind, calls: calls.len() };
                points.extend(call.faults().iter().map(point));
            }
        }
        points
    }

    /// Plays the scene with a fault at a point, and with others after it as `chance` has it.
    ///
    /// # Errors
    /// What is not as it should be.
    pub(crate) fn play(&self, point: Point, chance: &mut Chance, figures: &mut Figures) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        (self.scene.before)(&path);
        let mut plan = vec![(point.at, point.fault)];
        let lasts = matches!(point.fault, Fault::PowerLoss | Fault::ErrorFromNowOn | Fault::DiskFullFromNowOn);
        if !lasts && chance.once_in(2) {
            let later = point.at + 1 + chance.below(point.calls.saturating_sub(point.at));
            plan.push((later, Fault::PowerLoss));
        }
        vfs::same_randomness();
        disk().mapped = point.mapped;
        disk().watch(plan.clone());
        let mut bench = Bench::new(&path);
        let done_before = figures.done_all_the_same;
        let played = self.until_broken(&mut bench, figures);
        // Of what was done and called an error nobody promised that its bytes are gone.
        let told = figures.done_all_the_same == done_before;
        // What closing does is part of it: under a fault that lasts, it fails too.
        let left = match disk().is_off() {
            true => Some([Left::Nothing, Left::Everything, Left::Beginning, Left::Any][chance.below(4)]),
            false => [None, Some(Left::Everything), Some(Left::Beginning), Some(Left::Any)][chance.below(4)],
        };
        let done = match played {
            Ok(done) => done,
            Err(wrong) => {
                drop(bench);
                disk().forget();
                return Err(format!("{plan:?}: {wrong}"));
            }
        };
        match left {
            // The process ends as it should.
            None => {
                drop(bench);
                disk().lose_power(folder.path(), Left::Everything, chance);
            }
            Some(left) => {
                // What closing would still mend is not to happen.
                disk().cut();
                drop(bench);
                disk().lose_power(folder.path(), left, chance);
            }
        }
        self.verify(&path, done, told, chance, figures).map_err(|wrong| format!("{plan:?}, left: {left:?}: {wrong}"))
    }

    /// Runs steps until one cannot be done; says how many were.
    fn until_broken(&self, bench: &mut Bench, figures: &mut Figures) -> Result<usize, String> {
        for (k, step) in self.steps.iter().enumerate() {
            let mut tries = 0;
            while let Err(error) = step.run(bench) {
                figures.failed_calls += 1;
                if matches!(error, StoreError::Damaged { .. }) {
                    return Err(format!("{}: {error}", step.name));
                }
                if disk().is_broken() {
                    return Ok(k);
                }
                tries += 1;
                if tries > TRIES {
                    return Err(format!("{} fails again and again: {error}", step.name));
                }
                disk().pause();
                let done = self.is_done(bench, k).map_err(|wrong| format!("{wrong}, after {}: {error}", step.name));
                disk().resume();
                if done? {
                    figures.done_all_the_same += 1;
                    break;
                }
            }
        }
        Ok(self.steps.len())
    }

    /// Whether a step that failed was done all the same; it must be that, or not begun.
    fn is_done(&self, bench: &mut Bench, k: usize) -> Result<bool, String> {
        // What cannot be open yet is tried again.
        let Some(store) = &bench.store else { return Ok(false) };
        let world = World::of(store).map_err(|error| format!("it cannot be read: {error}"))?;
        self.place(&world, k)
    }

    /// Whether a world is that after step `k`, or else that before it.
    fn place(&self, world: &World, k: usize) -> Result<bool, String> {
        let before = self.worlds.get(k.wrapping_sub(1)).unwrap_or(&self.worlds[0]);
        let after = &self.worlds[k];
        if world.is(before) {
            return Ok(false);
        }
        if world.is(after) {
            return Ok(true);
        }
        let (from_before, from_after) = (world.differences(before), world.differences(after));
        Err(format!(
            "{}: it is neither as before:\n  {}\nnor as after:\n  {}",
            self.steps[k].name,
            from_before.join("\n  "),
            from_after.join("\n  ")
        ))
    }

    /// Opens what is left after `done` steps, all `told` to be done or not, compares, goes on, and closes.
    fn verify(
        &self,
        path: &Path,
        done: usize,
        told: bool,
        chance: &mut Chance,
        figures: &mut Figures,
    ) -> Result<(), String> {
        figures.recovered += 1;
        if told && done > 0 {
            let left = left_in_files(path.parent().unwrap(), &self.gone[done - 1]);
            figures.forgotten_until_closed += usize::from(!left.is_empty());
            // SQLite has synced the store before it empties the log; that the log is empty may be lost.
            if let Some(left) = left.iter().find(|left| !left.ends_with("-wal")) {
                return Err(format!("before it is opened there is still {left}"));
            }
        }
        disk().mapped = chance.once_in(2);
        let mut bench = Bench::new(path);
        // What was not even made may be missing; then it is made now.
        let store = bench.open().map_err(|error| format!("it does not open: {error}"))?;
        let world = World::of(store).map_err(|error| format!("it cannot be read: {error}"))?;
        let mut next = done;
        if done == self.steps.len() {
            if !world.is(&self.worlds[done - 1]) {
                return Err(format!("after all: {}", world.differences(&self.worlds[done - 1]).join("\n  ")));
            }
        } else if self.place(&world, done)? {
            figures.done_all_the_same += 1;
            next += 1;
        }
        let end = self.steps.len().min(next + STEPS_AFTER);
        for step in &self.steps[next..end] {
            step.run(&mut bench).map_err(|error| format!("{} fails after the recovery: {error}", step.name))?;
        }
        let world = World::of(bench.open().unwrap()).map_err(|error| format!("it cannot be read again: {error}"))?;
        if !world.is(&self.worlds[end - 1]) {
            let differences = world.differences(&self.worlds[end - 1]).join("\n  ");
            return Err(format!("gone on with up to {}: {differences}", self.steps[end - 1].name));
        }
        drop(bench);
        whole(path)?;
        let left = left_in_files(path.parent().unwrap(), &self.gone[end - 1]);
        match left.is_empty() {
            true => Ok(()),
            false => Err(format!("after {} there is still {}", self.steps[end - 1].name, left.join(", "))),
        }
    }
}

/// Has SQLite check a store.
fn whole(path: &Path) -> Result<(), String> {
    let connection = Connection::open(path).map_err(|error| error.to_string())?;
    let answer: rusqlite::Result<String> = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0));
    match answer {
        Ok(answer) if answer == "ok" => Ok(()),
        Ok(answer) => Err(format!("SQLite finds {answer}")),
        Err(error) => Err(format!("SQLite cannot check it: {error}")),
    }
}
