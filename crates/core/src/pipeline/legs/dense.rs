//! The leg `dense`: cosines of turns and the query, pooled into sessions (late interaction).

use std::{fmt, sync::Arc};

use crate::{
    analysis::Analyzer,
    dense::Pooling,
    error::StoreError,
    explain::Explain,
    index::Index,
    pipeline::{
        best_rows::fill,
        form::call::{Argument, Call},
        leg::{Column, Leg, LegInput, LegReader, ReadLeg},
        request::{LegHit, SearchContext},
        vectors::{BestWindows, Compared, SpeakerNames, VectorUse},
    },
    types::Granularity,
    windows::NumberedWindow,
};

/// The key of the query adapter's name.
const QUERY_ADAPTER: &str = "query_adapter";

/// How texts are scored by their vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseLeg {
    /// The only model it may be used with, by name; `None` takes the one at hand.
    pub encoder: Option<String>,
    /// How the cosines of a session's turns become its score.
    pub pooling: Pooling,
    /// Whether speakers' names are part of the query that is encoded.
    pub speaker_names: SpeakerNames,
    /// The query adapter that the query is encoded with, by name; with an encoder that has none of that name the query is
    /// encoded as it is.
    pub query_adapter: Option<String>,
    /// Which vectors stand for a text.
    pub source: VectorSource,
}

/// Which vectors stand for a text that has cue questions; a text without any is its own in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VectorSource {
    /// Its own.
    #[default]
    Text,
    /// That of the text with all its cue questions; ROXY's concat (equation 3).
    Passage,
    /// The best of its own and its cue questions'; ROXY's multivec (equation 5).
    Questions,
}

/// Cosines of one query.
struct DenseColumn {
    unit: Granularity,
    /// By text position, for sessions only; `None` outside the candidates or without a vector.
    turns: Vec<Option<f64>>,
    /// By place. A candidate without a vector that stands for it takes the mean of the others: neutral.
    units: Vec<f64>,
    /// By place: whether a vector stands for it, its own or a cue's.
    known: Vec<bool>,
    windows: Arc<BestWindows>,
}

impl DenseLeg {
    /// The leg's name.
    pub const NAME: &'static str = "dense";

    /// A leg for whichever encoder is there, and queries as they are.
    pub fn any(pooling: Pooling) -> Self {
        Self {
            encoder: None,
            pooling,
            speaker_names: SpeakerNames::Keep,
            query_adapter: None,
            source: VectorSource::Text,
        }
    }
}

impl Leg for DenseLeg {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn form(&self, _analyzer: Analyzer) -> String {
        self.to_string()
    }

    fn score(&self, input: &LegInput<'_>) -> Result<Option<Box<dyn Column>>, StoreError> {
        let column = input.shared.compared().and_then(|compared| self.column(input.context, compared));
        Ok(column.map(|column| Box::new(column) as Box<dyn Column>))
    }

    fn vectors(&self) -> Option<VectorUse<'_>> {
        Some(VectorUse {
            cue_questions: self.source == VectorSource::Questions,
            cue_passages: self.source == VectorSource::Passage,
            encoder: self.encoder.as_deref(),
            speaker_names: self.speaker_names,
            query_adapter: self.query_adapter.as_deref(),
        })
    }

    fn without_cues(&self) -> Option<Arc<dyn Leg>> {
        Some(Arc::new(Self { source: VectorSource::Text, ..self.clone() }))
    }
}

impl DenseLeg {
    fn column(&self, context: SearchContext<'_>, compared: &Compared) -> Option<DenseColumn> {
        let SearchContext { index, candidates, request } = context;
        let found = self.text_cosines(context, compared);
        let windows = Arc::clone(&compared.windows);
        if request.unit == Granularity::Turn {
            return Some(DenseColumn::new(request.unit, Vec::new(), found, windows));
        }
        let vectors = index.dense()?;
        let mut turns = vec![None; index.documents().len()];
        for (&text, similarity) in candidates.texts.iter().zip(&found) {
            turns[text as usize] = *similarity;
        }
        let mut similarities = Vec::new();
        let pool = |&session: &u32| {
            let members = candidates.turns_of(index, session);
            similarities.clear();
            similarities.extend(members.iter().filter_map(|&text| turns[text as usize]));
            self.pooling.pool(&mut similarities, || vectors.mean_norm(members))
        };
        let units = candidates.sessions.iter().map(pool).collect();
        Some(DenseColumn::new(request.unit, turns, units, windows))
    }

    /// The cosine of each candidate text, by the vectors that stand for it.
    fn text_cosines(&self, context: SearchContext<'_>, compared: &Compared) -> Vec<Option<f64>> {
        let mut found = compared.own.clone();
        let others = match self.source {
            VectorSource::Text => None,
            VectorSource::Passage => compared.passages.as_ref(),
            VectorSource::Questions => compared.questions.as_deref(),
        };
        let Some(others) = others else { return found };
        for (&text, score) in context.candidates.texts.iter().zip(&mut found) {
            let other = others.score(text);
            *score = match self.source {
                VectorSource::Text => *score,
                VectorSource::Passage => other.or(*score),
                VectorSource::Questions => score.zip(other).map(|(own, other)| own.max(other)).or(*score).or(other),
            };
        }
        found
    }
}

impl DenseColumn {
    fn new(unit: Granularity, turns: Vec<Option<f64>>, units: Vec<Option<f64>>, windows: Arc<BestWindows>) -> Self {
        let known = units.iter().map(Option::is_some).collect();
        Self { unit, turns, units: fill(units), known, windows }
    }
}

impl Column for DenseColumn {
    fn scores(&self) -> &[f64] {
        &self.units
    }

    fn floor(&self) -> Option<f64> {
        Some(-1.0)
    }

    /// Every candidate is compared.
    fn is_evidence(&self, _score: f64) -> bool {
        true
    }

    fn has_vector(&self, place: usize) -> Option<bool> {
        Some(self.known[place])
    }

    fn turn_scores(&self, turns: &[u32]) -> Option<Vec<f64>> {
        let cosine = |&turn: &u32| self.turns.get(turn as usize).copied().flatten().unwrap_or(-1.0);
        Some(turns.iter().map(cosine).collect())
    }

    fn cosine(&self, context: SearchContext<'_>, turn: u32) -> Option<f64> {
        match self.unit {
            Granularity::Turn => Some(self.units[context.candidates.texts.binary_search(&turn).ok()?]),
            Granularity::Session => self.turns.get(turn as usize).copied().flatten(),
        }
    }

    fn best_window(&self, index: &Index, text: u32) -> Option<NumberedWindow> {
        self.windows.of(index, text)
    }

    fn explain(&self, _context: SearchContext<'_>, place: usize, _hit: Option<LegHit>) -> Option<Explain> {
        let label = "dense score: it has no vector, and the mean of the others instead";
        (!self.known[place]).then(|| Explain::leaf(label, self.units[place]))
    }

    fn weakness(&self, _context: SearchContext<'_>, place: usize, cut: usize) -> Option<String> {
        Some(match self.known[place] {
            true => format!("its cosine is {:.4}, that of the last hit {:.4}", self.units[place], self.units[cut]),
            false => "it has no vector".to_owned(),
        })
    }
}

/// Reads `dense(..)`.
pub(super) const READER: LegReader =
    LegReader { word: "dense", read: |call| Ok(ReadLeg { leg: Arc::new(read(call)?), analyzer: None }) };

fn read(call: &Call<'_>) -> Result<DenseLeg, String> {
    let (adapters, written): (Vec<&Argument<'_>>, Vec<&Argument<'_>>) =
        call.arguments.iter().partition(|argument| argument.key == Some(QUERY_ADAPTER));
    let query_adapter = match adapters.as_slice() {
        [] => None,
        [adapter] if !adapter.value.is_empty() => Some(adapter.value.to_owned()),
        [adapter] => return Err(format!("{}: expected the name of a query adapter", adapter.text)),
        more => return Err(format!("dense takes one {QUERY_ADAPTER}=NAME, found {}", more.len())),
    };
    // A model's name may hold an equals sign.
    let written = written.into_iter();
    let mut words: Vec<&str> =
        written.map(|argument| if argument.key.is_some() { argument.text } else { argument.value }).collect();
    let mut has = |name: &str| {
        let place = words.iter().position(|word| *word == name);
        place.map(|place| words.remove(place)).is_some()
    };
    let speaker_names = if has("strip_speakers") { SpeakerNames::Strip } else { SpeakerNames::Keep };
    let source = match (has("multivec"), has("concat")) {
        (false, false) => VectorSource::Text,
        (true, false) => VectorSource::Questions,
        (false, true) => VectorSource::Passage,
        (true, true) => return Err("dense takes multivec or concat, found both".to_owned()),
    };
    let pooling = |word: &str| word.parse::<Pooling>().map_err(|error| error.to_string());
    let leg = match words.as_slice() {
        [] => DenseLeg::any(Pooling::default()),
        [word] => match pooling(word) {
            Ok(pooling) => DenseLeg::any(pooling),
            // One word may be either; what is no pooling must be a model.
            Err(_) => DenseLeg { encoder: Some((*word).to_owned()), ..DenseLeg::any(Pooling::default()) },
        },
        [encoder, word] => DenseLeg { encoder: Some((*encoder).to_owned()), ..DenseLeg::any(pooling(word)?) },
        more => {
            return Err(format!(
                "dense takes an encoder, a pooling, strip_speakers, {QUERY_ADAPTER}=NAME, and multivec or concat, found {} words",
                more.len()
            ));
        }
    };
    Ok(DenseLeg { speaker_names, query_adapter, source, ..leg })
}

impl fmt::Display for DenseLeg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dense(")?;
        self.encoder.iter().try_for_each(|encoder| write!(f, "{encoder}, "))?;
        write!(f, "{}", self.pooling)?;
        f.write_str(if self.speaker_names == SpeakerNames::Strip { ", strip_speakers" } else { "" })?;
        self.query_adapter.iter().try_for_each(|adapter| write!(f, ", {QUERY_ADAPTER}={adapter}"))?;
        f.write_str(match self.source {
            VectorSource::Text => ")",
            VectorSource::Passage => ", concat)",
            VectorSource::Questions => ", multivec)",
        })
    }
}
