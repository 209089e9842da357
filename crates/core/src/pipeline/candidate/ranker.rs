//! A learned ranker of candidates, and its file.

use serde::{Deserialize, Serialize};

use super::{
    catalogue::{FEATURE_COUNT, FEATURES, FEATURES_VERSION},
    forest::{QuickScorer, Tree},
    table::FeatureTable,
};
use crate::types::EncoderId;

/// The first word of the file.
const MAGIC: &str = "aforesaid-candidate-ranker";
/// The format of the file.
const VERSION: u32 = 1;
/// Bytes of a file at most.
pub const MOST_BYTES: usize = 16 << 20;

/// What a ranker was trained on and what it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankerRecord {
    /// The pipeline whose candidates it ranks, as its description.
    pub pipeline: String,
    /// The model and revision of the encoder; its precision does not matter.
    pub encoder: String,
    /// Data it was trained on.
    pub trained_on: Vec<String>,
    /// Questions it was trained on.
    pub questions: usize,
    /// The seed of the training.
    pub seed: u64,
    /// What the first stage's score counts, in its standard deviations.
    pub base_weight: f64,
    /// Whether it is left out where an assistant speaks in what is searched.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub among_people: bool,
    /// Whether it learned from queries as the encoder reads them without the pipeline's query adapter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain_queries: bool,
}

/// Puts the best candidates of a search in another order.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRanker {
    /// How it was made.
    pub record: RankerRecord,
    trees: Vec<Tree>,
    /// The trees as they are asked.
    scorer: QuickScorer,
    id: String,
}

/// A file that holds no ranker that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRanker {
    /// Another kind of file.
    #[error(
        "found no candidate ranker: the file begins with {found:?}, expected {MAGIC}; name a file of `train candidate`"
    )]
    Foreign {
        /// How it begins.
        found: String,
    },
    /// Another format.
    #[error("found a candidate ranker of format {found}, expected {VERSION}; train it again with this version")]
    Version {
        /// Its format.
        found: String,
    },
    /// Bytes are missing or changed.
    #[error("a candidate ranker is damaged: its checksum is {found}, expected {expected}; fetch or train it again")]
    Damaged {
        /// Of the file.
        found: String,
        /// As its first line says.
        expected: String,
    },
    /// Features of another version.
    #[error(
        "a candidate ranker reads features of version {found}, and this program computes version {FEATURES_VERSION}; train \
         it again with this program"
    )]
    Features {
        /// Its version.
        found: u32,
    },
    /// A feature that is not computed here.
    #[error("a candidate ranker reads the feature {name:?}, which this program does not compute; train it again")]
    UnknownFeature {
        /// Its name.
        name: String,
    },
    /// The rest makes no sense.
    #[error("a candidate ranker cannot be read: {problem}; train it again")]
    Content {
        /// What is wrong.
        problem: String,
    },
}

/// Why a ranker is not used in a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// Another pipeline.
    #[error("it was trained on the pipeline {expected:?}, and this one is {found:?}")]
    Pipeline {
        /// The ranker's.
        expected: String,
        /// The search's.
        found: String,
    },
    /// Another encoder.
    #[error("it was trained with the encoder {expected}, and the vectors are of {found}")]
    Encoder {
        /// The ranker's.
        expected: String,
        /// The search's.
        found: String,
    },
    /// No vectors.
    #[error("it was trained with vectors of {expected}, and this search compares none")]
    NoVectors {
        /// The ranker's encoder.
        expected: String,
    },
    /// An assistant speaks.
    #[error("it is for what people say to each other, and an assistant speaks in what is searched")]
    Assistant,
    /// Candidates came from a store, without all that stands around them.
    #[error("it looks at what stands around each turn, and this namespace is searched in its store")]
    InStore,
    /// The file could not be used.
    #[error("{reason}")]
    Unusable {
        /// What is wrong with it.
        reason: String,
    },
}

/// A ranker as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    features_version: u32,
    record: RankerRecord,
    features: Vec<String>,
    trees: Vec<Tree>,
}

/// The score of one candidate by a ranker, and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// What every candidate starts with.
    pub start: f64,
    /// What each feature adds, largest first; those that add nothing are left out.
    pub features: Vec<(usize, f64)>,
}

impl CandidateRanker {
    /// A ranker of trees that ask for features by their places in [`FEATURES`].
    pub fn new(record: RankerRecord, trees: Vec<Tree>) -> Self {
        let scorer = QuickScorer::of(&trees);
        let mut ranker = Self { record, trees, scorer, id: String::new() };
        ranker.id = format!("{:08x}", crc32fast::hash(ranker.body().as_bytes()));
        ranker
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the bytes are no whole ranker of this version with features that are computed here.
    pub fn read(bytes: &[u8]) -> Result<Self, InvalidRanker> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
        let mut words = head.split(' ');
        if words.next() != Some(MAGIC) {
            return Err(InvalidRanker::Foreign { found: head.chars().take(40).collect() });
        }
        let version = words.next().unwrap_or_default();
        if version != VERSION.to_string() {
            return Err(InvalidRanker::Version { found: version.to_owned() });
        }
        let (found, expected) = (format!("{:08x}", crc32fast::hash(body.as_bytes())), words.next().unwrap_or_default());
        if found != expected {
            return Err(InvalidRanker::Damaged { found, expected: expected.to_owned() });
        }
        let content = |problem: String| InvalidRanker::Content { problem };
        let value: serde_json::Value = serde_json::from_str(body).map_err(|error| content(error.to_string()))?;
        // Other features may have another shape of everything below.
        match value.get("features_version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(FEATURES_VERSION) => {}
            other => return Err(InvalidRanker::Features { found: other.unwrap_or(0) as u32 }),
        }
        let Content { record, features, mut trees, .. } =
            serde_json::from_value(value).map_err(|error| content(error.to_string()))?;
        if !record.base_weight.is_finite() {
            return Err(content("base_weight is not finite".to_owned()));
        }
        let place = |name: &String| {
            let found = FEATURES.iter().position(|feature| feature.name == *name);
            found.ok_or_else(|| InvalidRanker::UnknownFeature { name: name.clone() })
        };
        let places: Vec<usize> = features.iter().map(place).collect::<Result<_, _>>()?;
        for tree in &mut trees {
            let known = tree.last_feature().is_none_or(|last| usize::from(last) < places.len());
            if !known {
                return Err(content(format!("a tree asks for feature {:?} of {}", tree.last_feature(), places.len())));
            }
            tree.rename(|feature| places[usize::from(feature)] as u16);
        }
        Ok(Self::new(record, trees))
    }

    /// The ranker as a file.
    pub fn write(&self) -> String {
        let body = self.body();
        format!("{MAGIC} {VERSION} {:08x}\n{body}", crc32fast::hash(body.as_bytes()))
    }

    fn body(&self) -> String {
        let mut used: Vec<u16> = self.trees.iter().flat_map(Tree::features).collect();
        used.sort_unstable();
        used.dedup();
        let mut trees = self.trees.clone();
        for tree in &mut trees {
            tree.rename(|feature| used.binary_search(&feature).unwrap_or_default() as u16);
        }
        let content = Content {
            features_version: FEATURES_VERSION,
            record: self.record.clone(),
            features: used.iter().map(|&place| FEATURES[usize::from(place)].name.to_owned()).collect(),
            trees,
        };
        // Numbers were proven finite, and keys are strings.
        serde_json::to_string(&content).unwrap_or_default() + "\n"
    }

    /// Eight hexadecimal digits that tell it from others.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Whether it can rank the candidates of a pipeline, described without a ranker, over vectors of an encoder. One that learned
    /// with a model as it was published fits with an adapter of it too: `docs/decisions/0026-an-encoder-that-knows-conversations.md`.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, pipeline: &str, encoder: Option<&EncoderId>) -> Result<(), Misfit> {
        if self.record.pipeline != pipeline {
            return Err(Misfit::Pipeline { expected: self.record.pipeline.clone(), found: pipeline.to_owned() });
        }
        let expected = self.record.encoder.clone();
        let Some(encoder) = encoder else { return Err(Misfit::NoVectors { expected }) };
        match Self::encoder_of(encoder) {
            found if found == expected || encoder.published() == expected => Ok(()),
            found => Err(Misfit::Encoder { expected, found: found.to_owned() }),
        }
    }

    /// What of an encoder's id a ranker depends on: the model and its revision, not the precision.
    pub fn encoder_of(encoder: &EncoderId) -> &str {
        encoder.as_str().rsplit_once('/').map_or(encoder.as_str(), |(model, _)| model)
    }

    /// A score for each row of a table.
    pub fn scores(&self, table: &FeatureTable) -> Vec<f64> {
        let mut scores: Vec<f64> = table.base.iter().map(|base| self.record.base_weight * base).collect();
        self.scorer.add(&table.values, &mut scores);
        scores
    }

    /// What a row's score is made of, besides the first stage's.
    pub fn shares(&self, row: &[f32]) -> Shares {
        let mut of = vec![0.0; FEATURE_COUNT];
        let start = self.trees.iter().map(|tree| tree.contribute(row, &mut of)).sum();
        let mut features: Vec<(usize, f64)> = of.into_iter().enumerate().filter(|(_, adds)| *adds != 0.0).collect();
        features.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        Shares { start, features }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::forest::{Branch, Side},
        *,
    };

    fn record() -> RankerRecord {
        RankerRecord {
            pipeline: "zscore(0.6, bm25, dense(max))".to_owned(),
            encoder: "bags@1".to_owned(),
            trained_on: vec!["mine".to_owned()],
            questions: 3,
            seed: 7,
            base_weight: 1.0,
            among_people: false,
            plain_queries: false,
        }
    }

    fn ranker() -> CandidateRanker {
        let leaf = |value: f32| Branch::Leaf { value };
        let children = Box::new([leaf(0.25), leaf(-0.5)]);
        let tree = Branch::Split { feature: 32, threshold: 0.1, missing: Side::Right, value: -0.1, children };
        CandidateRanker::new(record(), vec![Tree::new(&tree), Tree::new(&leaf(1.0))])
    }

    #[test]
    fn a_ranker_reads_back() {
        let written = ranker().write();
        assert_eq!(CandidateRanker::read(written.as_bytes()).unwrap(), ranker());
        assert!(written.contains(FEATURES[32].name) && !written.contains(FEATURES[31].name));
    }

    #[test]
    fn what_is_no_whole_ranker_of_this_version_is_refused_by_name() {
        let written = ranker().write();
        let refused = |bytes: &[u8]| CandidateRanker::read(bytes).unwrap_err().to_string();
        for length in 1..written.len() {
            assert!(CandidateRanker::read(&written.as_bytes()[..length]).is_err(), "{length} bytes");
        }
        assert!(refused(&written.as_bytes()[..written.len() / 2]).contains("damaged"));
        assert!(refused(b"{}").contains("begins with \"{}\""));
        assert!(refused(written.replacen(" 1 ", " 2 ", 1).as_bytes()).contains("format 2"));
        let changed = |from: &str, to: &str| {
            let body = written.split_once('\n').unwrap().1.replacen(from, to, 1);
            refused(format!("{MAGIC} 1 {:08x}\n{body}", crc32fast::hash(body.as_bytes())).as_bytes())
        };
        assert!(changed("\"features_version\":1", "\"features_version\":9").contains("version 9"));
        assert!(changed(FEATURES[32].name, "gold").contains("\"gold\""));
        assert!(changed("\"seed\":7", "\"seed\":7,\"teacher\":1").contains("teacher"));
    }

    #[test]
    fn a_ranker_of_another_pipeline_or_encoder_does_not_fit() {
        let encoder = |id: &str| EncoderId::new(id).unwrap();
        let fits =
            |pipeline: &str, id: Option<&EncoderId>| ranker().check(pipeline, id).map_err(|misfit| misfit.to_string());
        assert_eq!(fits(&record().pipeline, Some(&encoder("bags@1/int8"))), Ok(()));
        assert_eq!(fits(&record().pipeline, Some(&encoder("bags+mine@1+53aa51172d14/f32"))), Ok(()));
        assert!(fits(&record().pipeline, Some(&encoder("bags+mine@2+53aa51172d14/f32"))).is_err());
        assert!(fits("bm25", Some(&encoder("bags@1/f32"))).unwrap_err().contains("\"bm25\""));
        assert!(fits(&record().pipeline, Some(&encoder("bags@2/f32"))).unwrap_err().contains("bags@2"));
        assert!(fits(&record().pipeline, None).unwrap_err().contains("compares none"));
    }

    #[test]
    fn a_score_is_what_its_shares_add_up_to() {
        let mut row = vec![f32::NAN; FEATURE_COUNT];
        let scored = |row: &[f32]| {
            let table = FeatureTable { candidates: vec![0], base: vec![2.0], values: row.to_vec() };
            ranker().scores(&table)[0]
        };
        assert_eq!(scored(&row), 2.0 - 0.5 + 1.0);
        row[32] = 0.1;
        assert_eq!(scored(&row), 2.0 + 0.25 + 1.0);
        let shares = ranker().shares(&row);
        let sum = shares.start + shares.features.iter().map(|(_, adds)| adds).sum::<f64>();
        assert!((2.0 + sum - scored(&row)).abs() < 1e-6, "{shares:?}");
        assert_eq!(shares.features[0].0, 32);
    }
}
