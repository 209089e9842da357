use super::*;

#[test]
fn what_people_say_in_dutch() {
    means(&[
        // Days and weeks.
        ("Wat heb ik vandaag gedaan?", "vandaag: 2024-05-15..2024-05-16"),
        ("Wat zei Noor gisteren?", "gisteren: 2024-05-14..2024-05-15"),
        ("Wie belde er gisteravond?", "gisteravond: 2024-05-14..2024-05-15"),
        ("Wat kookte ik gisteren avond?", "gisteren avond: 2024-05-14T17:00:00Z..2024-05-15"),
        ("Waar was ik eergisteren?", "eergisteren: 2024-05-13..2024-05-14"),
        ("Hoe sliep Tom vannacht?", "vannacht: 2024-05-15..2024-05-16"),
        ("Wat deden we vorige week?", "vorige week: 2024-05-06..2024-05-13"),
        ("Wat spraken we voorvorige week af?", "voorvorige week: 2024-04-29..2024-05-06"),
        ("Wat heb ik van de week gegeten?", "van de week: 2024-05-13..2024-05-20"),
        ("Wie kwam er begin deze week langs?", "begin deze week: 2024-05-13..2024-05-15T08:00:00Z"),
        ("Wat zei ze vorige week dinsdag?", "vorige week dinsdag: 2024-05-07..2024-05-08"),
        ("Wie was er de maandag van vorige week?", "maandag van vorige week: 2024-05-06..2024-05-07"),
        ("Wie kwam afgelopen vrijdag langs?", "afgelopen vrijdag: 2024-05-10..2024-05-11"),
        ("Waar waren we zaterdagavond?", "zaterdagavond: 2024-05-11..2024-05-12"),
        ("Wat heb ik komende vrijdag staan?", "komende vrijdag: 2024-05-17..2024-05-18"),
        ("Wie paste er afgelopen weekend op?", "afgelopen weekend: 2024-05-11..2024-05-13"),
        ("Wie was er in het weekend?", "in het weekend: 2024-05-11..2024-05-13"),
        ("Waar sliepen we in het weekend van 4 mei?", "het weekend van 4 mei: 2024-04-29..2024-05-06"),
        ("Wat vertelde Femke laatst over haar baan?", "laatst: 2024-05-01..2024-05-16"),
        // Ago, and to come.
        ("Waar ging ik een paar dagen geleden lunchen?", "een paar dagen geleden: 2024-05-10..2024-05-14"),
        ("Wie belde een dag of wat geleden?", "een dag of wat geleden: 2024-05-09..2024-05-14"),
        ("Wat deden we nog geen week geleden?", "nog geen week geleden: 2024-05-05..2024-05-12"),
        ("Wat kocht ik zo'n drie weken terug?", "zo'n drie weken terug: 2024-04-21..2024-04-28"),
        ("Wie was hier een week of drie geleden?", "een week of drie geleden: 2024-04-21..2024-04-28"),
        ("Wat woog de hond twee maanden geleden?", "twee maanden geleden: 2024-02-29..2024-03-31"),
        ("Wat kostte benzine een half jaar geleden?", "een half jaar geleden: 2023-10-31..2023-12-01"),
        ("Waar werkte Sanne ruim een jaar geleden?", "ruim een jaar geleden: 2023-02-13..2023-08-15"),
        ("Waar was ik vandaag een jaar geleden?", "vandaag een jaar geleden: 2023-02-13..2023-08-15"),
        ("Waar werkte ik vorig jaar rond deze tijd?", "vorig jaar rond deze tijd: 2023-04-30..2023-05-31"),
        ("Hoe oud was de kat anderhalf jaar geleden?", "anderhalf jaar geleden: 2022-10-31..2022-12-01"),
        ("Wat verdiende ik 2,5 jaar geleden?", "2,5 jaar geleden: 2021-10-31..2021-12-01"),
        ("Wat verdiende ik tweeënhalf jaar terug?", "tweeënhalf jaar terug: 2021-10-31..2021-12-01"),
        ("Hoe heette de camping van twee zomers geleden?", "twee zomers geleden: 2022-06-01..2022-09-01"),
        ("Waar woonden ze jaren geleden?", "jaren geleden: 2014-02-13..2022-08-15"),
        ("Hoeveel heb ik de afgelopen drie maanden gespaard?", "de afgelopen drie maanden: 2024-02-15..2024-05-16"),
        ("Waar gaan we over twee weken heen?", "over twee weken: 2024-05-26..2024-06-02"),
        // Months, years and seasons.
        ("Wat kostte de huur vorige maand?", "vorige maand: 2024-04-01..2024-05-01"),
        ("Wat plantten we in mei?", "mei: 2024-05-01..2024-06-01"),
        ("Wat bouwden we in mei vorig jaar?", "mei vorig jaar: 2023-05-01..2023-06-01"),
        ("Wat zei de arts op 3 juni 2023?", "3 juni 2023: 2023-06-03..2023-06-04"),
        ("Wat zei de arts op 5/3/2024?", "5/3/2024: 2024-03-05..2024-03-06"),
        ("Waar was ik op de avond van 3 mei?", "de avond van 3 mei: 2024-05-03T17:00:00Z..2024-05-04"),
        ("Wat betaalde ik op de 3e van vorige maand?", "de 3e van vorige maand: 2024-04-03..2024-04-04"),
        ("Waar gingen we afgelopen zomer heen?", "afgelopen zomer: 2023-06-01..2023-09-01"),
        ("Waar kampeerden we van de zomer?", "zomer: 2023-06-01..2023-09-01"),
        ("Waar fietsten we vorig jaar zomer?", "vorig jaar zomer: 2023-06-01..2023-09-01"),
        ("Hoe koud was het in de winter van 2022?", "winter van 2022: 2022-12-01..2023-03-01"),
        ("Wat zaaiden we dit voorjaar?", "dit voorjaar: 2024-03-01..2024-06-01"),
        ("de omzet in het tweede kwartaal van 2023", "het tweede kwartaal van 2023: 2023-04-01..2023-07-01"),
        ("Wat stond er in week 12 van 2025 gepland?", "week 12 van 2025: 2025-03-17..2025-03-24"),
        ("Hoe ging het de eerste week van mei?", "de eerste week van mei: 2024-05-01..2024-05-08"),
        ("Wat las ik de laatste week van maart 2024?", "de laatste week van maart 2024: 2024-03-25..2024-04-01"),
        ("Wat bespraken we de eerste maandag van mei?", "de eerste maandag van mei: 2024-05-01..2024-06-01"),
        // Their parts, and what is before and after.
        ("Wat zei de notaris begin mei 2023?", "begin mei 2023: 2023-05-01..2023-05-11T08:00:00Z"),
        ("Wat schreef Joost half juli 2023?", "half juli 2023: 2023-07-11T08:00:00Z..2023-07-21T16:00:00Z"),
        ("Wat zei ze eind vorige maand?", "eind vorige maand: 2024-04-21..2024-05-01"),
        ("Hoe voelde ik me in het begin van het jaar?", "het begin van het jaar: 2024-01-01..2024-05-02"),
        ("Wie betaalde er aan het einde van het jaar?", "het einde van het jaar: 2023-09-01T08:00:00Z..2024-01-01"),
        ("de kosten in de eerste helft van 2023", "de eerste helft van 2023: 2023-01-01..2023-07-02T12:00:00Z"),
        ("Hoe vaak was ik ziek sinds 2022?", "sinds 2022: 2022-01-01.."),
        ("Hoe vaak zwom ik sinds de zomer?", "sinds de zomer: 2023-06-01.."),
        ("Wat verdiende ik tot en met maart?", "tot en met maart: ..2024-04-01"),
        // "Voor" is "for" too.
        ("Waar woonde ik voor 2022?", "voor 2022: ..2023-01-01"),
        ("foto's van voor 2020", "van voor 2020: ..2020-01-01"),
        ("Hoeveel verdiende ik van maart tot en met mei?", "van maart tot en met mei: 2024-03-01..2024-06-01"),
        ("Wie hielp van juni t/m augustus 2023?", "van juni t/m augustus 2023: 2023-06-01..2023-09-01"),
        // Holidays.
        ("Hoe was afgelopen kerst bij oma?", "afgelopen kerst: 2023-12-24..2023-12-27"),
        ("Wat woog ik na Kerst?", "na Kerst: 2023-12-27.."),
        ("Wie belde er twee dagen voor kerst?", "twee dagen voor kerst: 2023-12-22..2023-12-23"),
        ("Bij wie aten we op tweede kerstdag?", "tweede kerstdag: 2023-12-26..2023-12-27"),
        ("Wat kookte jij op 2e kerstdag 2022?", "2e kerstdag 2022: 2022-12-26..2022-12-27"),
        ("Waar waren we met oud en nieuw?", "oud en nieuw: 2023-12-31..2024-01-02"),
        ("Wat aten we tussen kerst en oud en nieuw?", "tussen kerst en oud en nieuw: 2023-12-24..2024-01-02"),
        ("Wat kregen de kinderen rond Sinterklaas?", "rond Sinterklaas: 2023-12-05..2023-12-07"),
        ("Welke film zagen we op Koningsdag?", "Koningsdag: 2024-04-27..2024-04-28"),
        ("Wie hielp de week voor Koningsdag?", "de week voor Koningsdag: 2024-04-20..2024-04-27"),
        ("Wie zocht de eieren vorig jaar met Pasen?", "vorig jaar met Pasen: 2023-04-07..2023-04-11"),
        ("Wie belde er kort na Pasen?", "kort na Pasen: 2024-04-02..2024-04-09"),
        ("Waar fietsten we met Hemelvaart?", "Hemelvaart: 2024-05-09..2024-05-10"),
        ("Wie logeerde er in de kerstvakantie?", "kerstvakantie: 2023-12-21..2024-01-08"),
        // What is English or German too.
        ("Did the course begin in April?", "April: 2024-04-01..2024-05-01"),
        ("Wer half 2022 beim Umzug?", "2022: 2022-01-01..2023-01-01"),
        ("What were the costs in the first half 2022?", "2022: 2022-01-01..2023-01-01"),
    ]);
    means_nothing(&[
        "Wie geeft elke dinsdag les?",
        "Wie werkt er iedere zaterdagochtend?",
        "'s Maandags is de winkel dicht",
        "Op welke dag van de week was de oppas er?",
        "Wat bespraken we op de eerste dinsdag van de maand?",
        "Hoeveel dagen geleden was dat?",
        "Wanneer was ik voor het laatst bij de kapper?",
        "Hij zegt dat het laatst gekochte boek weg is",
        "Was de laatste week van de cursus leuk?",
        "Hij kwam de volgende dag terug",
        "vandaag de dag is alles duur",
        "Wat boekten we voor de zomervakantie?",
        "Wat doet Mei Lin voor werk?",
        "Waar ligt het MRT-station?",
        "Goede morgen, Sep!",
        "Guten Morgen, Jan!",
        "Was hat er im Laden gekauft?",
        "It went on for over two weeks",
        "Where does the river begin?",
        "Did van de Kamp call?",
        "Augustus painted her",
        "Une connexion trop lente",
        "Var bor du nu?",
        "¿Cuánto cuesta el medio kilo?",
    ]);
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    for text in [
        "Waar woont ze nu?",
        "Wat is de huidige huur?",
        "Wie doet tegenwoordig de boekhouding?",
        "Wat kost een kaartje op dit moment?",
    ] {
        assert_eq!(order(text), Some(Order::Current), "{text}");
    }
    for text in [
        "Rijdt hij nog steeds in die oude Volvo?",
        "Werkt hij daar niet meer?",
        "Wat is het laatste plan?",
        "Wat is er uiteindelijk besloten?",
        "Wat heeft ze de laatste tijd gelezen?",
        "Wat heeft ze onlangs gekocht?",
        "Wanneer was ik voor het laatst in Gent?",
        "de laatste keer dat we gingen schaatsen",
    ] {
        assert_eq!(order(text), Some(Order::Newest), "{text}");
    }
    for text in [
        "Wat was oorspronkelijk de bedoeling?",
        "Wat vond ze er eerst van?",
        "Wat vonden we van hem in het begin?",
        "Wanneer ging ik voor het eerst klimmen?",
        "de eerste keer dat we gingen schaatsen",
    ] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
    for text in [
        "Wat zei ze vorige week?",
        "Wat aten we de laatste twee weken?",
        "Wat deed ik op de laatste dag?",
        "Wie haalde op het laatste moment de trein?",
        "Hoeveel is er tot nu toe betaald?",
        "Wie helpt er nu en dan?",
        "Er kwamen niet meer dan tien gasten",
        "Wie gaf de cursus eerste hulp?",
        "Hoe voelde ik me in het begin van het jaar?",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    let mention = |text: &str| {
        let read = Times::read(text, Some(&clock(NOW, "UTC")));
        read.mention.into_iter().map(|place| text[place].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(mention("Wanneer noemde ik Noor voor het eerst?"), ["noemde", "voor het eerst", "Wanneer"]);
    assert_eq!(mention("de laatste keer dat we het over Femke hadden"), ["het over", "de laatste keer"]);
}
