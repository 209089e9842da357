//! One memory serves namespaces with different encoders at the same time; each encoder is loaded once.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use aforesaid::{
    EncodeError, Encoder, EncoderLimits, EncoderRegistry, EncoderSource, Error, Explanations, IdleVectors, Locality,
    Memory, ModelPolicy, NoVectors, Pipeline, ResolveEncoder, StoreError, Warning,
    types::{EncoderId, Query, Vectors},
};

use crate::bags::{self, history, ns};

/// Marks its vectors: component `mark` is 1 in each of them, and all others are 0.
///
/// A query of one encoder against the vectors of another scores 0, so that a mix-up shows.
struct Marked {
    id: EncoderId,
    dim: usize,
    mark: usize,
}

impl Encoder for Marked {
    fn id(&self) -> &EncoderId {
        &self.id
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        self.encode_passages(texts)
    }

    fn query_adapter(&self, name: &str) -> Option<&str> {
        (name == "turned").then_some("its checksum")
    }

    /// With the query adapter `turned` a query is the opposite of its vector.
    fn encode_adapted_queries(&self, adapter: &str, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let vectors = self.encode_queries(texts)?;
        let sign = if adapter == "turned" { -1.0 } else { 1.0 };
        Ok(Vectors::new(self.dim, vectors.as_slice().iter().map(|x| sign * x).collect()).unwrap())
    }

    fn encode_passages(&self, texts: &[&str]) -> Result<Vectors, EncodeError> {
        let vector: Vec<f32> = (0..self.dim).map(|at| f32::from(u8::from(at == self.mark))).collect();
        Ok(Vectors::new(self.dim, vector.repeat(texts.len())).unwrap())
    }
}

fn id(name: &str) -> EncoderId {
    EncoderId::new(format!("{name}@1/f32")).unwrap()
}

/// The components and the mark of an encoder, by its name.
fn shape(id: &EncoderId) -> (usize, usize) {
    match id.model() {
        "small" => (8, 1),
        "wide" => (24, 2),
        _ => (8, 3),
    }
}

fn marked(id: &EncoderId) -> Arc<dyn Encoder> {
    let (dim, mark) = shape(id);
    Arc::new(Marked { id: id.clone(), dim, mark })
}

/// Follows namespaces, and counts what it loads.
struct Counting {
    default: EncoderId,
    resolved: Arc<AtomicUsize>,
    loaded: Arc<AtomicUsize>,
}

impl Counting {
    fn new(default: &str) -> Self {
        Self { default: id(default), resolved: Arc::default(), loaded: Arc::default() }
    }
}

impl ResolveEncoder for Counting {
    fn resolve(&self, active: Option<&EncoderId>, _: ModelPolicy) -> Result<EncoderSource, Error> {
        self.resolved.fetch_add(1, Ordering::Relaxed);
        let id = active.unwrap_or(&self.default).clone();
        if id.model() == "missing" {
            return Ok(EncoderSource::Unavailable { reason: NoVectors::UnregisteredModel { encoder: id } });
        }
        let loaded = Arc::clone(&self.loaded);
        let load = {
            let id = id.clone();
            Box::new(move || {
                loaded.fetch_add(1, Ordering::Relaxed);
                Ok(marked(&id))
            })
        };
        Ok(EncoderSource::Deferred { dim: shape(&id).0, id, bytes: 100, load })
    }
}

/// A memory of three namespaces: two with vectors by an encoder each, one without any.
fn three(encoders: impl Into<Arc<EncoderRegistry>>) -> Memory {
    let memory = Memory::builder().open("memory:").unwrap();
    for name in ["small", "wide"] {
        memory.add_turns(&ns(name), history()).unwrap();
        memory.reembed_by(&ns(name), &*marked(&id(name)), IdleVectors::Keep, &mut |_| {}).unwrap();
    }
    memory.add_turns(&ns("none"), history()).unwrap();
    memory.with_encoders(encoders)
}

fn dense() -> Pipeline {
    "zscore(0.7, bm25, dense(max))".parse().unwrap()
}

/// The cosine of the best turn by vectors, where there is one.
fn best_cosine(memory: &Memory, namespace: &str) -> Option<f64> {
    best_cosine_by(memory, namespace, &dense())
}

/// The same of another pipeline.
fn best_cosine_by(memory: &Memory, namespace: &str, pipeline: &Pipeline) -> Option<f64> {
    let answer = memory.search(&Query::new(ns(namespace), "kite"), pipeline, Explanations::Omit).unwrap();
    answer.hits.iter().filter_map(|hit| hit.legs.get("dense")).map(|leg| leg.score).reduce(f64::max)
}

#[test]
fn threads_search_namespaces_of_different_encoders_at_once() {
    let counting = Counting::new("small");
    let (resolved, loaded) = (Arc::clone(&counting.resolved), Arc::clone(&counting.loaded));
    let registry = Arc::new(EncoderRegistry::new(counting, EncoderLimits::default()));
    let memory = three(Arc::clone(&registry));
    thread::scope(|threads| {
        for n in 0..6 {
            let memory = &memory;
            threads.spawn(move || {
                for turn in 0..20 {
                    match (n + turn) % 3 {
                        0 => assert_eq!(best_cosine(memory, "small"), Some(1.0)),
                        1 => assert_eq!(best_cosine(memory, "wide"), Some(1.0)),
                        _ => assert_eq!(best_cosine(memory, "none"), None),
                    }
                }
            });
        }
    });
    assert_eq!(loaded.load(Ordering::Relaxed), 2);
    // Once for each namespace with vectors; the one without any shares an encoder that is there, or has its own asked for.
    assert!((2..=3).contains(&resolved.load(Ordering::Relaxed)));
    assert_eq!(registry.held(), 2);
}

#[test]
fn a_query_adapter_reads_the_query_and_leaves_the_vectors() {
    let memory = three(EncoderRegistry::fixed(vec![marked(&id("small"))]));
    let by = |dense: &str| {
        let pipeline: Pipeline = format!("zscore(0.7, bm25, {dense})").parse().unwrap();
        best_cosine_by(&memory, "small", &pipeline)
    };
    assert_eq!(by("dense(max)"), Some(1.0));
    assert_eq!(by("dense(max, query_adapter=turned)"), Some(-1.0));
    assert_eq!(by("dense(max, strip_speakers, query_adapter=turned)"), Some(-1.0));
    assert_eq!(by("dense(max, query_adapter=unknown)"), Some(1.0), "an encoder without it reads the query as it is");
    let warnings = |dense: &str| {
        let pipeline: Pipeline = format!("zscore(0.7, bm25, {dense})").parse().unwrap();
        memory.search(&Query::new(ns("small"), "kite"), &pipeline, Explanations::Omit).unwrap().warnings
    };
    assert_eq!(warnings("dense(max, query_adapter=turned)"), []);
    let [Warning::QueryAdapterMissing { adapter, encoder }] = &warnings("dense(max, query_adapter=unknown)")[..] else {
        panic!("nothing is said")
    };
    assert_eq!((adapter.as_str(), encoder.as_str()), ("unknown", "small@1/f32"));
    assert_eq!(memory.active_encoder(&ns("small")).unwrap(), Some(id("small")));
}

#[test]
fn an_addition_goes_by_the_active_encoder_of_its_namespace() {
    let memory = three(EncoderRegistry::new(Counting::new("other"), EncoderLimits::default()));
    for (name, active) in [("small", "small"), ("wide", "wide"), ("new", "other")] {
        let turn = bags::turn("extra", "s1", "x1", "Ann", "A second kite came by post.");
        assert!(memory.add_turns(&ns(name), vec![turn]).unwrap().warnings.is_empty());
        assert_eq!(memory.active_encoder(&ns(name)).unwrap(), Some(id(active)));
        assert_eq!(best_cosine(&memory, name), Some(1.0), "{name}");
    }
}

#[test]
fn an_encoder_of_another_is_refused_and_never_searched_with() {
    let memory = three(EncoderSource::Ready(marked(&id("other"))));
    for name in ["small", "wide"] {
        let refused = memory.search(&Query::new(ns(name), "kite"), &dense(), Explanations::Omit).unwrap_err();
        assert!(matches!(refused, Error::Store(StoreError::EncoderMismatch { .. })), "{refused}");
    }
}

#[test]
fn given_encoders_are_picked_by_namespace() {
    let memory = three(EncoderRegistry::fixed(vec![marked(&id("small")), marked(&id("wide"))]));
    assert_eq!(best_cosine(&memory, "small"), Some(1.0));
    assert_eq!(best_cosine(&memory, "wide"), Some(1.0));
}

#[test]
fn what_is_above_the_limits_goes_and_comes_back() {
    for limits in [
        EncoderLimits { models: NonZeroUsize::MIN, ..EncoderLimits::default() },
        EncoderLimits { bytes: 150, ..EncoderLimits::default() },
        EncoderLimits { bytes: 50, ..EncoderLimits::default() },
    ] {
        let counting = Counting::new("small");
        let loaded = Arc::clone(&counting.loaded);
        let registry = Arc::new(EncoderRegistry::new(counting, limits));
        let memory = three(Arc::clone(&registry));
        for _ in 0..2 {
            assert_eq!(best_cosine(&memory, "small"), Some(1.0));
            assert_eq!(best_cosine(&memory, "wide"), Some(1.0));
            assert!(registry.held() <= usize::from(limits.bytes > 50));
        }
        assert_eq!(loaded.load(Ordering::Relaxed), 4, "{limits:?}");
    }
}

#[test]
fn a_model_that_is_missing_is_looked_for_again() {
    let counting = Counting::new("missing");
    let resolved = Arc::clone(&counting.resolved);
    let memory = Memory::builder().encoders(EncoderRegistry::new(counting, EncoderLimits::default())).open("memory:");
    let memory = memory.unwrap();
    for n in 1..=2 {
        let turn = bags::turn("c", "s", &format!("t{n}"), "Ann", "A kite.");
        let added = memory.add_turns(&ns("me"), vec![turn]).unwrap();
        assert!(matches!(added.warnings[..], [Warning::StoredWithoutVectors { .. }]), "{:?}", added.warnings);
        assert_eq!(resolved.load(Ordering::Relaxed), n);
    }
}

#[test]
fn a_search_finds_the_encoder_that_was_activated_meanwhile() {
    let memory = three(EncoderRegistry::new(Counting::new("small"), EncoderLimits::default()));
    assert_eq!(best_cosine(&memory, "small"), Some(1.0));
    memory.reembed_by(&ns("small"), &*marked(&id("wide")), IdleVectors::Drop, &mut |_| {}).unwrap();
    assert_eq!(best_cosine(&memory, "small"), Some(1.0));
    assert_eq!(memory.active_encoder(&ns("small")).unwrap(), Some(id("wide")));
}
