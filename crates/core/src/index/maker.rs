//! What made the rows of an index: another maker might make other terms of the same text.
//!
//! Segments that a store keeps outlive the program that wrote them. They are read by a program that would make the same
//! of every text, and that is known by three things: the source of all that has a part in it, the Unicode tables it goes
//! by, and what it makes of a text written for the purpose, which shows a dependency that behaves differently.

use std::sync::OnceLock;

use crate::{
    analysis::{Analyzer, Form, SpeakerName},
    dense::Codes,
    types::passage,
};

/// Source files that have a part in what an index holds of a text, by name and content.
const SOURCES: [(&str, &[u8]); 34] = [
    ("analysis/continuing.rs", include_bytes!("../analysis/continuing.rs")),
    ("analysis/continuing.tsv", include_bytes!("../analysis/continuing.tsv")),
    ("analysis/dates.rs", include_bytes!("../analysis/dates.rs")),
    // The dictionary's function words tell languages. The first of these files has the sums of its tables.
    ("analysis/dictionary/mod.rs", include_bytes!("../analysis/dictionary/mod.rs")),
    ("analysis/dictionary/table.rs", include_bytes!("../analysis/dictionary/table.rs")),
    ("analysis/dictionary/told.rs", include_bytes!("../analysis/dictionary/told.rs")),
    ("analysis/fold.rs", include_bytes!("../analysis/fold.rs")),
    ("analysis/form.rs", include_bytes!("../analysis/form.rs")),
    ("analysis/function_words.rs", include_bytes!("../analysis/function_words.rs")),
    ("analysis/language.rs", include_bytes!("../analysis/language.rs")),
    ("analysis/languages.rs", include_bytes!("../analysis/languages.rs")),
    ("analysis/located.rs", include_bytes!("../analysis/located.rs")),
    ("analysis/mod.rs", include_bytes!("../analysis/mod.rs")),
    ("analysis/paper.rs", include_bytes!("../analysis/paper.rs")),
    ("analysis/phrases.rs", include_bytes!("../analysis/phrases.rs")),
    ("analysis/question.rs", include_bytes!("../analysis/question.rs")),
    ("analysis/requests.rs", include_bytes!("../analysis/requests.rs")),
    ("analysis/requests.tsv", include_bytes!("../analysis/requests.tsv")),
    ("analysis/spaced.rs", include_bytes!("../analysis/spaced.rs")),
    ("analysis/stems.rs", include_bytes!("../analysis/stems.rs")),
    ("analysis/stopwords.rs", include_bytes!("../analysis/stopwords.rs")),
    ("analysis/time_words.rs", include_bytes!("../analysis/time_words.rs")),
    ("analysis/wishes.rs", include_bytes!("../analysis/wishes.rs")),
    ("analysis/words.rs", include_bytes!("../analysis/words.rs")),
    ("dense/codes.rs", include_bytes!("../dense/codes.rs")),
    ("dense/matrix.rs", include_bytes!("../dense/matrix.rs")),
    ("index/cues.rs", include_bytes!("cues.rs")),
    ("index/documents.rs", include_bytes!("documents.rs")),
    ("index/maker.rs", include_bytes!("maker.rs")),
    ("index/mod.rs", include_bytes!("mod.rs")),
    ("index/owned.rs", include_bytes!("owned.rs")),
    ("index/segment.rs", include_bytes!("segment.rs")),
    ("lexical/postings.rs", include_bytes!("../lexical/postings.rs")),
    ("types/memory.rs", include_bytes!("../types/memory.rs")),
];

/// Of the sources, when the program was built.
const SOURCE: u64 = of_sources();

/// Words for every rule of the English stemmer, every stop word of either list, and text that words are hard to find in.
const PROBE: &str = "
    caresses ponies ties cats gas this kiwis cried dies agreed feed plastered bled motoring sing conflated troubled sized
    hopping tanned falling hissing fizzed failing filing happy sky by say enjoy generously relational conditional
    rational valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli vietnamization predication
    operator feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti apologist triplicate
    formative formalize electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic
    adjustable defensible irritant replacement adjustment dependent adoption communism activate angulariti homologous
    effective bowdlerize probate rate cease controll roll general generation communal communication arsenal arsenic
    skis skies dying lying tying idly gently ugly early only singly news howe atlas cosmos bias andes inning outing
    canning herring earring proceed exceed succeed knack yyyy syzygy abbey youth yes employ eying luxuriate bee evidence
    knightly consist consolation kind's kinds' o'clock runner's
    a about after again all am an and any are aren't as at be because been before being both but by can can't could
    couldn't did didn't do does doesn't doing don't for from had hadn't has hasn't have haven't having he he'd he'll her
    hers herself him himself his how i i'd i'll i'm i've if in into is isn't it it'll its itself just let me might must
    my myself no nor not now of on or other our ours ourselves own same shall she she'd she'll should shouldn't so some
    such than that that'd the their theirs them themselves then there these they they'd they'll they're they've those
    through to too until us very was wasn't we we'd we'll we're we've were weren't what what'd what'll what're when where
    which while who who'd who'll whom whose why will with won't would wouldn't you you'd you'll you're you've your
    yours yourself yourselves e-mail _x_ snake_case 3.5 1,000 12:30 2024-05-08 x86-64 U.S.A. AT&T C++ #tag @who a/b
    LGBTQ+ naïve Café Zürich CRÈME BRÛLÉE Straße ŁÓDŹ İstanbul ıI ﬁne Ａｂｃ１２ ℌ ½ ² e\u{301}te\u{301} don’t Leena‘s rock＇n
    Привет МИР Ёлка ή Σίσυφος ς мама́ עִבְרִית مُحَمَّد हिन्दी தமிழ் ไทยแลนด์ ລາວ မြန်မာ ខ្មែរ 東京に行きました 我喜欢猫 黒 猫 スキー ｶﾞｷﾞ 한국어 공부
    ㋿ 々〇 👍🏽 🎉! 👩‍👩‍👧 🇫🇷 ☎️ ➤ a\u{200D}b zero\u{200B}width soft\u{AD}hyphen tab\tline\u{2028}end";

/// A text of each language that has stems of its own.
const LANGUAGES: [&str; 14] = [
    "Wir haben die Wohnungen am Samstag nicht besichtigt",
    "Compramos las bicicletas que estaban en la habitación",
    "Nous avons visité l'appartement et les chambres",
    "Abbiamo comprato le biciclette con l'offerta della settimana",
    "Compramos as bicicletas e não pagamos as prestações",
    "Am cumpărat bicicletele pe care le-am văzut în oraș",
    "Wij hebben de woningen op zaterdag niet bezichtigd",
    "Vi har sålt båtarna och köpt en ny stuga",
    "Vi har solgt bådene og købt et nyt hus hvor der er plads",
    "Vi har solgt båtene og kjøpt en ny hytte som ikke er stor",
    "Me olemme ostaneet uudet veneet ja mökin",
    "Biz bu evleri çok beğendik ama almadık",
    "Mi már eladtuk a hajókat és egy új házat vettünk",
    "Мы продали лодки и купили новую дачу",
];

/// Texts whose form differs.
const FORMS: [&str; 6] = [
    "Where are you? I am here.",
    "We met yesterday, on 5 May 2023 at noon.",
    "猫はどこ？ここ。",
    "Last week? Two years ago! On Monday; in March.",
    "Nothing of the kind.",
    "؟ ; … ।",
];

/// The name of this program as a maker of indexes: two that bear it make the same of every text.
pub(super) fn maker() -> &'static str {
    static MAKER: OnceLock<String> = OnceLock::new();
    MAKER.get_or_init(|| name(SOURCE, |analyzer, text, found| analyzer.session().terms(text, found)))
}

/// What analyzers make of a text, as a name: two programs that have the same make the same terms of every text.
pub(super) fn terms() -> &'static str {
    static TERMS: OnceLock<String> = OnceLock::new();
    TERMS.get_or_init(|| name(Hash::START.0, |analyzer, text, found| analyzer.session().terms(text, found)))
}

/// The name of a maker by its source and what it makes of texts.
fn name(source: u64, terms: impl Fn(Analyzer, &str, &mut dyn FnMut(&str))) -> String {
    let mut hash = Hash(source);
    for version in [unicode_normalization::UNICODE_VERSION, char::UNICODE_VERSION] {
        hash.add(format!("{version:?}").as_bytes());
    }
    let (major, minor, patch) = unicode_segmentation::UNICODE_VERSION;
    hash.add(format!("{major}.{minor}.{patch}").as_bytes());
    let text = passage(Some("Ann"), PROBE, Some("a cat on a mat"));
    for analyzer in [Analyzer::English, Analyzer::Plain, Analyzer::FusionStudy] {
        hash.add(analyzer.to_string().as_bytes());
        terms(analyzer, &text, &mut |term| hash.add(term.as_bytes()));
    }
    for text in LANGUAGES {
        terms(Analyzer::English, text, &mut |term| hash.add(term.as_bytes()));
    }
    FORMS.iter().for_each(|text| hash.add(&Form::of(text).code().to_le_bytes()));
    // Whose turns are nobody's neighbours: a store may have counted them.
    ["tool", "Ann"].iter().for_each(|name| hash.add(&[u8::from(SpeakerName::new(name).is_tool())]));
    let mut codes = Codes::new(5);
    codes.push(&[0.1, -0.25, 0.5, 0.333, -0.9]);
    let (codes, scales) = codes.parts();
    hash.add(&codes.iter().map(|&code| code as u8).collect::<Vec<u8>>());
    scales.iter().for_each(|scale| hash.add(&scale.to_le_bytes()));
    format!("{:016x}", hash.0)
}

/// FNV-1a, of pieces that are told apart.
struct Hash(u64);

impl Hash {
    const START: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, piece: &[u8]) {
        self.0 = fnv(fnv(self.0, piece), &(piece.len() as u64).to_le_bytes());
    }
}

const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        // A checkout may have other line ends.
        if bytes[at] != b'\r' {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        }
        at += 1;
    }
    hash
}

const fn of_sources() -> u64 {
    let mut hash = Hash::START.0;
    let mut at = 0;
    while at < SOURCES.len() {
        hash = fnv(fnv(hash, SOURCES[at].0.as_bytes()), SOURCES[at].1);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of a maker that makes other terms of some texts.
    fn changed(change: impl Fn(&str) -> Option<String>) -> String {
        name(SOURCE, |analyzer, text, found| {
            analyzer.session().terms(text, &mut |term| {
                if let Some(term) = change(term) {
                    found(&term);
                }
            });
        })
    }

    #[test]
    fn another_analyzer_is_another_maker() {
        // A digit told a snapshot's analyzer, and somebody had to remember to change it.
        assert_eq!(changed(|term| Some(term.to_owned())), maker());
        let others = [
            changed(|term| (term != "kiwi").then(|| term.to_owned())),
            changed(|term| Some(if term == "poni" { "pony" } else { term }.to_owned())),
            changed(|term| Some(term.replace("zurich", "zuerich"))),
            changed(|term| Some(term.replace('猫', "貓"))),
            name(SOURCE ^ 1, |analyzer, text, found| analyzer.session().terms(text, found)),
        ];
        assert!(others.iter().all(|other| other != maker()), "{others:?}");
    }

    #[test]
    fn every_stop_word_and_every_file_of_the_analysis_has_a_part() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/analysis");
        // What else the dictionary, a folder, does has a part in questions alone.
        let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|file| file.path().is_file());
        let mut files: Vec<String> =
            files.map(|file| format!("analysis/{}", file.file_name().into_string().unwrap())).collect();
        files.sort();
        let known: Vec<&str> = SOURCES
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| name.starts_with("analysis/") && !name.starts_with("analysis/dictionary/"))
            .collect();
        assert_eq!(files, known, "a file that makes terms is missing from SOURCES");
        let plain = Analyzer::Plain.query_terms(PROBE);
        let english = Analyzer::English.query_terms(&plain.join(" "));
        assert!(plain.len() - english.len() >= 150, "most stop words are probed");
    }
}
