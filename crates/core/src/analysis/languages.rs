//! What is known of each language: its function words, its letters, its stemmer.
//!
//! To add a language, add a line to [`LANGUAGES`]. Its words are folded, as those of a text are when they are looked up.

use std::{collections::HashMap, sync::OnceLock};

use rust_stemmers::Algorithm;

use super::stopwords;

/// A language that texts and questions may be in.
pub(super) struct KnownLanguage {
    /// Its name in English.
    pub name: &'static str,
    /// The Snowball stemmer of its words, if there is one.
    pub stemmer: Option<Algorithm>,
    /// Letters that it has and few others do.
    pub letters: &'static str,
    /// What stands before an apostrophe and is a word of its own: "l'" of "l'appartement".
    pub elided: &'static str,
    /// Endings as they are often written, without their accent, and as the stemmer knows them.
    pub accented: &'static [(&'static str, &'static str)],
    /// Whether its compounds are written as one word.
    pub compounds: bool,
    /// Words that say nothing of what is spoken of.
    pub function_words: &'static str,
}

/// Words of the lists below that are also English words of every day: alone they do not tell a language.
const ALSO_ENGLISH: &str = "aan ai also bin bis care come dal den des die dies dig dos dove du en era fra fur go hade hans hat hem hier im \
    la las le lo los mal man mange mas men mere met mi min mine mis mod mot na non nu om os over pa par pas per plus \
    pour sale se sin son sur ten till ton tot tous tout tu uit under van vi vous war wo ya";

/// All languages that are told apart by their words.
pub(super) const LANGUAGES: [KnownLanguage; 15] = [
    KnownLanguage {
        name: "German",
        stemmer: Some(Algorithm::German),
        letters: "äöüß",
        elided: "",
        accented: &[],
        compounds: true,
        function_words: "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dabei dafur damit \
            dann das dass dein deine deinem deinen deiner dem den denn der des dessen die dies diese diesem diesen dieser dieses \
            doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fur gegen gibt hab habe haben habt \
            hast hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jeden jeder jedes \
            jetzt kann kannst kein keine keinen konnen konnte konnten mal man mehr mein meine meinem meinen meiner mich mir mit \
            muss musste mussten nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit \
            sich sie sind so soll sollen sollte sollten sondern sonst uber um und uns unser unsere unserem unseren unserer unter \
            viel viele vom von vor wann war waren warst warum was weil welche welchem welchen welcher welches wem wen wenn wer \
            werde werden weshalb wessen wie wieder wieso wieviel wieviele will wir wird wo wofur woher wohin womit worden wurde \
            wurden zu zum zur zwischen",
    },
    KnownLanguage {
        name: "Spanish",
        stemmer: Some(Algorithm::Spanish),
        letters: "ñ¿¡",
        elided: "",
        accented: &[("cion", "ción"), ("sion", "sión")],
        compounds: false,
        function_words: "a al algo alguien algun alguna algunos algunas antes aquel aquella aqui asi aun aunque cada casi como con \
            cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde durante e el ella ellas ellos en entre \
            era eran eres es esa esas ese eso esos esta estaba estaban estan estar estas este esto estos estoy fue \
            fueron fui fuimos ha habia habian han has hasta hay he hemos la las le les lo los mas me mi mia mio mis \
            mucho muy nada ni no nos nosotros nuestra nuestro nuestras nuestros o os para pero por porque pues que quien \
            quienes se sea ser si sido sin sobre somos son soy su sus tambien tan tanto te tengo tenia tiene tienen tu \
            tus tuvo un una unas uno unos usted ustedes va vamos y ya yo",
    },
    KnownLanguage {
        name: "French",
        stemmer: Some(Algorithm::French),
        letters: "êœèç",
        elided: "c d j jusqu l lorsqu m n puisqu qu quelqu quoiqu s t",
        accented: &[],
        compounds: false,
        function_words: "a ai alors apres as au aussi aux avaient avais avait avant avec avez avons bien ca ce cela celle celui ces \
            cet cette ceux chaque chez combien comme comment dans de deja depuis des donc dont du elle elles en encore \
            entre est et etaient etais etait ete etre eu eux fait faut il ils jamais je la le les leur leurs lui ma mais \
            me meme mes moi mon ne ni nos notre nous on ont ou par parce pas pendant peu plus pour pourquoi puis quand \
            que quel quelle quelles quels qui quoi rien sa sans se sera serait ses si son sont sous suis sur ta te tes \
            toi ton toujours tous tout toute toutes tres tu un une va vers vos votre vous y",
    },
    KnownLanguage {
        name: "Italian",
        stemmer: Some(Algorithm::Italian),
        letters: "ìò",
        elided: "all anch c cent com d dall dell dev dov l m mezz n nell nessun quell quest s sant sull t tutt un v",
        accented: &[],
        compounds: false,
        function_words: "a abbiamo ad agli ai al alla alle allo altra anche ancora avere aveva avevano che chi ci come con cosa cui \
            da dagli dai dal dalla dalle degli dei del della delle dello di dopo dove e ed era erano essere fra gli ha \
            hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mie miei mio molto ne nei nel nella nelle noi \
            non nostra nostro o per perche piu poi quale quali quando quanta quante quanti quanto quella quelle quelli \
            quello questa queste questi questo se sei si sia siamo sono sta stata stato su sua sue sugli sul sulla suo \
            suoi tra tu tua tuo un una uno vi voi",
    },
    KnownLanguage {
        name: "Portuguese",
        stemmer: Some(Algorithm::Portuguese),
        letters: "ãõêôâç",
        elided: "",
        accented: &[("cao", "ção"), ("coes", "ções"), ("sao", "são"), ("soes", "sões")],
        compounds: false,
        function_words: "a ao aos as ate com como da das de dela delas dele deles do dos e ela elas ele eles em entre era eram essa \
            esse esta estao estava este eu foi foram ha isso isto ja la lhe mais mas me mesmo meu meus minha minhas \
            muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelo por porque quais qual quando \
            quanta quantas quanto quantos que quem sao se sem ser seu seus so sua suas tambem te tem tinha tinham um uma \
            umas uns voce voces",
    },
    KnownLanguage {
        name: "Dutch",
        stemmer: Some(Algorithm::Dutch),
        letters: "",
        elided: "",
        accented: &[],
        compounds: true,
        function_words: "aan al als ben bij daar dan dat de der deze die dit doch door dus een en er geen had hadden heb hebben heeft \
            hem het hier hij hoe hoeveel ik in is ja je jij jouw jullie kon me meer men met mij mijn na naar niet nog nu \
            of om omdat ons onze ook op te toch tot u uit uw van vanaf veel voor waar waarom wanneer want waren was wat \
            we wel welk welke wie wij worden wordt zal ze zich zij zijn zo zonder zou",
    },
    KnownLanguage {
        name: "Swedish",
        stemmer: Some(Algorithm::Swedish),
        letters: "åäö",
        elided: "",
        accented: &[],
        compounds: true,
        function_words: "alla allt alltid an andra annan ar at att av bara blev bli blir borde da dar de del dem den denna deras dess \
            det detta dig din dina ditt du efter eller en er era ett fick fler flera for fore fran ga gor gora ha hade \
            han hans har hela henne hennes hon honom hur i igen ihop in inga ingen inget innan inte ja jag kan kanske \
            kom kommer kunde lite man manga med mellan men mer mest mig min mina mitt mot mycket nagon nagot nagra nar \
            nej ni nu och ocksa om oss over pa sa samma sedan ser sig sin sina sitt ska skulle som till tills tog under \
            upp ut utan vad var vara varfor varit varje vart vem vi vid vilja vilka vilken vilket vill vore",
    },
    KnownLanguage {
        name: "Danish",
        stemmer: Some(Algorithm::Danish),
        letters: "æøå",
        elided: "",
        accented: &[],
        compounds: true,
        function_words: "af alle alt altid anden andet at bare begge blev blive bliver da de dem den denne der deres det dette dig \
            din dine dit du efter eller en end er et fik for fordi fra fx gor gore ha han hans har havde have hele hende \
            hendes her hos hun hvad hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornar i igen ikke ind \
            ingen intet ja jeg jer jeres kan kom kommer kun kunne lidt man mange med meget mellem men mere mig min mine \
            mit mod nar nej ni nogen noget nogle nok nu og ogsa om op os over pa sa samme selv ser sig sin sine sit skal \
            skulle som til ud uden under vaere vaeret var ved vi vil ville vores",
    },
    KnownLanguage {
        name: "Norwegian",
        stemmer: Some(Algorithm::Norwegian),
        letters: "æøå",
        elided: "",
        accented: &[],
        compounds: true,
        function_words: "alle alltid alt andre annen at av bare begge ble bli blir blitt da de deg dem den denne der deres det dette \
            din dine ditt du eller en enn er et etter fikk for fordi fra gjor gjore ha hadde han hans har hele henne \
            hennes her hos hun hva hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor i igjen ikke ingen inn ja \
            jeg kan kom kommer kun kunne litt man mange med meg mellom men mer min mine mitt mot mye na nar nei noe noen \
            nok og ogsa om opp oss over pa sa samme seg selv ser sin sine sitt skal skulle som til under ut uten vaere \
            vaert var vare ved vi vil ville",
    },
    KnownLanguage {
        name: "Finnish",
        stemmer: Some(Algorithm::Finnish),
        letters: "äö",
        elided: "",
        accented: &[],
        compounds: true,
        function_words: "ehka ehtia ei eika eiko en ennen etta han hanelle hanen hanta he heidan heille ihan ilman itse ja jo joka \
            jolla jonka jos josta jota jotain joten jotka kai kaikki kanssa kautta kenen kertaa ketka koska kuin kuinka \
            kuitenkin kuka kun loytyi me meidan meilla meille mihin mika mikali miksi milla mille milloin mina minka \
            minua minulla minulle minun missa mista mita mitaan moni monta mutta myos nain ne niiden niin niita no nyt \
            ole olemme olen olet olette oli olin olivat ollut on onko ovat paljon se sen siella siis siita silla sille \
            sina sinulla sinun sita sitten taas tai tama taman tassa tasta tata te tuo tuon tuota vaan vai vaikka vain \
            viela voi voin voinut",
    },
    KnownLanguage {
        name: "Polish",
        stemmer: None,
        letters: "łąęśćźżń",
        elided: "",
        accented: &[],
        compounds: false,
        function_words: "aby albo ale bardzo bez bo by byc byl byla byli bylo byly bym co czego czemu czy czyli dla dlaczego do gdy \
            gdzie go ich ile im inne ja jak jaka jaki jakie jako je jego jej jesli jest jestem jeszcze juz kiedy kto \
            ktora ktore ktory ktorych ktorym ma maja mam mamy mi mial miala mieli mnie moge moj moja moje moze mozna my \
            na nad nam nas nasz nasza nasze nic nich nie niego niej nim no od ode on ona oni oraz po pod ponad poza \
            przed przez przy sa sam sie skad swoj swoja swoje ta tak taki takie tam te tego tej temu ten to toba tobie \
            tu tutaj twoj twoja twoje ty tych tylko tym u w wam was wasz we wiec wszystko wtedy wy z za zas zawsze ze \
            zeby",
    },
    KnownLanguage {
        name: "Turkish",
        stemmer: Some(Algorithm::Turkish),
        letters: "ğşıİ",
        elided: "",
        accented: &[],
        compounds: false,
        function_words: "acaba ama ancak artik asla az bana bazi belki ben benden beni benim bile bir biraz biri biz bize bizi bizim \
            boyle bu buna bunda bundan bunu bunun burada cok cunku da daha de defa degil demek diye dolayi en fakat \
            falan gibi hangi hani hem hep hepsi her hic icin ile ise kac kadar kendi ki kim kime kimi kimin mi mu nasil \
            ne neden nerede nereden nereye niye o olan olarak oldu oldugu olur ona ondan onlar onlari onu onun orada \
            oysa sana sen senden seni senin siz size sizi sizin sonra su sunu tum var ve veya ya yani yok zaten",
    },
    KnownLanguage {
        name: "Hungarian",
        stemmer: Some(Algorithm::Hungarian),
        letters: "őű",
        elided: "",
        accented: &[],
        compounds: true,
        function_words: "a abban ahhoz ahogy ahol aki akik akkor amely ami amikor amit annak arra arrol az azert azok azon azonban \
            azt aztan be belul ben csak de e egy egyik el elott en ennek erre ert es et ez ezek ezen ezert ezt ha hanem \
            hat hiszen hogy hogyan hol honnan hova igen ill is itt jo jol kell ki kik kinek kit le legyen lehet lenne \
            lesz lett maga majd mar meg mely mert mi miert mikor milyen minden mindig mint mit most nagy nagyon nekem \
            neki nem nincs oda ok olyan on ossze ott pedig sem sok szamara szerint talan te tehat teljes tobb tudom utan \
            vagy vagyok valaki valami van vannak volna volt voltak voltam",
    },
    KnownLanguage {
        name: "Romanian",
        stemmer: Some(Algorithm::Romanian),
        letters: "ăâîșțşţ",
        elided: "",
        accented: &[],
        compounds: false,
        function_words: "acea aceasta aceea acel acela acest acesta acolo acum ai aia al ale alt alta am ar are asa asta astfel ati \
            atunci au avea aveam avem avut ca cand care cat cate cati ce cea cei cel cele chiar cine cu cui cum da daca \
            dar de decat deci din dintre doar dupa ea ei el ele era erau este eu fara fi fie fiecare fost iar ii il imi \
            in inainte insa intr intre isi la le lor lui ma mai mea mei mele mereu meu mi mult multe multi ne nici \
            nimeni nimic noastra noi nostru nu o ori pe pentru peste poate prea prin sa sai sale sau se si sub sunt \
            suntem ta tale tau te toata toate tot toti tu un una unde unei unor unui va voi vor vreo",
    },
    KnownLanguage {
        name: "Russian",
        stemmer: Some(Algorithm::Russian),
        letters: "",
        elided: "",
        accented: &[],
        compounds: false,
        function_words: "а без более бы был была были было быть в вам вас ведь весь во вот все всего всех всё вы где да даже для до \
            его ее если есть еще ещё её же за здесь и из или им их к как какая какие какой какую когда кого кому кто \
            куда ли либо мне моего моей может можно мои моих мой моя моё мы на над надо нас наш наша наше наши не него \
            нее нет неё ни них но ну о об однако он она они оно от откуда очень по под после потом потому почему при про \
            с сам свои свой своя себе себя сейчас сколько со так также такой там тебе тебя тем то тогда того тоже только \
            том тот ту тут ты у уж уже чего чей чем через что чтобы чья эта эти это этого этой этом этот я",
    },
];

/// A word of some lists.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// The languages it is a function word of, a bit each.
    pub languages: u32,
    /// Whether it is an English stop word.
    pub is_english: bool,
    /// Whether it is an English word of another kind.
    pub is_also_english: bool,
}

/// What the lists say of a folded word.
pub(super) fn known(word: &str) -> Known {
    static WORDS: OnceLock<HashMap<&'static str, Known>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words: HashMap<&'static str, Known> = HashMap::new();
        for (number, language) in LANGUAGES.iter().enumerate() {
            for word in language.function_words.split(' ') {
                words.entry(word).or_default().languages |= 1 << number;
            }
        }
        stopwords::all_english().for_each(|word| words.entry(word).or_default().is_english = true);
        ALSO_ENGLISH.split(' ').for_each(|word| words.entry(word).or_default().is_also_english = true);
        words
    });
    words.get(word).copied().unwrap_or_default()
}

/// Whether a folded word of a text says nothing of what is spoken of: a function word of its language, or an English stop word
/// where it is in none that is known.
pub(super) fn says_little(word: &str, language: Option<usize>) -> bool {
    match language {
        Some(number) => known(word).languages >> number & 1 == 1,
        None => stopwords::is_english(word),
    }
}

/// A word without what is elided before it and is a word of its own: "appartement" of "l'appartement".
pub(super) fn without_elision(word: &str, language: Option<usize>) -> &str {
    let elided = language.map_or("", |number| LANGUAGES[number].elided);
    let parts = word
        .split_once('\'')
        .filter(|(before, after)| !after.is_empty() && elided.split_whitespace().any(|elided| elided == *before));
    parts.map_or(word, |(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_also_english_is_of_some_list() {
        for word in ALSO_ENGLISH.split(' ') {
            let Known { languages, is_english, .. } = known(word);
            assert!(languages != 0 && !is_english, "{word}");
        }
    }
}
