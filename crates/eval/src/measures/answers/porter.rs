//! The Porter stemmer, as `PorterStemmer()` of NLTK runs it.
//!
//! Porter 1980, "An algorithm for suffix stripping", steps 1a to 5b, with NLTK's default extensions:
//! - a table of irregular forms;
//! - words of one or two letters stay as they are;
//! - `ies` and `ied` leave `ie` in a word of four letters, so that "dies" and "died" meet "die";
//! - `y` becomes `i` after a consonant that is not the first letter, vowel before it or none;
//! - a stem of a vowel and a consonant counts as one that ends consonant, vowel, consonant;
//! - step 2 takes `alli` first, `bli` instead of `abli`, and also `fulli` and `logi`.

/// Form and stem.
const IRREGULAR: [(&str, &str); 16] = [
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("inning", "inning"),
    ("innings", "inning"),
    ("outing", "outing"),
    ("outings", "outing"),
    ("canning", "canning"),
    ("cannings", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
    ("succeed", "succeed"),
];

/// The stem of a lower-case word.
///
/// Any text is taken as one word, and each code point of it as one letter: those beyond `a` to `z` are consonants, and
/// stay, but that a doubled one before `ed` or `ing` becomes single.
pub(super) fn stem(word: &str) -> String {
    if let Some((_, stem)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*stem).to_owned();
    }
    if word.chars().count() <= 2 {
        return word.to_owned();
    }
    [step_1a, step_1b, step_1c, step_2, step_3, step_4, step_5a, step_5b]
        .iter()
        .fold(word.to_owned(), |word, step| step(word))
}

/// Plurals.
fn step_1a(mut word: String) -> String {
    if word.ends_with("ies") && word.chars().count() == 4 {
        word.pop();
        return word;
    }
    replace(word, &[("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")], |_, _| true)
}

/// Past tenses and participles.
fn step_1b(word: String) -> String {
    if let Some(stem) = word.strip_suffix("ied") {
        return format!("{stem}{}", if stem.chars().count() == 1 { "ie" } else { "i" });
    }
    if word.ends_with("eed") {
        return replace(word, &[("eed", "ee")], |stem, _| measure(stem) > 0);
    }
    match word.strip_suffix("ed").or_else(|| word.strip_suffix("ing")) {
        Some(stem) if consonants(stem).any(|consonant| !consonant) => completed(stem.to_owned()),
        _ => word,
    }
}

/// What a stem that lost `ed` or `ing` was before it took them.
fn completed(mut stem: String) -> String {
    if ["at", "bl", "iz"].iter().any(|end| stem.ends_with(end)) {
        stem.push('e');
    } else if ends_double_consonant(&stem) {
        if !stem.ends_with(['l', 's', 'z']) {
            stem.pop();
        }
    } else if measure(&stem) == 1 && ends_cvc(&stem) {
        stem.push('e');
    }
    stem
}

/// A final `y`.
fn step_1c(word: String) -> String {
    replace(word, &[("y", "i")], |stem, _| stem.chars().count() > 1 && consonants(stem).last() == Some(true))
}

/// Two suffixes to one.
fn step_2(mut word: String) -> String {
    // First, because what it leaves may end in `ational` or `tional`.
    if word.strip_suffix("alli").is_some_and(|stem| measure(stem) > 0) {
        word.truncate(word.len() - "li".len());
    }
    let rules = [
        ("ational", "ate"),
        ("tional", "tion"),
        ("enci", "ence"),
        ("anci", "ance"),
        ("izer", "ize"),
        ("bli", "ble"),
        ("entli", "ent"),
        ("eli", "e"),
        ("ousli", "ous"),
        ("ization", "ize"),
        ("ation", "ate"),
        ("ator", "ate"),
        ("alism", "al"),
        ("iveness", "ive"),
        ("fulness", "ful"),
        ("ousness", "ous"),
        ("aliti", "al"),
        ("iviti", "ive"),
        ("biliti", "ble"),
        ("fulli", "ful"),
        ("logi", "log"),
    ];
    // The `l` of `logi` counts with the stem, so that "geology" goes the way of "archaeology".
    replace(word, &rules, |stem, suffix| measure(stem) > 0 || (suffix == "logi" && measure(&format!("{stem}l")) > 0))
}

/// `ic`, `ful`, `ness` and the like.
fn step_3(word: String) -> String {
    let rules =
        [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];
    replace(word, &rules, |stem, _| measure(stem) > 0)
}

/// Suffixes of long words.
fn step_4(word: String) -> String {
    let suffixes = [
        "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
        "iti", "ous", "ive", "ize",
    ];
    replace(word, &suffixes.map(|suffix| (suffix, "")), |stem, suffix| {
        measure(stem) > 1 && (suffix != "ion" || stem.ends_with(['s', 't']))
    })
}

/// A final `e`.
fn step_5a(word: String) -> String {
    replace(word, &[("e", "")], |stem, _| match measure(stem) {
        0 => false,
        1 => !ends_cvc(stem),
        _ => true,
    })
}

/// A final `ll`.
fn step_5b(word: String) -> String {
    replace(word, &[("ll", "l")], |stem, _| measure(&format!("{stem}l")) > 1)
}

/// The word after the first of the rules, suffix and replacement, whose suffix it has.
///
/// Where that rule does not hold of the stem and the suffix, no other is tried.
fn replace(word: String, rules: &[(&str, &str)], holds: impl Fn(&str, &str) -> bool) -> String {
    let rule = rules.iter().find_map(|(suffix, replacement)| Some((word.strip_suffix(suffix)?, suffix, replacement)));
    match rule {
        Some((stem, suffix, replacement)) if holds(stem, suffix) => format!("{stem}{replacement}"),
        _ => word,
    }
}

/// Whether each letter is a consonant: no vowel, and no `y` after a consonant.
fn consonants(word: &str) -> impl Iterator<Item = bool> {
    word.chars().scan(false, |consonant, letter| {
        *consonant = match letter {
            'a' | 'e' | 'i' | 'o' | 'u' => false,
            'y' => !*consonant,
            _ => true,
        };
        Some(*consonant)
    })
}

/// Porter's m: how often a vowel is followed by a consonant.
fn measure(stem: &str) -> usize {
    consonants(stem).zip(consonants(stem).skip(1)).filter(|pair| *pair == (false, true)).count()
}

/// Porter's *d.
fn ends_double_consonant(stem: &str) -> bool {
    let mut letters = stem.chars().rev();
    letters.next() == letters.next() && consonants(stem).last() == Some(true)
}

/// Porter's *o, and a vowel and a consonant alone.
fn ends_cvc(stem: &str) -> bool {
    match consonants(stem).collect::<Vec<_>>().as_slice() {
        [false, true] => true,
        [.., true, false, true] => !stem.ends_with(['w', 'x', 'y']),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `form=stem`, each stem computed by NLTK 3.10.4.
    const STEMS: [&str; 25] = [
        // Irregular or short
        "sky=sky skies=sky dying=die lying=lie tying=tie news=news inning=inning innings=inning",
        "outing=outing outings=outing canning=canning cannings=canning howe=howe proceed=proceed",
        "exceed=exceed succeed=succeed is=is by=by",
        // Step 1a
        "caresses=caress psses=pss ponies=poni ties=tie dies=die caress=caress cats=cat",
        // Step 1b
        "died=die spied=spi agreed=agre feed=feed plastered=plaster bled=bled motoring=motor sing=sing",
        "skying=ski conflated=conflat troubled=troubl sized=size hopping=hop tanned=tan falling=fall",
        "hissing=hiss fizzed=fizz failing=fail filing=file boxing=box snowed=snow owing=owe",
        "activated=activ overcabling=overc nationalizing=nation overdriving=overdriv carrying=carri",
        "freeing=free",
        // Step 1c
        "happy=happi enjoy=enjoy spy=spi say=say synonymy=synonymi bys=by",
        // Step 2
        "relational=relat operational=oper conditional=condit rational=ration valency=valenc",
        "hesitancy=hesit digitizer=digit conformably=conform possibly=possibl radically=radic",
        "rationally=ration ally=alli differently=differ vilely=vile analogously=analog",
        "vietnamization=vietnam predication=predic operator=oper feudalism=feudal nationalism=nation",
        "decisiveness=decis hopefulness=hope talkativeness=talk callousness=callous formality=formal",
        "nationality=nation sensitivity=sensit sensibility=sensibl carefully=care geology=geolog",
        "analogy=analog",
        // Step 3
        "triplicate=triplic formative=form formalize=formal electricity=electr electrical=electr",
        "hopeful=hope goodness=good",
        // Step 4
        "revival=reviv allowance=allow inference=infer airliner=airlin gyroscopic=gyroscop",
        "adjustable=adjust defensible=defens irritant=irrit replacement=replac cement=cement",
        "adjustment=adjust dependent=depend adoption=adopt companion=companion homologou=homolog",
        "communism=commun activate=activ angularity=angular homologous=homolog effective=effect",
        "bowdlerize=bowdler",
        // Steps 5a and 5b
        "probate=probat rate=rate cease=ceas live=live controlling=control roll=roll",
    ];

    #[test]
    fn stems_are_those_of_nltk() {
        for (form, expected) in STEMS.iter().flat_map(|row| row.split(' ')).map(|pair| pair.split_once('=').unwrap()) {
            assert_eq!(stem(form), expected, "{form}");
        }
    }

    #[test]
    fn letters_beyond_ascii_are_consonants() {
        // "ñ" doubles like any consonant, and "é" is no vowel: "bé" has none before the suffix.
        let stems = [("añños", "añño"), ("aññed", "añ"), ("béing", "béing"), ("élies", "éli"), ("éies", "éie")];
        for (form, expected) in stems {
            assert_eq!(stem(form), expected, "{form}");
        }
    }

    #[test]
    fn any_text_has_a_stem_no_longer_than_itself() {
        let ends = ["", "s", "ies", "ied", "eed", "ed", "ing", "y", "alli", "logi", "ion", "e", "ll", "ational"];
        for start in ["", "a", "y", "yyyy", "é", "日本", "\u{301}", "🪁", "ß ", "\0", "*", "aéb"] {
            for end in ends {
                let word = format!("{start}{end}");
                assert!(stem(&word).chars().count() <= word.chars().count(), "{word:?}");
            }
        }
    }
}
