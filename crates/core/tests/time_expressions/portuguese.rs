use super::*;

#[test]
fn what_people_say_in_portuguese() {
    means(&[
        // Days and their parts.
        ("O que é que a Rita disse ontem?", "ontem: 2024-05-14..2024-05-15"),
        ("O que eu comi ontem à noite?", "ontem à noite: 2024-05-14T18:00:00Z..2024-05-15T06:00:00Z"),
        ("Com quem falei anteontem?", "anteontem: 2024-05-13..2024-05-14"),
        ("Quem ligou antes de ontem?", "antes de ontem: 2024-05-13..2024-05-14"),
        ("O que combinamos hoje de manhã?", "hoje de manhã: 2024-05-15T05:00:00Z..2024-05-15T12:00:00Z"),
        ("Que filme vimos na noite passada?", "noite passada: 2024-05-14T18:00:00Z..2024-05-15T06:00:00Z"),
        ("Quem bateu à porta na tarde de ontem?", "tarde de ontem: 2024-05-14T12:00:00Z..2024-05-14T20:00:00Z"),
        // Weekdays.
        ("Quem é que faltou na segunda?", "na segunda: 2024-05-13..2024-05-14"),
        ("Quem faltou segunda-feira passada?", "segunda-feira passada: 2024-05-13..2024-05-14"),
        ("Que disse a médica na 6.ª-feira?", "na 6.ª-feira: 2024-05-10..2024-05-11"),
        ("Quem veio na 2ª-feira?", "na 2ª-feira: 2024-05-13..2024-05-14"),
        ("Quem jantou connosco na sexta à noite?", "sexta à noite: 2024-05-10T18:00:00Z..2024-05-11T06:00:00Z"),
        ("A que horas cheguei na madrugada de domingo?", "madrugada de domingo: 2024-05-12..2024-05-12T06:00:00Z"),
        ("O que comprei na terça da semana passada?", "terça da semana passada: 2024-05-07..2024-05-08"),
        ("Na semana passada, na quinta, quem ligou?", "semana passada, na quinta: 2024-05-09..2024-05-10"),
        ("Que reunião houve na quarta da semana retrasada?", "quarta da semana retrasada: 2024-05-01..2024-05-02"),
        ("A Inês ligou na última sexta?", "última sexta: 2024-05-10..2024-05-11"),
        ("Quem apareceu na sexta retrasada?", "sexta retrasada: 2024-05-03..2024-05-04"),
        ("O que fizemos no domingo?", "no domingo: 2024-05-12..2024-05-13"),
        // Weeks, months, years.
        ("O que decidimos na semana passada?", "semana passada: 2024-05-06..2024-05-13"),
        ("quanto gastei mes passado", "mes passado: 2024-04-01..2024-05-01"),
        ("O que plantei na semana retrasada?", "semana retrasada: 2024-04-29..2024-05-06"),
        ("Onde passei as férias no ano retrasado?", "ano retrasado: 2022-01-01..2023-01-01"),
        ("Quanto gastei este mês?", "este mês: 2024-05-01..2024-06-01"),
        ("Com quem almocei nessa semana?", "nessa semana: 2024-05-13..2024-05-20"),
        ("Quem veio no fim de semana passado?", "fim de semana passado: 2024-05-11..2024-05-13"),
        ("O que fiz no final de semana?", "no final de semana: 2024-05-11..2024-05-13"),
        ("O que tenho marcado na semana que vem?", "semana que vem: 2024-05-20..2024-05-27"),
        ("Que livro li em junho?", "junho: 2023-06-01..2023-07-01"),
        ("A conta de maio já foi paga?", "maio: 2024-05-01..2024-06-01"),
        ("Quanto paguei de luz em março do ano passado?", "março do ano passado: 2023-03-01..2023-04-01"),
        ("Quem nasceu em fevereiro de 2022?", "fevereiro de 2022: 2022-02-01..2022-03-01"),
        ("O que assinei no dia 3 de junho de 2023?", "dia 3 de junho de 2023: 2023-06-03..2023-06-04"),
        ("Quem trabalhou no 1º de maio?", "1º de maio: 2024-05-01..2024-05-02"),
        ("E na segunda-feira, dia 13 de maio?", "segunda-feira, dia 13 de maio: 2024-05-13..2024-05-14"),
        ("O que disse o João em 5/3/2024?", "5/3/2024: 2024-03-05..2024-03-06"),
        ("Que consulta tive no dia 3 do mês passado?", "dia 3 do mês passado: 2024-04-03..2024-04-04"),
        // So long ago.
        ("Qual era a renda há dois meses?", "há dois meses: 2024-02-29..2024-03-31"),
        ("Faz duas semanas que troquei o pneu. Onde foi?", "Faz duas semanas: 2024-04-28..2024-05-05"),
        ("O que eu disse uns três dias atrás?", "três dias atrás: 2024-05-12..2024-05-13"),
        ("Que emprego tinha há cerca de um ano?", "há cerca de um ano: 2023-02-13..2023-08-15"),
        ("Onde é que eu vivia há meio ano?", "há meio ano: 2023-10-31..2023-12-01"),
        ("Que carro tinha há um ano e meio?", "há um ano e meio: 2022-10-31..2022-12-01"),
        ("Quem tratou do cão há mês e meio?", "há mês e meio: 2024-03-31..2024-04-01"),
        ("Quem veio cá há quinze dias?", "há quinze dias: 2024-04-28..2024-05-05"),
        ("O que me pediram há uns dias?", "há uns dias: 2024-05-09..2024-05-14"),
        ("Onde acampamos há dois verões?", "há dois verões: 2022-06-01..2022-09-01"),
        ("Onde estávamos nesta altura do ano passado?", "nesta altura do ano passado: 2023-04-30..2023-05-31"),
        ("O que me contaste no outro dia?", "outro dia: 2024-05-01..2024-05-16"),
        ("Quanto corri nos últimos três meses?", "últimos três meses: 2024-02-15..2024-05-16"),
        ("E nas duas últimas semanas?", "duas últimas semanas: 2024-05-01..2024-05-16"),
        ("Que remédios tomei nos últimos dias?", "últimos dias: 2024-05-09..2024-05-16"),
        ("Quem me escreveu na última semana?", "na última semana: 2024-05-08..2024-05-16"),
        ("O que mudou de uns meses pra cá?", "de uns meses pra cá: 2023-11-15..2024-05-16"),
        ("O que é que tenho daqui a duas semanas?", "daqui a duas semanas: 2024-05-26..2024-06-02"),
        // Seasons and feast days.
        ("Que praia visitámos no verão passado?", "verão passado: 2023-06-01..2023-09-01"),
        ("Com quem viajei no verão de 2022?", "verão de 2022: 2022-06-01..2022-09-01"),
        ("O que comemos no Natal?", "no Natal: 2023-12-24..2023-12-26"),
        ("O que ofereci à mãe no Natal passado?", "Natal passado: 2023-12-24..2023-12-26"),
        ("No ano passado no Natal, quem cozinhou?", "ano passado no Natal: 2023-12-24..2023-12-26"),
        ("Quem adoeceu na véspera de Natal?", "na véspera de Natal: 2023-12-24..2023-12-25"),
        ("Onde estivemos na passagem de ano?", "na passagem de ano: 2023-12-31..2024-01-02"),
        ("Que fantasia usei no carnaval?", "no carnaval: 2024-02-08..2024-02-14"),
        ("O que dei no Dia da Mãe?", "no Dia da Mãe: 2024-05-05..2024-05-06"),
        ("Onde almoçamos no Dia das Mães?", "no Dia das Mães: 2024-05-12..2024-05-13"),
        // Before, after, since, until, about, and parts.
        ("Que obras fizemos depois do Natal?", "depois do Natal: 2023-12-26.."),
        ("Quem chegou dois dias antes do Natal?", "dois dias antes do Natal: 2023-12-22..2023-12-23"),
        ("O que comprei na semana antes do Natal?", "na semana antes do Natal: 2023-12-17..2023-12-24"),
        ("Quem ligou logo depois da Páscoa?", "logo depois da Páscoa: 2024-04-02..2024-04-09"),
        ("O que combinámos por volta da Páscoa?", "por volta da Páscoa: 2024-03-29..2024-04-02"),
        ("Desde 2022, quantas vezes mudei de casa?", "Desde 2022: 2022-01-01.."),
        ("Quanto gastei a partir de abril?", "a partir de abril: 2024-04-01.."),
        ("Quanto tinha poupado até março?", "até março: ..2024-04-01"),
        ("O que doía desde o início do ano passado?", "desde o início do ano passado: 2023-01-01.."),
        ("No início de abril, quem estava doente?", "início de abril: 2024-04-01..2024-04-11"),
        ("Em meados de 2023, qual era o plano?", "meados de 2023: 2023-05-02T16:00:00Z..2023-09-01T08:00:00Z"),
        ("Que dívida tinha no fim do ano passado?", "fim do ano passado: 2023-09-01T08:00:00Z..2024-01-01"),
        ("Que meta defini no começo do ano?", "começo do ano: 2024-01-01..2024-05-02"),
        ("Quem visitei na primeira quinzena de abril?", "primeira quinzena de abril: 2024-04-01..2024-04-16"),
        ("Que vendemos no segundo semestre de 2023?", "segundo semestre de 2023: 2023-07-02T12:00:00Z..2024-01-01"),
        ("E no primeiro trimestre de 2023?", "no primeiro trimestre de 2023: 2023-01-01..2023-04-01"),
        (
            "Que aulas dei na primeira semana do mês passado?",
            "na primeira semana do mês passado: 2024-04-01..2024-04-08",
        ),
        ("Quem veio na segunda semana de maio?", "segunda semana de maio: 2024-05-08..2024-05-15"),
        ("Quem veio na última semana de março?", "última semana de março: 2024-03-25..2024-04-01"),
        ("Quem veio na semana do dia 9 de maio?", "semana do dia 9 de maio: 2024-05-06..2024-05-13"),
        ("Quanto choveu entre março e maio?", "entre março e maio: 2024-03-01..2024-06-01"),
        ("Que livros li de junho a fevereiro?", "de junho a fevereiro: 2023-06-01..2024-03-01"),
    ]);
    means_nothing(&[
        "O que disse ela na segunda consulta?",
        "Comprei o carro em segunda mão?",
        "Onde pedi a segunda via do cartão?",
        "O que plantámos na quinta dos avós?",
        "Quem mora no Rio de Janeiro?",
        "Que tal a minha cidade natal?",
        "Em Natal fomos à praia?",
        "O Marco ligou?",
        "Quem dá aulas às sextas?",
        "A loja abre de segunda a sexta?",
        "Vamos ao mercado todo sábado?",
        "Às quintas-feiras há ensaio?",
        "Quais são os planos para o fim de semana?",
        "Ficou para outro dia?",
        "Quando muda o horário de verão?",
        "Onde guardei o maiô preto?",
        "Qual é a música dos anos 2000?",
        "Quem faz anos?",
        // Other languages.
        "We ate out and Marco paid.",
        "the post-natal nurse",
        "Is there no final answer, as Domingo said?",
        "¿Qué dijo en la segunda reunión?",
        "la ropa de segunda mano en la quinta",
        "¿Cómo fue la boda de Marco en su pueblo natal?",
        "¿Qué dijo en esta segunda vuelta?",
        "¿Qué pasó en este marco?",
        "Marco ha sei gatti?",
        "son pays natal",
    ]);
    let order = |text: &str| Times::read(text, Some(&clock(NOW, "UTC"))).order;
    for text in [
        "Onde é que ela mora agora?",
        "Qual é o preço atual?",
        "quem cuida da horta hoje em dia",
        "Qual é a versão mais recente?",
        "Em que pé está a obra?",
    ] {
        assert_eq!(order(text), Some(Order::Current), "{text}");
    }
    for text in [
        "A Rita ainda trabalha no banco?",
        "Já não vive em Braga?",
        "Ela não mora mais em Recife?",
        "O que tens feito ultimamente?",
        "a última vez que vimos o João",
        "O que decidimos no fim?",
        "No fim das contas, qual escolhi?",
        "Quem acabou por pagar o jantar?",
    ] {
        assert_eq!(order(text), Some(Order::Newest), "{text}");
    }
    for text in [
        "Quando vi o mar pela primeira vez?",
        "Qual era o plano inicialmente?",
        "No início quem pagava a renda?",
        "Ao princípio quem tratava das galinhas?",
    ] {
        assert_eq!(order(text), Some(Order::Oldest), "{text}");
    }
    for text in [
        "Qual é o último nome dela?",
        "Quem veio no início de maio?",
        "Quem veio no fim de maio?",
        "O que gastámos até agora?",
        "O que comi nos últimos dias?",
        "Ainda bem que vieste",
        "Qual é a data de início do curso?",
        "no momento em que saímos",
        "¿Por qué no inició la sesión?",
        "There is no final whistle, and we ate.",
    ] {
        assert_eq!(order(text), None, "{text}");
    }
    let words = |text: &str| {
        let read = Times::read(text, Some(&clock(NOW, "UTC")));
        read.mention.into_iter().map(|place| text[place].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words("Quando falei da Ana pela primeira vez?"), ["falei da", "primeira vez", "Quando"]);
    assert_eq!(words("Quando mencionei o Duarte pela última vez?"), ["mencionei", "última vez", "Quando"]);
    let text = "O que aconteceu na semana passada?";
    assert!(Times::read(text, Some(&clock(NOW, "UTC"))).are_all_of(text));
}
