//! Which units of a text answer best.

use std::ops::Range;

use super::{
    Mark, REPEAT, SNIPPET_CHARS, cut,
    laid::Laid,
    units::{self, Kind},
    wanted::{Holding, Quantity, holding},
    whole,
};

/// The part that speaks most for a text is shown where its marks weigh at least one part in so many of the best elsewhere.
const NEAR: f64 = 2.0;

/// The beginning of a text, where answers are often put, weighs so many times as much as another part.
const BEGINNING: f64 = 1.1;

/// A part that holds what is asked for weighs so many times as much as one without a figure.
const WANTED: f64 = 1.3;

/// A part that holds a figure of another kind does so many times.
const FIGURE: f64 = 1.1;

/// The marks of the unit of a part that has most count by this share more: words that stand close belong together.
const CLOSE: f64 = 0.6;

/// A term of what says what a unit is about, such as its heading, counts by this share.
const CONTEXT: f64 = 0.5;

/// A term below another heading than the beginning of a part counts by this share.
const OTHER_SECTION: f64 = 0.5;

/// Marks of what says what a unit is about that are looked at.
const CONTEXT_MARKS: usize = 8;

/// A part whose first unit has no mark weighs so many times as much as one that has: it is about the words by what stands above.
const UNMARKED_BEGINNING: f64 = 0.8;

/// What no mark weighs: parts without one differ by the rest.
const UNMARKED: f64 = 1e-6;

/// A sentence elsewhere is shown besides where its further terms weigh at least this share of those of the part.
const FURTHER: f64 = 0.5;

/// A sentence of the same section weighs so many times as much there.
const SAME_SECTION: f64 = 1.25;

/// Characters of a part of a unit, at the least.
const LEAST: usize = 60;

/// Characters between parts, and at an end.
const GAP: usize = 3;

/// Characters that the first unit of a part may have, so that it is shown whole.
const MOST: usize = whole(SNIPPET_CHARS) - 4 * GAP;

impl Laid {
    /// The parts to show, as bytes of the line, in order.
    pub(super) fn choose(&self, marks: &[Mark], weights: &[f64], asked: &[Quantity]) -> Vec<Range<usize>> {
        if self.line.chars().nth(whole(SNIPPET_CHARS)).is_none() {
            return std::iter::once(0..self.line.len()).collect();
        }
        let mut firsts = Vec::with_capacity(self.places.len() + 1);
        let mut first = 0;
        for place in &self.places {
            while marks.get(first).is_some_and(|mark| mark.bytes.start < place.start) {
                first += 1;
            }
            firsts.push(first);
        }
        firsts.push(marks.len());
        let held = vec![None; self.units.len()];
        let beginning = (0..self.units.len()).find(|&unit| self.is_shown(unit)).unwrap_or(0);
        Chooser { laid: self, marks, weights, asked, firsts, beginning, held, seen: vec![0; weights.len()], stamp: 0 }
            .choose()
    }
}

/// Units that follow one another.
#[derive(Debug, Clone)]
struct Run {
    first: usize,
    /// The end of those that are whole.
    end: usize,
    header: Option<usize>,
    /// Characters that are left.
    room: usize,
}

/// Chooses the parts of a text.
struct Chooser<'a> {
    laid: &'a Laid,
    marks: &'a [Mark],
    weights: &'a [f64],
    asked: &'a [Quantity],
    /// The first mark of each unit, and the end of all marks.
    firsts: Vec<usize>,
    /// The first unit that is shown.
    beginning: usize,
    /// What each unit holds of what is asked for, where it was looked at.
    held: Vec<Option<Holding>>,
    /// When each term was last counted.
    seen: Vec<usize>,
    stamp: usize,
}

impl Chooser<'_> {
    fn choose(mut self) -> Vec<Range<usize>> {
        let mut best: Option<(f64, Run)> = None;
        let is_unmarked = self.marks.is_empty();
        for first in 0..self.laid.units.len() {
            let may_begin =
                is_unmarked || first == self.beginning || first == self.laid.near.start || self.is_about(first);
            if !may_begin || !self.laid.is_shown(first) {
                continue;
            }
            let run = self.run(first);
            let score = self.score(&run);
            // Sums differ in the last digit by their order; what comes first is better.
            if best.as_ref().is_none_or(|(most, _)| score > most * (1.0 + 1e-9)) {
                best = Some((score, run));
            }
        }
        match best {
            Some((_, run)) => self.parts(run),
            None => std::iter::once(0..cut::head(&self.laid.line, SNIPPET_CHARS)).collect(),
        }
    }

    /// Whether a unit has a mark, or what says what it is about does.
    fn is_about(&self, unit: usize) -> bool {
        let has = |unit: usize| self.firsts[unit] < self.firsts[unit + 1];
        has(unit) || self.context(unit).any(has)
    }

    /// The units that say what one is about; a heading says it itself.
    fn context(&self, unit: usize) -> impl Iterator<Item = usize> + use<> {
        let of = &self.laid.units[unit];
        of.about.into_iter().flatten().filter(|_| of.kind != Kind::Heading).collect::<Vec<_>>().into_iter()
    }

    /// The units from one on that have room.
    fn run(&self, first: usize) -> Run {
        let Laid { units, chars, .. } = self.laid;
        let header = units[first].header.filter(|&header| chars[header] + GAP + chars[first] <= SNIPPET_CHARS);
        let used = header.map_or(0, |header| chars[header] + GAP);
        let mut room = (SNIPPET_CHARS - used).saturating_sub(chars[first]);
        let mut end = first + 1;
        while end < units.len() && end - first < SNIPPET_CHARS {
            if self.laid.is_shown(end) {
                if chars[end] + 1 > room {
                    break;
                }
                room -= chars[end] + 1;
            }
            end += 1;
        }
        while end > first + 1 && (!self.laid.is_shown(end - 1) || units[end - 1].kind == Kind::Heading) {
            end -= 1;
            room += if self.laid.is_shown(end) { chars[end] + 1 } else { 0 };
        }
        Run { first, end, header, room }
    }

    /// The unit after a run that is shown in part.
    fn next_part(&self, run: &Run) -> Option<usize> {
        let mut next = run.end..self.laid.units.len().min(run.end + SNIPPET_CHARS);
        let next = next.find(|&unit| self.laid.is_shown(unit))?;
        let is_prose = matches!(self.laid.units[next].kind, Kind::Sentence | Kind::Row);
        let is_introduced = self.laid.introduces(run.end - 1);
        let least = if is_introduced { GAP + 1 } else { LEAST };
        ((is_prose || is_introduced) && run.room > least).then_some(next)
    }

    /// The bytes of the first unit of a run that are shown.
    fn first_part(&self, run: &Run) -> Range<usize> {
        let place = self.laid.places[run.first].clone();
        if self.laid.chars[run.first] <= MOST {
            return place;
        }
        let unit = &self.laid.line[place.clone()];
        let marks = self.own(run.first);
        let part = match marks.is_empty() && place.contains(&self.laid.near_at) && run.first == self.laid.near.start {
            false => cut::around(unit, &marks, self.weights, SNIPPET_CHARS),
            true => {
                let from = self.laid.near_at - place.start;
                from..from + cut::head(&unit[from..], SNIPPET_CHARS)
            }
        };
        place.start + part.start..place.start + part.end
    }

    /// The marks of a unit, as bytes of it.
    fn own(&self, unit: usize) -> Vec<Mark> {
        let Range { start, end } = self.laid.places[unit];
        let of =
            |mark: &Mark| Mark { bytes: mark.bytes.start - start..mark.bytes.end.min(end) - start, term: mark.term };
        self.marks[self.firsts[unit]..self.firsts[unit + 1]].iter().map(of).collect()
    }

    /// How well a run answers.
    fn score(&mut self, run: &Run) -> f64 {
        self.stamp += 1;
        let (mut most, mut weight) = (0.0f64, 0.0);
        let mut held = Holding::Nothing;
        let is_heading = self.laid.units[run.first].kind == Kind::Heading;
        if let Some(header) = run.header {
            weight += self.weigh(self.laid.places[header].clone(), header, CONTEXT_MARKS).0;
        }
        let begins_marked = self.firsts[run.first] < self.firsts[run.first + 1];
        let (mut is_marked, mut is_other) = (true, false);
        for unit in run.first..run.end {
            if !self.laid.is_shown(unit) {
                continue;
            }
            let shown = if unit == run.first { self.first_part(run) } else { self.laid.places[unit].clone() };
            let (gain, own) = self.weigh(shown, unit, usize::MAX);
            // The words of two sections do not stand together.
            is_other |= unit > run.first && self.laid.units[unit].kind == Kind::Heading;
            let share = if is_other { OTHER_SECTION } else { 1.0 };
            (weight, most) = (weight + share * gain, most.max(own));
            // A figure counts with the words, behind them, or below the heading that has them.
            let counts = own > 0.0 || is_marked || is_heading;
            held = held.max(if counts { self.held(unit) } else { Holding::Nothing });
            is_marked = own > 0.0;
            if !begins_marked {
                break;
            }
        }
        if let Some(next) = self.next_part(run).filter(|_| begins_marked) {
            let Range { start, end } = self.laid.places[next];
            let share = if is_other { OTHER_SECTION } else { 1.0 };
            weight += share * self.weigh(start..end.min(start + run.room), next, usize::MAX).0;
        }
        let context: Vec<usize> = self.context(run.first).filter(|&about| about < run.first).collect();
        for about in context {
            weight += CONTEXT * self.weigh(self.laid.places[about].clone(), about, CONTEXT_MARKS).0;
        }
        let times = [
            (!begins_marked, UNMARKED_BEGINNING),
            (self.laid.near.contains(&run.first), NEAR),
            (run.first == self.beginning, BEGINNING),
            (held == Holding::Wanted, WANTED),
            (held == Holding::Figure, FIGURE),
        ];
        let times: f64 = times.into_iter().filter(|(holds, _)| *holds).map(|(_, times)| times).product();
        (weight + CLOSE * most + UNMARKED) * times
    }

    /// What the marks of a unit within some bytes weigh beside those that were counted, and what they weigh by themselves.
    fn weigh(&mut self, shown: Range<usize>, unit: usize, marks: usize) -> (f64, f64) {
        let (mut gain, mut own) = (0.0, 0.0);
        // No more terms than a part has room for.
        let mut counted: Vec<usize> = Vec::new();
        for mark in self.marks[self.firsts[unit]..self.firsts[unit + 1]].iter().take(marks) {
            if mark.bytes.start < shown.start || mark.bytes.end > shown.end || counted.contains(&mark.term) {
                continue;
            }
            counted.push(mark.term);
            let weight = self.weights[mark.term];
            own += weight;
            gain += weight * if self.seen[mark.term] == self.stamp { REPEAT } else { 1.0 };
            self.seen[mark.term] = self.stamp;
        }
        (gain, own)
    }

    fn held(&mut self, unit: usize) -> Holding {
        if let Some(held) = self.held[unit] {
            return held;
        }
        let text = &self.laid.line[self.laid.places[unit].clone()];
        let held = holding(&text[units::marker(text)..], self.asked);
        self.held[unit] = Some(held);
        held
    }

    /// The parts that a run is shown as.
    fn parts(&mut self, mut run: Run) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        if let Some(header) = run.header {
            parts.push(self.laid.places[header].clone());
        }
        let further = self.further(&mut run);
        parts.push(self.first_part(&run));
        for unit in run.first + 1..run.end {
            if self.laid.is_shown(unit) {
                parts.push(self.laid.places[unit].clone());
            }
        }
        let further_unit = further.as_ref().map(|(unit, _)| *unit);
        parts.extend(further.map(|(_, part)| part));
        if let Some(next) = self.next_part(&run).filter(|&next| further_unit != Some(next)) {
            let Range { start, end } = self.laid.places[next];
            let is_whole = self.laid.chars[next] < run.room + MOST - SNIPPET_CHARS;
            let shown = if is_whole { end - start } else { cut::head(&self.laid.line[start..end], run.room - 1) };
            parts.push(start..start + shown);
        } else {
            // What follows the other part has room, or else what stands before the run: at the end of a text, say.
            let after = further_unit.map_or(0..0, |unit| unit + 1..self.laid.units.len().min(unit + SNIPPET_CHARS));
            let after = after.take_while(|&unit| self.laid.units[unit].kind != Kind::Heading);
            self.fill(after, &mut run, &mut parts);
            if run.header.is_none() {
                self.fill((run.first.saturating_sub(SNIPPET_CHARS)..run.first).rev(), &mut run, &mut parts);
            }
        }
        parts.sort_by_key(|part| part.start);
        parts.dedup();
        parts
    }

    /// Shows units besides, until one has no room or is shown already.
    fn fill(&self, units: impl Iterator<Item = usize>, run: &mut Run, parts: &mut Vec<Range<usize>>) {
        for unit in units.filter(|&unit| self.laid.is_shown(unit)) {
            let place = &self.laid.places[unit];
            let is_new = parts.iter().all(|part| part.end <= place.start || part.start >= place.end);
            if !is_new || self.laid.chars[unit] + 1 > run.room {
                break;
            }
            run.room -= self.laid.chars[unit] + 1;
            parts.push(place.clone());
        }
    }

    /// A part elsewhere with terms that a run lacks; the run gets shorter for it, behind its last mark.
    fn further(&mut self, run: &mut Run) -> Option<(usize, Range<usize>)> {
        self.stamp += 1;
        if let Some(header) = run.header {
            self.weigh(self.laid.places[header].clone(), header, usize::MAX);
        }
        let mut weight = 0.0;
        let (mut last, mut room, mut spare) = (run.first, run.room, 0);
        for unit in run.first..run.end {
            let shown = if unit == run.first { self.first_part(run) } else { self.laid.places[unit].clone() };
            let own = self.weigh(shown, unit, usize::MAX);
            weight += own.0;
            let is_wanted = self.held(unit) == Holding::Wanted;
            if own.1 > 0.0 || is_wanted || unit == run.first || self.laid.introduces(last) {
                (last, spare) = (unit, 0);
            } else if self.laid.is_shown(unit) {
                spare += self.laid.chars[unit] + 1;
            }
        }
        room += spare;
        if self.laid.introduces(last) || room < LEAST + GAP {
            return None;
        }
        let mut best: Option<(f64, usize)> = None;
        for unit in (0..self.laid.units.len()).filter(|unit| !(run.first..=last).contains(unit)) {
            let kind = self.laid.units[unit].kind;
            if self.firsts[unit] == self.firsts[unit + 1] || kind == Kind::Heading || !self.laid.is_shown(unit) {
                continue;
            }
            let is_whole = self.laid.chars[unit] + GAP <= room;
            if !is_whole && (kind != Kind::Sentence || room < LEAST + GAP) {
                continue;
            }
            let mut gain = self.lacking(unit);
            if gain <= 0.0 || gain < FURTHER * weight {
                continue;
            }
            if self.held(unit) == Holding::Wanted {
                gain *= WANTED;
            }
            if self.laid.units[unit].about[0] == self.laid.units[run.first].about[0] {
                gain *= SAME_SECTION;
            }
            if best.is_none_or(|(most, _)| gain > most * (1.0 + 1e-9)) {
                best = Some((gain, unit));
            }
        }
        let (_, unit) = best?;
        let Range { start, end } = self.laid.places[unit];
        let part = match self.laid.chars[unit] + GAP <= room {
            true => 0..end - start,
            false => cut::around(&self.laid.line[start..end], &self.own(unit), self.weights, room - GAP),
        };
        run.end = last + 1;
        run.room = room.saturating_sub(self.laid.line[start..][part.clone()].chars().count() + GAP);
        // What follows stays where it has room.
        while run.end < self.laid.units.len() && run.end != unit && self.laid.units[run.end].kind != Kind::Heading {
            if self.laid.is_shown(run.end) {
                if self.laid.chars[run.end] + 1 > run.room {
                    break;
                }
                run.room -= self.laid.chars[run.end] + 1;
            }
            run.end += 1;
        }
        Some((unit, start + part.start..start + part.end))
    }

    /// What the terms of a unit weigh that were not counted.
    fn lacking(&self, unit: usize) -> f64 {
        let mut terms: Vec<usize> =
            self.marks[self.firsts[unit]..self.firsts[unit + 1]].iter().map(|mark| mark.term).collect();
        terms.sort_unstable();
        terms.dedup();
        terms.into_iter().filter(|&term| self.seen[term] != self.stamp).map(|term| self.weights[term]).sum()
    }
}
