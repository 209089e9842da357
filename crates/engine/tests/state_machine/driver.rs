//! Gives commands to workers, and compares what they answer with the model.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use super::model::{Effect, Lane, word};
use crate::{
    chance::Chance,
    workers::{Answer, Command, Failure, Found, Idle, Line, Worker},
};

const WORKERS: usize = 3;
const LANES: usize = 4;
const SLOTS: usize = 3;
const ENCODERS: [&str; 2] = ["bags@1/f32", "sacks@2/int8"];

/// Turns above which a lane rather forgets.
const FULL: usize = 60;

/// Commands shown when something is wrong.
const SHOWN: usize = 80;

/// The encoder of the memory in each slot.
type Slots = [Option<&'static str>; SLOTS];

struct Hand {
    worker: Worker,
    slots: Slots,
}

/// What all the store holds, beside its lanes.
#[derive(Default)]
struct Shared {
    exists: bool,
    serving: Option<String>,
    /// Whether what serves may have changed since it was last asked for.
    unsettled: bool,
}

pub(crate) struct Driver {
    seed: u64,
    steps: usize,
    chance: Chance,
    location: String,
    /// Whether a program of another kind may open the store, which has to be a file.
    is_file: bool,
    hands: Vec<Hand>,
    /// A process that has no memory open: a program of another kind.
    stranger: Worker,
    lanes: [Lane; LANES],
    shared: Shared,
    /// Epoch and last place, when last asked, and what happened since.
    version: Option<((u64, u64), u64)>,
    added: u64,
    /// Something moved the epoch or took rows away for certain.
    moved: bool,
    /// Something may have moved it.
    perhaps_moved: bool,
    words: usize,
    log: VecDeque<String>,
    counts: BTreeMap<&'static str, usize>,
}

fn lane_name(lane: usize) -> String {
    format!("lane{lane}")
}

impl Driver {
    /// A driver of a store that is not there yet.
    pub(crate) fn new(seed: u64, location: String, is_file: bool) -> Self {
        let hands = (0..WORKERS).map(|_| Hand { worker: Worker::start(), slots: Slots::default() }).collect();
        Self {
            seed,
            steps: 0,
            chance: Chance::new(seed),
            location,
            is_file,
            hands,
            stranger: Worker::start(),
            lanes: Default::default(),
            shared: Shared::default(),
            version: None,
            added: 0,
            moved: false,
            perhaps_moved: false,
            words: 0,
            log: VecDeque::new(),
            counts: BTreeMap::new(),
        }
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    pub(crate) fn figures(&self) -> String {
        format!("seed {}, {} steps: {:?}", self.seed, self.steps, self.counts)
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn note(&mut self, text: String) {
        self.log.push_back(text);
        if self.log.len() > SHOWN {
            self.log.pop_front();
        }
    }

    /// One round: every process gets some commands at once, and perhaps one is killed over them.
    pub(crate) fn round(&mut self) {
        match self.chance.below(60) {
            0 => self.forget_all(),
            1..=4 => self.reembed_alone(),
            _ => self.side_by_side(),
        }
        if self.chance.once_in(3) {
            self.check_something();
        }
    }

    fn side_by_side(&mut self) {
        let mut lanes: Vec<usize> = (0..LANES).collect();
        let mut plans = Vec::new();
        for hand in 0..WORKERS {
            let lane = lanes.swap_remove(self.chance.below(lanes.len()));
            plans.push((hand, lane, self.plan(hand, lane)));
        }
        let reembedding = plans.iter().any(|(_, _, plan)| plan.iter().any(|c| matches!(c, Command::Reembed { .. })));
        self.shared.unsettled = reembedding || self.shared.serving.is_none();
        let killed = self.chance.once_in(25).then(|| self.chance.below(WORKERS));
        let pause = Duration::from_micros(self.chance.below(12_000) as u64);
        for (hand, _, plan) in &plans {
            plan.iter().for_each(|command| self.hands[*hand].worker.send(command));
        }
        let intruding = self.chance.once_in(6) && self.is_file;
        if intruding {
            self.stranger.send(&Command::Intrude { path: self.location.clone() });
        }
        let last_words = killed.map(|hand| {
            std::thread::sleep(pause);
            (hand, self.kill(hand))
        });
        for (hand, lane, plan) in plans.iter().filter(|(hand, ..)| killed != Some(*hand)) {
            for command in plan {
                let answer = self.hands[*hand].worker.answer();
                self.judge(*hand, *lane, command, &answer, &lanes);
            }
        }
        if let Some((hand, (slots, answers))) = last_words {
            let (_, lane, plan) = &plans[hand];
            self.judge_killed(hand, *lane, plan, slots, &answers, &lanes);
        }
        if intruding {
            let answer = self.stranger.answer();
            self.steps += 1;
            self.note(format!("a stranger: {answer:?}"));
            self.count(if answer == Answer::LetIn(true) { "intruder let in" } else { "intruder kept out" });
        }
        self.settle();
        if let Some(hand) = killed {
            let lane = plans[hand].1;
            self.check_lane(lane);
        }
    }

    /// Commands for one process to its lane; what is in its slots afterwards is noted at once.
    fn plan(&mut self, hand: usize, lane: usize) -> Vec<Command> {
        let mut plan = Vec::new();
        // What the lane will be when the commands before are done.
        let mut future = self.lanes[lane].clone();
        for _ in 0..1 + self.chance.below(4) {
            if self.chance.once_in(5) {
                let slot = self.chance.below(SLOTS);
                plan.push(match self.hands[hand].slots[slot].is_some() && self.chance.once_in(2) {
                    true => self.drop_slot(hand, slot),
                    false => self.open_slot(hand, slot),
                });
                continue;
            }
            let open: Vec<usize> = (0..SLOTS).filter(|&slot| self.hands[hand].slots[slot].is_some()).collect();
            let slot = match self.chance.pick(&open) {
                Some(&slot) => slot,
                None => {
                    plan.push(self.open_slot(hand, 0));
                    0
                }
            };
            let command = self.command(slot, lane, &future);
            // An addition may be refused, and then its turns are not there for the next command; with a store's own ids
            // they cannot be named before they are given. Both end the plan.
            let last = matches!(command, Command::Add { .. } | Command::Import { .. } | Command::ImportMany { .. });
            let effect = future.effect(&command);
            future.apply(effect);
            plan.push(command);
            if last {
                break;
            }
        }
        plan
    }

    fn open_slot(&mut self, hand: usize, slot: usize) -> Command {
        let serving = ENCODERS.iter().position(|name| self.shared.serving.as_deref() == Some(*name));
        let encoder = match serving {
            Some(serving) if !self.chance.once_in(6) => ENCODERS[serving],
            _ => ENCODERS[self.chance.below(2)],
        };
        self.hands[hand].slots[slot] = Some(encoder);
        Command::Open { slot, path: self.location.clone(), encoder: encoder.to_owned() }
    }

    fn drop_slot(&mut self, hand: usize, slot: usize) -> Command {
        self.hands[hand].slots[slot] = None;
        Command::Drop { slot }
    }

    fn command(&mut self, slot: usize, lane: usize, future: &Lane) -> Command {
        let conversation = lane_name(lane);
        let full = future.turns.len() > FULL;
        match self.chance.below(100) {
            0..30 if !full => {
                let lines = (0..1 + self.chance.below(4)).map(|_| self.line(false)).collect();
                Command::Add { slot, conversation, lines }
            }
            30..44 if !full => {
                let mut lines: Vec<Line> = (0..1 + self.chance.below(6)).map(|_| self.line(true)).collect();
                // Some that are there already; those without a name of their own yet cannot be asked for.
                for turn in future.turns.iter().filter(|turn| !turn.id.is_empty()).take(self.chance.below(3)) {
                    lines.push(Line {
                        session: turn.session.clone(),
                        id: Some(turn.id.clone()),
                        text: turn.text.clone(),
                    });
                }
                Command::Import { slot, conversation, lines }
            }
            44 if !full && self.chance.once_in(2) => {
                self.words += 1;
                let (session, word) = ("many".to_owned(), format!("many{}", self.words));
                Command::ImportMany { slot, conversation, session, word, turns: 1_030 }
            }
            45..60 => match self.chance.pick(&future.turns).filter(|turn| !turn.id.is_empty()) {
                Some(turn) => Command::ForgetOne { slot, conversation, id: turn.id.clone() },
                None => Command::ForgetOne { slot, conversation, id: "nobody".to_owned() },
            },
            60..65 => {
                let session = match future.turns.iter().any(|turn| turn.session == "many") {
                    true => "many".to_owned(),
                    false => format!("s{}", self.chance.below(3)),
                };
                Command::ForgetSession { slot, conversation, session }
            }
            65..67 => Command::ForgetConversation { slot, conversation },
            0..45 => match self.chance.once_in(2) {
                true => Command::ForgetConversation { slot, conversation },
                false => Command::ForgetSession { slot, conversation, session: format!("s{}", self.chance.below(3)) },
            },
            67..69 => Command::Reembed { slot, idle: self.idle() },
            69..80 => Command::Read { slot, conversation },
            _ => self.search(slot, future),
        }
    }

    fn idle(&mut self) -> Idle {
        match self.chance.once_in(2) {
            true => Idle::Drop,
            false => Idle::Keep,
        }
    }

    /// A search for what is there, or for what is gone.
    fn search(&mut self, slot: usize, lane: &Lane) -> Command {
        let there = self.chance.pick(&lane.turns).map(|turn| word(&turn.text).to_owned());
        let gone = self.chance.pick(&lane.gone).cloned();
        let text = match self.chance.once_in(2) {
            true => there.or(gone),
            false => gone.or(there),
        };
        let pipeline = match self.chance.once_in(3) {
            true => "hybrid",
            false => "lexical",
        };
        Command::Search { slot, pipeline: pipeline.to_owned(), text: text.unwrap_or_else(|| "kite".to_owned()) }
    }

    /// A text with a word of its own.
    fn line(&mut self, named: bool) -> Line {
        self.words += 1;
        let n = self.words;
        let filler =
            ["the kite is red", "soup wants cumin", "we sailed at dawn, and the wind was with us all day long"];
        Line {
            session: format!("s{}", self.chance.below(3)),
            id: named.then(|| format!("id{n}")),
            text: format!("word{n} {}", filler[self.chance.below(3)]),
        }
    }

    /// Compares one answer with the model and brings the model on.
    fn judge(&mut self, hand: usize, lane: usize, command: &Command, answer: &Answer, idle_lanes: &[usize]) {
        self.steps += 1;
        self.note(format!("process {hand}, lane {lane}: {command:?} -> {}", shortened(answer)));
        let effect = self.lanes[lane].effect(command);
        match (command, answer) {
            (Command::Open { .. } | Command::Drop { .. }, Answer::Done) => self.count("open or drop"),
            (
                Command::Add { slot, .. }
                | Command::Import { slot, .. }
                | Command::ImportMany { slot, .. }
                | Command::Search { slot, .. },
                Answer::Failed { failure: Failure::OtherEncoder, .. },
            ) => {
                // The slot's encoder may have changed later in this plan; the plan ends with an addition, so not then.
                let encoder = self.hands[hand].slots[*slot];
                let other = self.shared.serving.as_deref() != encoder;
                self.require(
                    self.shared.unsettled || other || matches!(command, Command::Search { .. }),
                    command,
                    answer,
                );
                self.count("refused: other encoder");
            }
            (
                Command::Add { .. } | Command::Import { .. } | Command::ImportMany { .. },
                Answer::Added { ids, added },
            ) => {
                let Effect::Add(mut turns) = effect else { unreachable!() };
                self.require(*added == turns.len(), command, answer);
                if let Command::Add { .. } = command {
                    self.require(ids.len() == turns.len(), command, answer);
                    for (turn, id) in turns.iter_mut().zip(ids) {
                        let first = self.lanes[lane].give(&turn.session, id);
                        assert!(first, "id {id} was given before, to another text");
                        turn.id.clone_from(id);
                    }
                }
                self.added += turns.len() as u64;
                self.shared.exists = true;
                self.lanes[lane].apply(Effect::Add(turns));
                self.count(if matches!(command, Command::Add { .. }) { "add" } else { "import" });
            }
            (
                Command::ForgetOne { .. } | Command::ForgetSession { .. } | Command::ForgetConversation { .. },
                Answer::Forgotten(gone),
            ) => {
                let Effect::Forget(places) = &effect else { unreachable!() };
                self.require(*gone == places.len() as u64 && *gone > 0, command, answer);
                self.lanes[lane].apply(effect);
                self.moved = true;
                self.count("forget");
            }
            (
                Command::ForgetOne { .. } | Command::ForgetSession { .. } | Command::ForgetConversation { .. },
                Answer::Failed { failure: Failure::NotThere, .. },
            ) => {
                self.require(effect == Effect::Forget(Vec::new()), command, answer);
                self.perhaps_moved = true;
                self.count("forget nothing");
            }
            (Command::Reembed { .. }, Answer::Done) => {
                self.perhaps_moved = true;
                self.count("reembed");
            }
            (Command::Search { text, .. }, Answer::Turns(found)) => {
                self.check_hits(lane, idle_lanes, text, found, command);
                self.count("search");
            }
            (Command::Read { .. }, Answer::Turns(found)) => {
                let is = self.lanes[lane].is(found);
                self.require(is, command, answer);
                self.count("read");
            }
            // Another process may make the namespace meanwhile, but then this lane has nothing yet.
            (
                Command::Reembed { .. } | Command::Search { .. } | Command::Read { .. },
                Answer::Failed { failure: Failure::NotThere, .. },
            ) => {
                self.require(self.lanes[lane].turns.is_empty() && !self.settled_namespace(), command, answer);
                self.count("no namespace");
            }
            _ => self.require(false, command, answer),
        }
    }

    /// Whether there was a namespace when the round began: a lane at rest says so.
    fn settled_namespace(&self) -> bool {
        !self.shared.unsettled && self.shared.exists
    }

    fn require(&self, holds: bool, command: &Command, answer: &Answer) {
        assert!(holds, "{command:?} was answered {}", shortened(answer));
    }

    /// Whatever is found in a lane that nobody else writes to is there, and what is asked for by its own word is found.
    fn check_hits(&self, lane: usize, idle_lanes: &[usize], asked: &str, found: &[Found], command: &Command) {
        for lane in idle_lanes.iter().copied().chain([lane]) {
            let name = lane_name(lane);
            for hit in found.iter().filter(|hit| hit.conversation == name) {
                let there = self.lanes[lane].turns.iter().any(|turn| turn.id == hit.id && turn.text == hit.text);
                assert!(there, "{command:?} found what is not there: {hit:?}");
            }
        }
        let expected = self.lanes[lane].turns.iter().any(|turn| word(&turn.text) == asked);
        let hit = found.iter().any(|hit| word(&hit.text) == asked);
        assert!(hit || !expected, "{command:?} did not find it");
    }

    /// Kills a process and starts another in its place; gives what was in its slots and what it had answered.
    fn kill(&mut self, hand: usize) -> (Slots, Vec<Answer>) {
        let new = Hand { worker: Worker::start(), slots: Slots::default() };
        let old = std::mem::replace(&mut self.hands[hand], new);
        self.count("kill");
        (old.slots, old.worker.kill())
    }

    /// Of a killed process's commands the first that it has not answered is done whole, or not at all.
    fn judge_killed(
        &mut self,
        hand: usize,
        lane: usize,
        plan: &[Command],
        slots: Slots,
        answers: &[Answer],
        idle_lanes: &[usize],
    ) {
        // Its answers are judged by what was in its slots.
        self.hands[hand].slots = slots;
        for (command, answer) in plan.iter().zip(answers) {
            self.judge(hand, lane, command, answer, idle_lanes);
        }
        self.hands[hand].slots = Slots::default();
        self.note(format!("process {hand} was killed"));
        if let Some(command) = plan.get(answers.len()) {
            self.note(format!("process {hand}, lane {lane}: {command:?} was not answered"));
            self.steps += 1;
            self.perhaps_moved = true;
            self.shared.unsettled = true;
            let mut done = self.lanes[lane].clone();
            let effect = done.effect(command);
            done.apply(effect);
            self.recover(vec![(lane, done)]);
        }
    }

    /// Finds out which of two states lanes are in after a kill: all as they were, or all as they would be.
    fn recover(&mut self, done: Vec<(usize, Lane)>) {
        let mut happened = None;
        for (lane, mut done) in done {
            let found = self.read(lane);
            let before = self.lanes[lane].is(&found);
            let after = done.is(&found);
            assert!(before || after, "lane {lane} is neither as before the killed command nor as after it: {found:?}");
            if before != after {
                assert!(happened.is_none_or(|happened| happened == after), "half of a killed command was done");
                happened = Some(after);
            }
            if after && !before {
                self.lanes[lane] = done;
                self.added = 0;
                self.version = None;
            }
        }
        if happened == Some(true) {
            self.count("kill after the deed");
        }
    }

    /// A process and a slot that holds a memory.
    fn anyone(&mut self) -> (usize, usize) {
        let hand = self.chance.below(WORKERS);
        let slot = self.chance.below(SLOTS);
        if self.hands[hand].slots[slot].is_none() {
            let open = self.open_slot(hand, slot);
            self.ask(hand, &open);
        }
        (hand, slot)
    }

    fn ask(&mut self, hand: usize, command: &Command) -> Answer {
        self.steps += 1;
        let answer = self.hands[hand].worker.ask(command);
        self.note(format!("process {hand}: {command:?} -> {}", shortened(&answer)));
        if let Answer::Failed { failure: Failure::Unexpected, .. } = answer {
            self.require(false, command, &answer);
        }
        answer
    }

    fn read(&mut self, lane: usize) -> Vec<Found> {
        let (hand, slot) = self.anyone();
        match self.ask(hand, &Command::Read { slot, conversation: lane_name(lane) }) {
            Answer::Turns(found) => found,
            Answer::Failed { failure: Failure::NotThere, .. } => Vec::new(),
            other => panic!("a read was answered {other:?}"),
        }
    }

    fn check_lane(&mut self, lane: usize) {
        let found = self.read(lane);
        assert!(self.lanes[lane].is(&found), "lane {lane} is {found:?}, expected {:?}", self.lanes[lane].turns);
    }

    /// Asks what serves, and holds it against what is known.
    fn settle(&mut self) {
        let (hand, slot) = self.anyone();
        let total: usize = self.lanes.iter().map(|lane| lane.turns.len()).sum();
        match self.ask(hand, &Command::Stats { slot }) {
            Answer::Counts { turns, vectors, serving } => {
                assert_eq!(turns, total as u64, "turns in all");
                assert!(self.shared.unsettled || serving == self.shared.serving, "{serving:?} serves");
                let by_serving = vectors.iter().find(|(name, _)| Some(name) == serving.as_ref());
                assert_eq!(by_serving.map_or(0, |(_, n)| *n), turns, "every turn has a vector that serves");
                self.shared.serving = serving;
                self.shared.exists = true;
            }
            Answer::Failed { failure: Failure::NotThere, .. } => {
                assert_eq!(total, 0, "the namespace is gone");
                self.shared.exists = false;
                self.shared.serving = None;
            }
            other => panic!("{other:?}"),
        }
        self.shared.unsettled = false;
    }

    fn forget_all(&mut self) {
        let (hand, slot) = self.anyone();
        let total: u64 = self.lanes.iter().map(|lane| lane.turns.len() as u64).sum();
        // The others read meanwhile.
        let others: Vec<(usize, usize)> = (0..2).map(|_| self.anyone()).filter(|(other, _)| *other != hand).collect();
        for &(other, slot) in &others {
            let search = Command::Search { slot, pipeline: "lexical".to_owned(), text: "kite".to_owned() };
            self.hands[other].worker.send(&search);
        }
        let command = Command::ForgetAll { slot };
        let killed = self.chance.once_in(3);
        let mut answer = None;
        match killed {
            true => {
                let pause = Duration::from_micros(self.chance.below(10_000) as u64);
                self.hands[hand].worker.send(&command);
                std::thread::sleep(pause);
                answer = self.kill(hand).1.pop();
            }
            false => answer = answer.or_else(|| Some(self.hands[hand].worker.ask(&command))),
        }
        self.note(format!("process {hand}, killed: {killed}: {command:?} -> {answer:?}"));
        for (other, _) in others {
            let answer = self.hands[other].worker.answer();
            let fine = matches!(&answer, Answer::Turns(_) | Answer::Failed { failure: Failure::NotThere, .. });
            assert!(fine, "a search beside a forget was answered {answer:?}");
        }
        self.steps += 1;
        self.perhaps_moved = true;
        self.shared.unsettled = true;
        let emptied = |lane: &Lane| {
            let mut lane = lane.clone();
            lane.apply(Effect::Forget((0..lane.turns.len()).collect()));
            lane.forget_given();
            lane
        };
        let done: Vec<(usize, Lane)> = self.lanes.iter().map(emptied).enumerate().collect();
        match answer {
            Some(Answer::Forgotten(gone)) => {
                assert_eq!(gone, total, "turns forgotten in all");
                done.into_iter().for_each(|(i, lane)| self.lanes[i] = lane);
                self.version = None;
                self.added = 0;
            }
            Some(Answer::Failed { failure: Failure::NotThere, .. }) => assert_eq!(total, 0),
            Some(other) => panic!("{command:?} was answered {other:?}"),
            None => {
                self.recover(done);
                if self.lanes.iter().all(|lane| lane.turns.is_empty()) {
                    self.lanes.iter_mut().for_each(Lane::forget_given);
                    self.version = None;
                }
            }
        }
        self.count("forget all");
        self.settle();
    }

    /// Has the other encoder serve while the others search.
    fn reembed_alone(&mut self) {
        let (hand, slot) = self.anyone();
        let encoder = self.hands[hand].slots[slot];
        let others: Vec<(usize, usize)> = (0..2).map(|_| self.anyone()).filter(|(other, _)| *other != hand).collect();
        let mut asked = Vec::new();
        for &(other, slot) in &others {
            let lane = self.lanes[self.chance.below(LANES)].clone();
            let search = self.search(slot, &lane);
            self.hands[other].worker.send(&search);
            asked.push((other, search));
        }
        let command = Command::Reembed { slot, idle: self.idle() };
        let answer = self.ask(hand, &command);
        for (other, search) in asked {
            let answer = self.hands[other].worker.answer();
            self.note(format!("process {other}: {search:?} -> {}", shortened(&answer)));
            match &answer {
                Answer::Turns(found) => {
                    let Command::Search { text, .. } = &search else { unreachable!() };
                    for lane in 0..LANES {
                        self.check_hits(lane, &[], text, found, &search);
                    }
                }
                Answer::Failed { failure: Failure::NotThere, .. } => assert!(!self.shared.exists),
                Answer::Failed { failure: Failure::OtherEncoder, .. } => {}
                other => panic!("{search:?} was answered {other:?}"),
            }
        }
        self.steps += 1;
        self.perhaps_moved = true;
        self.shared.unsettled = true;
        self.count("reembed");
        self.settle();
        if answer == Answer::Done && self.lanes.iter().any(|lane| !lane.turns.is_empty()) {
            assert_eq!(self.shared.serving.as_deref(), encoder, "what was asked to serve serves");
        }
    }

    fn check_something(&mut self) {
        match self.chance.below(5) {
            0 => {
                let lane = self.chance.below(LANES);
                self.check_lane(lane);
            }
            1 => self.check_export(),
            2 | 3 => self.check_version(),
            _ => {
                let lane = self.chance.below(LANES);
                let (hand, slot) = self.anyone();
                let search = self.search(slot, &self.lanes[lane].clone());
                let answer = self.ask(hand, &search);
                match (&search, &answer) {
                    (Command::Search { text, .. }, Answer::Turns(found)) => {
                        for lane in 0..LANES {
                            self.check_hits(lane, &[], text, found, &search);
                        }
                    }
                    (_, Answer::Failed { failure: Failure::NotThere, .. }) => assert!(!self.shared.exists),
                    (Command::Search { pipeline, .. }, Answer::Failed { failure: Failure::OtherEncoder, .. }) => {
                        assert_eq!(pipeline, "hybrid");
                        assert_ne!(self.shared.serving.as_deref(), self.hands[hand].slots[slot]);
                    }
                    _ => panic!("{search:?} was answered {answer:?}"),
                }
            }
        }
    }

    fn check_export(&mut self) {
        let (hand, slot) = self.anyone();
        let found = match self.ask(hand, &Command::Export { slot }) {
            Answer::Turns(found) => found,
            Answer::Failed { failure: Failure::NotThere, .. } => Vec::new(),
            other => panic!("an export was answered {other:?}"),
        };
        for lane in 0..LANES {
            let name = lane_name(lane);
            let of_lane: Vec<Found> = found.iter().filter(|turn| turn.conversation == name).cloned().collect();
            assert!(self.lanes[lane].is(&of_lane), "lane {lane} exports {of_lane:?}");
        }
        let total: usize = self.lanes.iter().map(|lane| lane.turns.len()).sum();
        assert_eq!(found.len(), total, "turns exported in all");
    }

    /// Versions move with what is searched, and with nothing else.
    fn check_version(&mut self) {
        if !self.shared.exists {
            return;
        }
        let hand = self.chance.below(WORKERS);
        let command = Command::Version { path: self.location.clone() };
        let Answer::Version(Some((state, last))) = self.ask(hand, &command) else { panic!("no version") };
        if let Some((state_before, last_before)) = self.version {
            assert!(!self.moved || state != state_before, "a forget did not move the version");
            if !self.moved && !self.perhaps_moved {
                assert_eq!(state, state_before, "nothing was forgotten, and the version says so");
            }
            assert_eq!(last, last_before + self.added, "every turn has a place of its own");
        }
        self.version = Some((state, last));
        self.added = 0;
        self.moved = false;
        self.perhaps_moved = false;
        self.count("version");
    }

    pub(crate) fn check_everything(&mut self) {
        (0..LANES).for_each(|lane| self.check_lane(lane));
        self.check_export();
        self.check_version();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!(
                "seed {}, step {}; AFORESAID_SEED={} begins alike. The last commands:",
                self.seed, self.steps, self.seed
            );
            self.log.iter().for_each(|line| println!("  {line}"));
        }
    }
}

fn shortened(answer: &Answer) -> String {
    match answer {
        Answer::Turns(turns) if turns.len() > 12 => format!("{} turns", turns.len()),
        other => format!("{other:?}"),
    }
}
