use super::*;

#[test]
fn what_people_say_in_french() {
    means(&[
        ("Qu'est-ce que Marc a dit hier ?", "hier: 2024-05-14..2024-05-15"),
        ("Qu’est-ce que j'ai mangé hier ?", "hier: 2024-05-14..2024-05-15"),
        ("Hier, on a parlé de quoi ?", "Hier: 2024-05-14..2024-05-15"),
        ("depuis hier, plus rien ne marche", "depuis hier: 2024-05-14.."),
        ("T'as fait quoi hier soir ?", "hier soir: 2024-05-14T17:00:00Z..2024-05-15"),
        ("On devait se voir hier après-midi, non ?", "hier après-midi: 2024-05-14T11:00:00Z..2024-05-14T18:00:00Z"),
        ("Qui a appelé cette nuit ?", "cette nuit: 2024-05-14T18:00:00Z..2024-05-15T06:00:00Z"),
        ("Avant-hier tu m'as raconté quoi ?", "Avant-hier: 2024-05-13..2024-05-14"),
        ("On a mangé quoi aujourd'hui ?", "aujourd'hui: 2024-05-15..2024-05-16"),
        ("Qu'est-ce qu'on fait demain matin ?", "demain matin: 2024-05-16T05:00:00Z..2024-05-16T12:00:00Z"),
        ("Qu'est-ce qu'on a décidé la semaine dernière ?", "la semaine dernière: 2024-05-06..2024-05-13"),
        ("c'etait quoi le plan le mois dernier", "le mois dernier: 2024-04-01..2024-05-01"),
        ("Combien on avait vendu l'an dernier ?", "l'an dernier: 2023-01-01..2024-01-01"),
        ("Et l'avant-dernière semaine ?", "l'avant-dernière semaine: 2024-04-29..2024-05-06"),
        ("Il s'est passé quoi vendredi dernier ?", "vendredi dernier: 2024-05-10..2024-05-11"),
        ("Qui est passé mardi de la semaine dernière ?", "mardi de la semaine dernière: 2024-05-07..2024-05-08"),
        ("On a dit quoi lundi matin ?", "lundi matin: 2024-05-13T05:00:00Z..2024-05-13T12:00:00Z"),
        ("T'as fait quoi ce week-end ?", "ce week-end: 2024-05-11..2024-05-13"),
        ("On se voit quand la semaine prochaine ?", "la semaine prochaine: 2024-05-20..2024-05-27"),
        ("Je pars dans trois semaines ?", "dans trois semaines: 2024-06-02..2024-06-09"),
        ("Où est-ce qu'on est allés l'été dernier ?", "l'été dernier: 2023-06-01..2023-09-01"),
        ("Il pleuvait en été ?", "été: 2023-06-01..2023-09-01"),
        ("On part où cet été ?", "cet été: 2024-06-01..2024-09-01"),
        ("Où sont-ils allés à la fin de l'été 2022 ?", "fin de l'été 2022: 2022-08-01T08:00:00Z..2022-09-01"),
        ("Depuis le début de l'été dernier, il va mieux ?", "Depuis le début de l'été dernier: 2023-06-01.."),
        ("On campait où il y a deux étés ?", "il y a deux étés: 2022-06-01..2022-09-01"),
        ("Qui avait apporté le vin à Noël dernier ?", "à Noël dernier: 2023-12-24..2023-12-27"),
        ("On avait fait quoi pour Noël l'an dernier ?", "Noël l'an dernier: 2023-12-24..2023-12-27"),
        ("Qu'est-ce qu'on avait prévu avant Noël ?", "avant Noël: 2023-12-01..2023-12-24"),
        ("Qui est venu deux jours avant Noël ?", "deux jours avant Noël: 2023-12-22..2023-12-23"),
        ("On a fait quoi la semaine après Noël ?", "la semaine après Noël: 2023-12-27..2024-01-03"),
        ("Qu'a-t-on mangé entre Noël et le Nouvel An ?", "entre Noël et le Nouvel An: 2023-12-24..2024-01-02"),
        ("Qui a gardé le chat juste avant Pâques ?", "juste avant Pâques: 2024-03-22..2024-03-29"),
        ("Elle est malade depuis la rentrée ?", "depuis la rentrée: 2023-09-01.."),
        ("C'était quoi ton poisson d'avril ?", "poisson d'avril: 2024-04-01..2024-04-02"),
        ("On a offert quoi pour la fête des Mères ?", "fête des Mères: 2023-05-28..2023-05-29"),
        ("Il y a deux mois, je courais combien ?", "Il y a deux mois: 2024-02-29..2024-03-31"),
        ("Y a quinze jours tu m'as parlé d'un livre, lequel ?", "Y a quinze jours: 2024-04-28..2024-05-05"),
        ("On s'est rencontrés il y a un an et demi ?", "il y a un an et demi: 2022-10-31..2022-12-01"),
        ("C'était il y a à peu près trois semaines ?", "il y a à peu près trois semaines: 2024-04-21..2024-04-28"),
        ("Tu m'as conseillé quoi il y a quelques jours ?", "il y a quelques jours: 2024-05-09..2024-05-14"),
        ("Qui chantait il y a deux vendredis ?", "il y a deux vendredis: 2024-05-03..2024-05-04"),
        ("L'autre jour tu parlais de qui ?", "L'autre jour: 2024-05-01..2024-05-16"),
        ("Combien de pas ces trois derniers jours ?", "ces trois derniers jours: 2024-05-12..2024-05-16"),
        ("Il pleut depuis deux semaines ?", "depuis deux semaines: 2024-05-01..2024-05-16"),
        ("Quel film à la fin du mois dernier ?", "fin du mois dernier: 2024-04-21..2024-05-01"),
        ("Combien j'ai dépensé depuis le début de l'année ?", "depuis le début de l'année: 2024-01-01.."),
        ("On a signé en début d'année ?", "début d'année: 2024-01-01..2024-05-02"),
        ("On s'est installés début 2022 ?", "début 2022: 2022-01-01..2022-05-02T16:00:00Z"),
        ("Le chantier a commencé vers la mi-mars ?", "vers la mi-mars: 2024-03-11T08:00:00Z..2024-03-21T16:00:00Z"),
        ("Combien j'ai payé en mars ?", "mars: 2024-03-01..2024-04-01"),
        ("le loyer d'avril 2023", "avril 2023: 2023-04-01..2023-05-01"),
        ("J'étais où en mars l'année dernière ?", "mars l'année dernière: 2023-03-01..2023-04-01"),
        ("Il était en stage jusqu'en février ?", "jusqu'en février: ..2024-03-01"),
        ("On a habité là de mars à mai ?", "de mars à mai: 2024-03-01..2024-06-01"),
        ("Que s'est-il passé le 3 juin 2023 ?", "le 3 juin 2023: 2023-06-03..2023-06-04"),
        ("Qu'a-t-on fait le 1er mai ?", "le 1er mai: 2024-05-01..2024-05-02"),
        ("Et avant le 10 mai 2023 ?", "avant le 10 mai 2023: ..2023-05-10"),
        ("Qu'a dit le médecin le 5/3/2024 ?", "5/3/2024: 2024-03-05..2024-03-06"),
        ("Elle a payé quoi le 3 du mois dernier ?", "le 3 du mois dernier: 2024-04-03..2024-04-04"),
        ("Qui a appelé la première semaine d'avril ?", "la première semaine d'avril: 2024-04-01..2024-04-08"),
        ("Combien d'heures la dernière semaine de mars ?", "la dernière semaine de mars: 2024-03-25..2024-04-01"),
        ("Qui était là la semaine du 9 mai ?", "la semaine du 9 mai: 2024-05-06..2024-05-13"),
        ("On livrait quoi en semaine 12 ?", "en semaine 12: 2024-03-18..2024-03-25"),
        ("Le chiffre du premier trimestre 2023 ?", "premier trimestre 2023: 2023-01-01..2023-04-01"),
        ("Combien d'élèves au 1er semestre 2023 ?", "1er semestre 2023: 2023-01-01..2023-07-02T12:00:00Z"),
    ]);
    means_nothing(&[
        "Quel a été le montant du devis ?",
        "Qui a été dernier au classement ?",
        "Combien d'appels ont été passés en tout ?",
        "Où en êtes-vous avec le dossier ?",
        "Qui garde les enfants le mercredi ?",
        "La boutique est ouverte du lundi au vendredi ?",
        "On s'entraîne tous les mardis et jeudis ?",
        "Le Champ-de-Mars est fermé ?",
        "Le père Noël passe par la cheminée ?",
        "Il y a trois heures de route jusqu'à Brest ?",
        "Il y a un lundi férié ?",
        "Les chansons des années 1980 ?",
        "Elle fait quoi à sept heures ?",
        "Tu te souviens de ce jour-là ?",
        "Wer wohnt hier in Leipzig?",
        "Wat ligt er hier en hier, en daar?",
        "Wat betekent dit hier?",
        "Non ci sono mai stato, fini mai?",
        "What did Noel and Avril say about life on Mars?",
        "She poured an avant-garde debut into the fin of a shark.",
        "Mi hermana vive en Lima.",
    ]);
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    for text in [
        "Où habite Inès maintenant ?",
        "Quel est le comptable actuel ?",
        "Où en est le dossier ?",
        "On va où ces temps-ci ?",
    ] {
        assert_eq!(order(text), Some(Order::Current), "{text}");
    }
    for text in [
        "Est-ce que Bastien travaille toujours à Lyon ?",
        "Habite-t-elle encore chez sa sœur ?",
        "Elle n'habite plus à Die ?",
        "Avec qui vit-il aujourd'hui ?",
        "La dernière fois qu'on s'est vus",
        "Qu'est-ce qu'on a choisi finalement ?",
    ] {
        assert_eq!(order(text), Some(Order::Newest), "{text}");
    }
    for text in [
        "Combien ça coûtait au début ?",
        "Quand Bastien a-t-il parlé de Margaux pour la première fois ?",
        "Quel était le plan initialement ?",
        "À l'origine, qui devait venir ?",
    ] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
    for text in [
        "Qu'est-ce qu'on a décidé la semaine dernière ?",
        "Qui habite au dernier étage ?",
        "Qu'est-ce que ce dernier en pense ?",
        "On était où au début de l'été ?",
        "On fait quoi à la fin du mois ?",
        "Sa sœur est encore plus grande ?",
        "We bought a present and an encore at the premiere.",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    let text = "Quand Bastien a-t-il parlé de Margaux pour la première fois ?";
    let words: Vec<&str> = Times::read(text, None).mention.into_iter().map(|place| &text[place]).collect();
    assert_eq!(words, ["parlé de", "pour la première fois", "Quand"]);
}
