use super::*;

#[test]
fn what_people_say_in_swedish() {
    means(&[
        ("Vad gjorde jag i går kväll?", "i går kväll: 2024-05-14T17:00:00Z..2024-05-15"),
        ("vad sa rune igar", "igar: 2024-05-14..2024-05-15"),
        ("Vem ringde i förrgår?", "i förrgår: 2024-05-13..2024-05-14"),
        ("Vad åt jag i morse?", "i morse: 2024-05-15T05:00:00Z..2024-05-15T12:00:00Z"),
        ("Vad drömde jag i natt?", "i natt: 2024-05-14T22:00:00Z..2024-05-15T06:00:00Z"),
        ("Vad hände natten till lördagen?", "natten till lördagen: 2024-05-10T22:00:00Z..2024-05-11T06:00:00Z"),
        ("Var var vi i lördags natt?", "i lördags natt: 2024-05-11..2024-05-12"),
        ("Vad sa läkaren i måndags?", "i måndags: 2024-05-13..2024-05-14"),
        ("Vem var med i onsdags kväll?", "i onsdags kväll: 2024-05-08T17:00:00Z..2024-05-09"),
        ("Ska vi träffa Rune på fredag?", "på fredag: 2024-05-17..2024-05-18"),
        ("Vad hände på fredagen?", "på fredagen: 2024-05-10..2024-05-11"),
        ("Vad bestämde vi förra veckan?", "förra veckan: 2024-05-06..2024-05-13"),
        ("Vad kom vi fram till på förra veckans möte?", "förra veckans: 2024-05-06..2024-05-13"),
        ("Vad sa Elin på torsdagen i förra veckan?", "på torsdagen i förra veckan: 2024-05-09..2024-05-10"),
        ("Vem skrev förrförra veckan?", "förrförra veckan: 2024-04-29..2024-05-06"),
        ("Hur långt sprang vi i helgen?", "i helgen: 2024-05-11..2024-05-13"),
        ("vad gjorde vi helgen som var", "helgen som var: 2024-05-11..2024-05-13"),
        ("Vad sa vi om hyran för två månader sedan?", "för två månader sedan: 2024-02-29..2024-03-31"),
        ("vem ringde for ett par veckor sen", "for ett par veckor sen: 2024-04-21..2024-05-05"),
        ("Var bodde hon för drygt 2 år sen?", "för drygt 2 år sen: 2022-02-13..2022-08-15"),
        ("Vad vägde valpen för ett halvår sen?", "för ett halvår sen: 2023-10-31..2023-12-01"),
        ("Var jobbade han för ett och ett halvt år sedan?", "för ett och ett halvt år sedan: 2022-10-31..2022-12-01"),
        ("Var jobbade han för 1,5 år sen?", "för 1,5 år sen: 2022-10-31..2022-12-01"),
        ("Vad köpte vi för 14 dagar sen?", "för 14 dagar sen: 2024-04-28..2024-05-05"),
        ("Vem träffade jag häromdagen?", "häromdagen: 2024-05-01..2024-05-16"),
        ("Vad har hon ätit de senaste tre dagarna?", "de senaste tre dagarna: 2024-05-12..2024-05-16"),
        ("Hur skadade Birk tassen i somras?", "i somras: 2023-06-01..2023-09-01"),
        ("Vad planterade vi i våras?", "i våras: 2024-03-01..2024-06-01"),
        ("vem skrev till mig i hostas", "i hostas: 2023-09-01..2023-12-01"),
        ("Har de bott ihop sedan i vintras?", "sedan i vintras: 2023-12-01.."),
        ("Vart reste vi förra sommaren?", "förra sommaren: 2023-06-01..2023-09-01"),
        ("Vart reste vi sommaren för två år sen?", "sommaren för två år sen: 2022-06-01..2022-09-01"),
        ("Vart ska vi nu i sommar?", "nu i sommar: 2024-06-01..2024-09-01"),
        ("Vad hände hösten 2022?", "hösten 2022: 2022-09-01..2022-12-01"),
        ("Hur mycket sålde vi i fjol?", "i fjol: 2023-01-01..2024-01-01"),
        ("Vad sa Henrik i mars i fjol?", "mars i fjol: 2023-03-01..2023-04-01"),
        ("Vad har vi läst i år?", "i år: 2024-01-01..2025-01-01"),
        ("Vad sa Henrik om blåsljudet i mars?", "mars: 2024-03-01..2024-04-01"),
        ("Var det i maj ungefär?", "maj ungefär: 2024-05-01..2024-06-01"),
        ("Vilka kom på midsommar?", "midsommar: 2023-06-23..2023-06-25"),
        ("Vem dansade med Elin förra midsommarafton?", "förra midsommarafton: 2023-06-23..2023-06-24"),
        ("Vad fick barnen i julas?", "i julas: 2023-12-24..2023-12-27"),
        ("Vad bestämde vi före jul?", "före jul: 2023-12-01..2023-12-24"),
        ("Vad lagade vi strax före jul 2022?", "strax före jul 2022: 2022-12-17..2022-12-24"),
        ("Vem kom två dagar före julafton?", "två dagar före julafton: 2023-12-22..2023-12-23"),
        ("Var firade vi mellan jul och nyår?", "mellan jul och nyår: 2023-12-24..2024-01-02"),
        ("Vad har hon skrivit efter nyår?", "efter nyår: 2024-01-02.."),
        ("Var åkte vi skidor på sportlovet?", "sportlovet: 2024-02-10..2024-03-11"),
        ("Vad kostade bilen fram till påsk?", "fram till påsk: ..2024-04-02"),
        ("Vad gjorde vi veckan efter påsk?", "veckan efter påsk: 2024-04-02..2024-04-09"),
        ("Vem tände ljus på alla helgons dag?", "alla helgons dag: 2023-11-04..2023-11-05"),
        ("Vad hände i början av april?", "i början av april: 2024-04-01..2024-04-11"),
        ("Vad sa vi i mitten av mars 2023?", "i mitten av mars 2023: 2023-03-11T08:00:00Z..2023-03-21T16:00:00Z"),
        ("Vad tjänade vi i slutet av förra året?", "i slutet av förra året: 2023-09-01T08:00:00Z..2024-01-01"),
        ("Vem anställdes i början av året?", "i början av året: 2024-01-01..2024-05-02"),
        ("Träffades de någon gång i april?", "någon gång i april: 2024-04-01..2024-05-01"),
        ("Hur gick första halvåret 2023?", "första halvåret 2023: 2023-01-01..2023-07-02T12:00:00Z"),
        ("Var bodde han före 2022?", "före 2022: ..2022-01-01"),
        ("Vad skrev banken den 3 maj 2023?", "den 3 maj 2023: 2023-05-03..2023-05-04"),
        ("Vad skrev banken den 8:e maj 2023?", "den 8:e maj 2023: 2023-05-08..2023-05-09"),
        ("Vad gjorde vi den tjugonde maj?", "den tjugonde maj: 2023-05-20..2023-05-21"),
        ("Vad betalade vi den 3 förra månaden?", "den 3 förra månaden: 2024-04-03..2024-04-04"),
        ("Vem jobbade vecka 12?", "vecka 12: 2024-03-18..2024-03-25"),
        ("Vad sålde vi tredje kvartalet 2023?", "tredje kvartalet 2023: 2023-07-01..2023-10-01"),
        ("Vem vikarierade första veckan i maj?", "första veckan i maj: 2024-05-01..2024-05-08"),
        ("Vem vikarierade sista veckan i mars?", "sista veckan i mars: 2024-03-25..2024-04-01"),
        ("Vem är ledig om två veckor?", "om två veckor: 2024-05-26..2024-06-02"),
        ("Vad hände mellan mars och maj?", "mellan mars och maj: 2024-03-01..2024-06-01"),
        ("Vem bodde där från mars 2022 till maj?", "från mars 2022 till maj: 2022-03-01..2022-06-01"),
    ]);
    means_nothing(&[
        "Vad växer i vår trädgård?",
        "Var bor Elin?",
        "Who will host the dinner?",
        "I host 20 guests",
        "the hostas in the garden",
        "Maj-Britt har slutat",
        "Finns det liv på Mars?",
        "Hur många timmar i veckan jobbar hon?",
        "Boken är två veckor sen",
        "Vem vattnar på måndagar?",
        "Vad äter vi varje fredag?",
        "Vad gör ni om vintern?",
        "Vilken sommar i Norge minns han bäst?",
        "Hon fyller 45 år",
        "Lucia kommer från Malmö",
        "Julen from Bilbao called",
        "Wanneer gaan we varen?",
        "the parcel was sent by post",
        "with the advent of tablets",
    ]);
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    for text in ["Var bor Elin nu?", "Vad kostar en valp för närvarande?"] {
        assert_eq!(order(text), Some(Order::Current), "{text}");
    }
    for text in [
        "Är Hjortron fortfarande skotträdd?",
        "Röker han inte längre?",
        "Vad blev det till slut?",
        "Vad blev det slutliga priset?",
        "Vilken är den senaste offerten?",
        "Var kokar Elin grisöronen i dag?",
        "När träffade vi Rune senast?",
        "sista gången vi sågs",
        "Vad har hon köpt nyligen?",
    ] {
        assert_eq!(order(text), Some(Order::Newest), "{text}");
    }
    for text in [
        "När nämnde jag Noor för första gången?",
        "Vad kostade det från början?",
        "Vad hette kenneln ursprungligen?",
        "Var träffade hon först Rune?",
    ] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
    for text in [
        "Vad hette hon nu igen?",
        "Hur var det nu med hyran?",
        "Kan han förstå tyska?",
        "den första maj",
        "i början av maj",
        "Har de ännu en kull?",
        "Vad åt vi för ett år sedan i dag?",
        "Vad gjorde vi de senaste två veckorna?",
        "förra veckan",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    let words = |text: &str| {
        let read = Times::read(text, Some(&clock(NOW, "UTC")));
        read.mention.into_iter().map(|place| text[place].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words("När nämnde jag Noor för första gången?"), ["nämnde", "för första gången", "När"]);
    assert_eq!(words("När pratade vi om båten senast?"), ["pratade vi om", "senast", "När"]);
    assert_eq!(words("När kom valparna på tal sista gången?"), ["på tal", "sista gången", "När"]);
}
