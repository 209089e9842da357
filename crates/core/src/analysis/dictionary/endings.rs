//! Endings of words that a language's stemmer leaves, so that the forms of a word of the dictionary are known.
//!
//! The Snowball stemmers of German, Dutch and Swedish know few endings of verbs, that of Swedish few of nouns with their article, and that of
//! Russian does not bring the past of a verb and its infinitive together.

use crate::analysis::Language;

/// Endings of a language.
#[derive(Clone, Copy)]
pub(super) struct Endings {
    /// What a word of a text may end in beside its stem, the longest first.
    pub(super) inflected: &'static [&'static str],
    /// What a word of the dictionary may end in beside its stem, where the stemmer leaves that.
    pub(super) listed: &'static [&'static str],
    /// What a participle begins with.
    pub(super) participle: Option<&'static str>,
}

/// The endings of a language; `None` where its stemmer knows them.
pub(super) fn endings(language: Language) -> Option<Endings> {
    let Language::Named(name) = language else { return None };
    Some(match name {
        "German" => Endings {
            inflected: &["etest", "test", "eten", "ete", "ten", "est", "tet", "te", "et", "st", "t"],
            listed: &[],
            participle: Some("ge"),
        },
        "Dutch" => {
            Endings { inflected: &["den", "ten", "de", "te", "je", "t", "d"], listed: &[], participle: Some("ge") }
        }
        "Swedish" => Endings {
            inflected: &[
                "orna", "arna", "erna", "ades", "dde", "ets", "ens", "ats", "de", "te", "et", "en", "na", "ns", "ts",
                "tt", "t", "n", "r", "s",
            ],
            listed: &[],
            participle: None,
        },
        "Russian" => Endings {
            inflected: &[
                "ала", "али", "ило", "ила", "или", "ела", "ели", "ла", "ло", "ли", "ал", "ил", "ел", "ит", "ат", "ят",
                "ет", "ют", "ут", "л", "у", "ю",
            ],
            listed: &["ать", "ять", "еть", "ить", "уть", "ти", "ть"],
            participle: None,
        },
        _ => return None,
    })
}
