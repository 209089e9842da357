use super::*;

#[test]
fn what_people_say_in_italian() {
    means(&[
        ("Cosa ho fatto ieri?", "ieri: 2024-05-14..2024-05-15"),
        ("Con chi ho cenato ieri sera?", "ieri sera: 2024-05-14T17:00:00Z..2024-05-15"),
        ("Chi ha chiamato l'altro ieri?", "l'altro ieri: 2024-05-13..2024-05-14"),
        ("A che ora è tornata Elia stanotte?", "stanotte: 2024-05-15..2024-05-16"),
        ("chi c'era qui la notte scorsa", "la notte scorsa: 2024-05-14T21:00:00Z..2024-05-15T06:00:00Z"),
        ("Cosa facciamo domani mattina?", "domani mattina: 2024-05-16T05:00:00Z..2024-05-16T12:00:00Z"),
        ("Di cosa abbiamo parlato la settimana scorsa?", "la settimana scorsa: 2024-05-06..2024-05-13"),
        ("Quanto abbiamo incassato lo scorso mese?", "lo scorso mese: 2024-04-01..2024-05-01"),
        ("Dove siamo stati l’anno scorso?", "l’anno scorso: 2023-01-01..2024-01-01"),
        ("quanto abbiamo speso quest'anno", "quest'anno: 2024-01-01..2025-01-01"),
        ("Che cosa ha detto Sara venerdi' scorso?", "venerdi' scorso: 2024-05-10..2024-05-11"),
        ("La riunione di lunedì com'è andata?", "lunedì: 2024-05-13..2024-05-14"),
        ("Chi è venuto a cena sabato sera?", "sabato sera: 2024-05-11T17:00:00Z..2024-05-12"),
        ("Chi c'era martedì della settimana scorsa?", "martedì della settimana scorsa: 2024-05-07..2024-05-08"),
        ("Cosa abbiamo cucinato due sabati fa?", "due sabati fa: 2024-05-04..2024-05-05"),
        ("Chi viene lunedì prossimo?", "lunedì prossimo: 2024-05-20..2024-05-21"),
        ("Dove siete andati nel fine settimana?", "nel fine settimana: 2024-05-11..2024-05-13"),
        ("cosa avete fatto questo weekend?", "questo weekend: 2024-05-11..2024-05-13"),
        ("Chi c'era il weekend del 4 maggio?", "il weekend del 4 maggio: 2024-04-29..2024-05-06"),
        ("Dove siamo andati l'estate scorsa?", "l'estate scorsa: 2023-06-01..2023-09-01"),
        ("Che lavori abbiamo fatto nell'estate del 2022?", "estate del 2022: 2022-06-01..2022-09-01"),
        ("Dove andiamo quest'estate?", "quest'estate: 2024-06-01..2024-09-01"),
        ("Chi ci ha aiutato in estate?", "in estate: 2023-06-01..2023-09-01"),
        ("Cosa avevamo deciso prima dell'estate?", "prima dell'estate: 2024-04-01..2024-06-01"),
        ("Con chi eravamo due estati fa?", "due estati fa: 2022-06-01..2022-09-01"),
        ("Cosa abbiamo mangiato lo scorso Natale?", "lo scorso Natale: 2023-12-24..2023-12-27"),
        ("Quante persone c'erano al pranzo di Natale?", "di Natale: 2023-12-24..2023-12-27"),
        ("Chi ha fatto il dolce a Natale dell'anno scorso?", "a Natale dell'anno scorso: 2023-12-24..2023-12-27"),
        ("Dove eravamo il Natale di due anni fa?", "il Natale di due anni fa: 2022-12-24..2022-12-27"),
        ("Chi è venuto la settimana dopo Natale?", "la settimana dopo Natale: 2023-12-27..2024-01-03"),
        ("Cosa abbiamo comprato due giorni prima di Natale?", "due giorni prima di Natale: 2023-12-22..2023-12-23"),
        ("Chi ha telefonato poco prima di Capodanno?", "poco prima di Capodanno: 2023-12-24..2023-12-31"),
        ("Eravamo chiusi tra Natale e Capodanno?", "tra Natale e Capodanno: 2023-12-24..2024-01-02"),
        ("Chi ha lavorato al ponte dell'Immacolata?", "dell'Immacolata: 2023-12-08..2023-12-09"),
        ("Da che cosa ero vestita a Carnevale?", "Carnevale: 2024-02-08..2024-02-14"),
        ("Quanti coperti a Pasquetta 2023?", "Pasquetta 2023: 2023-04-10..2023-04-11"),
        ("Cosa mi avevi detto prima di Pasqua?", "prima di Pasqua: ..2024-03-29"),
        ("Chi abbiamo assunto dopo Ferragosto?", "dopo Ferragosto: 2023-08-16.."),
        ("Che regalo ho fatto per la festa della mamma?", "festa della mamma: 2024-05-12..2024-05-13"),
        ("Chi ha telefonato un'ora fa?", "un'ora fa: 2024-05-15T10:30:00Z..2024-05-15T11:30:00Z"),
        ("Cosa ti ho chiesto mezz'ora fa?", "mezz'ora fa: 2024-05-15T11:25:00Z..2024-05-15T11:35:00Z"),
        ("Cosa ti ho chiesto un paio d'ore fa?", "un paio d'ore fa: 2024-05-15T08:30:00Z..2024-05-15T10:30:00Z"),
        ("Dove lavoravo sei mesi fa?", "sei mesi fa: 2023-10-31..2023-12-01"),
        ("Cosa abbiamo deciso quindici giorni fa?", "quindici giorni fa: 2024-04-28..2024-05-05"),
        ("quanto pesavo un anno e mezzo fa", "un anno e mezzo fa: 2022-10-31..2022-12-01"),
        ("Dove abitavamo circa un anno fa?", "circa un anno fa: 2023-02-13..2023-08-15"),
        ("Quanto correvo due mesi fa circa?", "due mesi fa circa: 2024-02-29..2024-03-31"),
        ("Mesi fa avevi parlato di un corso, quale?", "Mesi fa: 2023-08-31..2024-03-31"),
        ("L'altro giorno di chi parlavi?", "L'altro giorno: 2024-05-01..2024-05-16"),
        ("Quante volte ho corso negli ultimi tre mesi?", "ultimi tre mesi: 2024-02-15..2024-05-16"),
        ("Quanto ho dormito nell'ultima settimana?", "ultima settimana: 2024-05-08..2024-05-16"),
        ("Parto tra due settimane?", "tra due settimane: 2024-05-26..2024-06-02"),
        ("Quanto abbiamo incassato a marzo?", "marzo: 2024-03-01..2024-04-01"),
        ("a giugno chi ha pagato l'affitto", "giugno: 2023-06-01..2023-07-01"),
        ("La bolletta di maggio 2023 quanto era?", "maggio 2023: 2023-05-01..2023-06-01"),
        ("Dove ero a marzo dell'anno scorso?", "marzo dell'anno scorso: 2023-03-01..2023-04-01"),
        ("A che punto eravamo a inizio maggio 2023?", "a inizio maggio 2023: 2023-05-01..2023-05-11T08:00:00Z"),
        ("Il tetto lo rifanno a metà luglio 2023?", "a metà luglio 2023: 2023-07-11T08:00:00Z..2023-07-21T16:00:00Z"),
        ("Quanto ho pagato alla fine del mese scorso?", "alla fine del mese scorso: 2024-04-21..2024-05-01"),
        ("Che propositi avevo all'inizio dell'anno?", "all'inizio dell'anno: 2024-01-01..2024-05-02"),
        ("Cosa restava da pagare a fine anno?", "a fine anno: 2023-09-01T08:00:00Z..2024-01-01"),
        ("Cosa è cambiato da gennaio?", "da gennaio: 2024-01-01.."),
        ("Avevo tempo fino a lunedì?", "fino a lunedì: ..2024-05-14"),
        ("Chi ha lavorato da marzo a maggio?", "da marzo a maggio: 2024-03-01..2024-06-01"),
        ("Dove ho vissuto dal 2019 al 2021?", "dal 2019 al 2021: 2019-01-01..2022-01-01"),
        ("Cosa è successo il 3 giugno 2023?", "il 3 giugno 2023: 2023-06-03..2023-06-04"),
        ("Chi ho visto l'8 maggio?", "l'8 maggio: 2024-05-08..2024-05-09"),
        ("Dove siamo andati il primo maggio?", "il primo maggio: 2024-05-01..2024-05-02"),
        ("Chi ha suonato la sera del 3 maggio?", "la sera del 3 maggio: 2024-05-03T17:00:00Z..2024-05-04"),
        ("Cosa ho comprato il 3 del mese scorso?", "il 3 del mese scorso: 2024-04-03..2024-04-04"),
        ("Cosa avevamo prima di maggio?", "prima di maggio: ..2024-05-01"),
        ("Chi c'era la prima settimana di maggio?", "la prima settimana di maggio: 2024-05-01..2024-05-08"),
        ("E l'ultima settimana di marzo 2024?", "l'ultima settimana di marzo 2024: 2024-03-25..2024-04-01"),
        ("Chi ha cucinato la settimana del 6 maggio?", "la settimana del 6 maggio: 2024-05-06..2024-05-13"),
        ("L'utile nel primo trimestre del 2023?", "primo trimestre del 2023: 2023-01-01..2023-04-01"),
        ("Cosa abbiamo deciso il 5/3/2024?", "5/3/2024: 2024-03-05..2024-03-06"),
    ]);
    means_nothing(&[
        "Chi annaffia i pomodori il giovedì?",
        "Che turno fa Doina ogni martedì?",
        "La domenica chi apre la trattoria?",
        "Lavora dal lunedì al venerdì?",
        "Chi canta nel coro i lunedì e le domeniche?",
        "Cosa mangiamo d'estate?",
        "Quanti anni fa ci siamo conosciuti?",
        "Quante ore alla settimana fa Damiano?",
        "A che ora apre la farmacia?",
        "Dove sei? E come sta ora tua madre?",
        "È sempre all'ultimo minuto",
        "Mezzo chilo di farina e sei uova",
        "Chi ha scritto a Babbo Natale?",
        "Qual è la mia città natale?",
        "Abitiamo ancora in via 25 aprile o in via XX Settembre?",
        "Cosa pensa Luigi Di Maggio?",
        "Quando siamo stati sull'isola di Pasqua?",
        "La musica degli anni 1980 ti piace?",
        // Other languages.
        "He is a lawyer in estate planning, a fine one",
        "real estate",
        "a set of keys in a mag",
        "dans sa ville natale",
        "La prima de Ana vive en Lima.",
        "Wer ist da, und wo?",
    ]);
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    for text in [
        "Dove lavora adesso Elia?",
        "E ora dove abita Samira?",
        "Cosa fa ora tuo fratello?",
        "Chi gestisce attualmente la cassa?",
        "Al giorno d'oggi quanto costa?",
        "A che punto siamo con il tetto?",
    ] {
        assert_eq!(order(text), Some(Order::Current), "{text}");
    }
    for text in [
        "Doina lavora ancora da noi?",
        "Tiziano non fuma più?",
        "Qual è l'ultimo preventivo?",
        "Quanto costa oggi il tartufo?",
        "Alla fine cosa abbiamo deciso?",
        "Chi ho visto di recente?",
        "L'ultima volta che siamo andati a Fano",
    ] {
        assert_eq!(order(text), Some(Order::Newest), "{text}");
    }
    for text in [
        "Quanto chiedeva all'inizio Bartolucci?",
        "Qual era il prezzo iniziale?",
        "In origine chi doveva venire?",
        "Quando è venuta Doina per la prima volta?",
    ] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
    for text in [
        "Di cosa abbiamo parlato la settimana scorsa?",
        "A che ora chiudiamo?",
        "Quanto dura? Un'ora e venti?",
        "È ora di andare",
        "Cosa ho mangiato negli ultimi due mesi?",
        "Chi abita all'ultimo piano?",
        "Com'era la scena alla fine del film?",
        "Cosa avevo all'inizio di maggio?",
        "Quanto abbiamo speso fino ad adesso?",
        "Lo rifacciamo ancora una volta?",
        "Non ha più di dieci gatti?",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    let words = |text: &str| {
        let read = Times::read(text, Some(&clock(NOW, "UTC")));
        read.mention.into_iter().map(|place| text[place].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words("Quando ho accennato la prima volta a Doina?"), ["accennato", "la prima volta", "Quando"]);
    assert_eq!(words("Quando abbiamo parlato di Elia l'ultima volta?"), ["parlato di", "l'ultima volta", "Quando"]);
    let text = "Cosa abbiamo fatto la settimana scorsa?";
    assert!(Times::read(text, Some(&clock(NOW, "UTC"))).are_all_of(text));
}
