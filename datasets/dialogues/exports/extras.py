"""What the exports hold besides the turns of the dialogues: branches, canvases, artifacts, attachments, tool calls.

Each entry is (turn, operation, arguments...). An operation on an answer comes before it; "edited" and "regenerated"
make a branch that is not on the screen any more. Written for this data set; CC0-1.0 like the rest.
"""

NURSE = [
    (
        "S1:6",
        "canvas",
        "Night shift dinners",
        "document",
        "# Night shift dinners\n\n| Night | Pot | Freezer label |\n|---|---|---|\n"
        "| 1 | Chicken and barley | N1 CHICKEN, reheat 20 min |\n| 2 | Sausage and butter beans | N2 BEANS, reheat 15 "
        "min |\n"
        "| 3 | Red lentil dal | N3 DAL, eat the same day |\n\n"
        "Labels: masking tape and the green marker from the biscuit tin. Put the switch-on time on the kettle: 14:00 "
        "sharp.",
    ),
    (
        "S1:10",
        "canvas_update",
        "Night shift dinners",
        "N3 DAL, eat the same day",
        "N3 LENTIL SOUP with a ham bone, freezes well",
    ),
    ("S2:3", "image", "IMG_2211.jpeg"),
    (
        "S2:5",
        "edited",
        "She has eaten penut butter since she was one. Do I bin every nut in the house?",
        "No need to empty the cupboards. Put a red sticker on anything with cashew or pistachio and leave the rest.",
    ),
    (
        "S4:2",
        "regenerated",
        "To whom it may concern,\n\nI write to complain in the strongest terms about the Friday snack table. I expect "
        "a written "
        "apology within seven working days.\n\nYours faithfully,\nBronagh",
    ),
    (
        "S5:2",
        "thoughts",
        9,
        ["Weighing the causes", "Flashing light and shaking under load point to a misfire; damp coils before a chain."],
    ),
    (
        "S5:4",
        "search",
        "P0302 P0300 1.2 HTP coil pack fault damp",
        [
            (
                "Coil packs on small three-cylinder engines",
                "https://example.org/coils",
                "A cracked coil housing lets moisture in; faults come on hills and go in dry weather. Torque for the "
                "bolt: 10 Nm.",
            )
        ],
    ),
    (
        "S10:2",
        "thoughts",
        14,
        ["Comparing crossings", "Four seats by air cost more than half the budget, so ferries come first."],
    ),
    (
        "S17:1",
        "file",
        "CV_Bronagh_2024.docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "Registered nurse since 2014. Oxygen therapy link nurse for the ward. Mentor to eleven students. "
        "Certificate in spirometry, passed with distinction in March 2022.",
    ),
    ("S17:4", "regenerated", "You should follow your heart. Money comes and goes."),
]
NURSE_PROJECT = ("Orla's allergy", ["S2", "S4", "S9", "S16"])
NURSE_SPOKEN = ["S14"]

RETIRED_ENGINEER = [
    (
        "S1:4",
        "thoughts",
        21,
        ["Safety on the roof", "Strings stay live in daylight; the measurement belongs at dusk, at 500 V."],
    ),
    ("S2:10", "memory", "Eckhard's grandson Mateo calls him Opa Eki; his Spanish tandem partner is Pilar."),
    (
        "S3:5",
        "edited",
        "We did it on Easter Sunday by video. She cried, I also. The aplication is from 1935.",
        "From 1935? Then it cannot be an application under the Equalisation of Burdens Act. Please check the year.",
    ),
    ("S6:1", "image", "insterburg-depot-frog.jpg"),
    (
        "S10:2",
        "thoughts",
        33,
        [
            "Two jurisdictions",
            "A house in England, a share of land in Germany, two nationalities: habitual residence decides.",
        ],
    ),
    (
        "S16:2",
        "python",
        "sun = 1300*(0.27-0.15)*0.88\nnight = 1000*(0.27*0.88-0.08)\nprint(round(sun), round(night), "
        "round(4650/(sun+night), 1))",
        "137 158 15.8",
    ),
    (
        "S24:2",
        "canvas",
        "Forty years: chapters",
        "document",
        "# Forty years\n\n1. Rain\n2. Cars that broke down\n3. Sundays\n4. Cameras\n\n"
        "Caption to keep: 'Whitby 1988. The tent was drier inside, which is all one can ask of a tent.'\n\n"
        "Ten blank pages at the end; linen cover in moss green.",
    ),
    ("S24:4", "canvas_update", "Forty years: chapters", "4. Cameras", "4. Cameras, from the Praktica to the X-T5"),
    (
        "S30:10",
        "canvas",
        "Carta a Vicente",
        "document",
        "**Dos viejos tercos**\n\nQuerido Vicente:\n\nTe escribo para agradecerte las tres horas en la caseta del "
        "motor. "
        "He montado el goteo en mi invernadero y los tomates han mejorado mucho. En septiembre enseño mi maqueta de "
        "trenes; "
        "si pudieras venir, te regalaría una pera.\n\nPosdata: el perro de Ron se llama desde ayer Turbina.\n\n"
        "Un fuerte abrazo de tu amigo y consuegro,\nEckhard",
    ),
    ("S30:4", "regenerated", "Perfecto. No cambies nada."),
]
RETIRED_ENGINEER_GPT = ("Profesora Paciencia", ["S2", "S7", "S12", "S19", "S21", "S26", "S30"])

BAKERY_OWNER = [
    (
        "S1:3",
        "edited",
        "Ten sacks a week I think. No, let me count.",
        "Take your time; last month's invoices will tell you.",
    ),
    (
        "S2:2",
        "browse",
        "VAT hot takeaway food heated cabinet",
        [
            (
                "Catering, takeaway food",
                "https://example.org/vat-notice",
                "Food kept hot after cooking is standard rated, whether or not the customer eats it warm.",
            )
        ],
    ),
    ("S4:2", "regenerated", "36 loaves is simply 36 times everything. Enjoy the fair!"),
    ("S5:1", "image", "chandley-e14.jpg"),
    ("S20:4", "dalle", "a kraft paper label with a running dragon and the words bara brith, flat print style"),
    (
        "S20:4",
        "canvas",
        "Label for the squares",
        "document",
        "**Bara brith squares, 55 g**\n\nIngredients: dried fruit 38 %, **wheat** flour, muscovado sugar, tea, "
        "marmalade, **egg**, mixed spice.\n"
        "Best before: 12 days from baking. Keep dry and wrapped. Baked by Torth, Cardigan.",
    ),
]

MOVE_ABROAD = [
    ("S1:2", "regenerated", "Norway is expensive and dark. Have you considered Portugal?"),
    (
        "S2:8",
        "artifact",
        "fossekall-letter",
        "text/markdown",
        "Application letter to Fossekall",
        "**Application: Engineer, dam surveillance**\n\nDear Ingvild,\n\nThank you for our talk on [day]. You said "
        "that your oldest "
        "rockfill dams have more instruments than trusted readings.\n\nMy master's thesis at UFOP was on seepage in "
        "upstream dams; "
        "I enclose the chapter on standpipe response times.\n\nBest wishes,\nTainá",
    ),
    ("S2:10", "artifact_update", "fossekall-letter", "on [day]", "on Tuesday at 5:40 in the morning, my time"),
    (
        "S3:1",
        "edited",
        "Applications: 10 sent! Today is Paçoca day. Can a rabbit go as a guinea pig?",
        "He can't travel as a guinea pig, I'm afraid: a vet writes the species into every paper.",
    ),
    (
        "S3:2",
        "thinking",
        "Rules for rabbits from outside Europe are thin. Better to have her ask the authority in writing than to "
        "guess.",
    ),
    (
        "S3:2",
        "web_search",
        "Mattilsynet import pet rabbit from third country",
        [
            (
                "Pets other than dogs, cats and ferrets",
                "https://example.org/mattilsynet",
                "Private import of rabbits from countries outside the EEA requires an application in advance.",
            )
        ],
    ),
    (
        "S6:1",
        "paste",
        "offer-fossekall.txt",
        "Fossekall Energi AS\nOffer of employment: Engineer, dam surveillance, Trondheim\n"
        "Salary: NOK 705,000 per year\n"
        "Start: 1 October, probation six months\nWorking time: 37.5 hours a week, on-call one week in six\n"
        "Pension: 7 %\nCanteen deduction: NOK 620 a month\nReply by Friday 21 June.",
    ),
    (
        "S8:4",
        "artifact",
        "budget-v2",
        "text/csv",
        "Budget, version 2",
        "item,v1,v2\nPermit fees,8600,9460\nTranslations,3200,3900\nFlights,11000,10400\nPaçoca transport,13000,15200\n"
        "Paçoca vet abroad,0,1900\nFreight,7500,8000\nLodging three weeks,0,6200\nDeposit,17500,19500\n"
        "First rent,5800,6500\n"
        "Winter clothing,2800,3600\nFood until pay,3000,4200\nMother's ticket,0,7500\n",
    ),
    ("S8:1", "photo", "anel-no-cordao.jpg"),
]

CONSULTANT = [
    (
        "S1:7",
        "edited",
        "Good. From the dialysis ward there is Anjali. Works council: I forget her name, night nurse. Privacy: Femke.",
        "Then ask the works council office for the name before you propose her; a wrong name on the first page stays "
        "wrong.",
    ),
    (
        "S3:1",
        "paste",
        "",
        "De Zoutkist, admissions last year\nfull 9,312\nreduced 4,870\nchildren 5,204\nmuseum card 17,968\n"
        "free under six 2,911\n"
        "groups and schools 1,102\nnot accounted for 33",
    ),
    ("S4:2", "thinking", "Four motives for the missing oil. Mercy and the second light can be one book."),
    (
        "S4:2",
        "artifact",
        "oil-accounts",
        "text/markdown",
        "The Oil Accounts: outline",
        "# The Oil Accounts\n\n1. The clerk arrives with the November boat\n2. The ledgers are too clean\n"
        "3. Brigid's second kettle\n"
        "4. The cave under the north landing\n\nOpen: who taught Hedda to count in Norse scores?",
    ),
    (
        "S8:2",
        "artifact_rewrite",
        "oil-accounts",
        "# The Oil Accounts\n\n1. The ledgers are too clean\n2. The clerk arrives\n3. The second lamp\n\n"
        "Hedda keeps a pencil stub from the Board in her left boot.",
    ),
    (
        "S9:4",
        "artifact",
        "tariff-rules",
        "application/vnd.ant.code",
        "tariff.yaml",
        "tariff: garage_A\nrules:  # first match wins\n  - name: emergency\n    when: entry == 'E'\n    price: 0\n"
        "    read_plate: false\n"
        "  - name: short_stop\n    when: minutes <= 30\n    price: 0\n# reviewed by G. on paper, coffee stain on line "
        "4\n",
    ),
    ("S22:2", "regenerated", "Dear Agent, I have written a novel and hope very much that you will like it."),
]
CONSULTANT_PROJECT = (
    "De Zoutkist: prices",
    "Answer in British English. Show every sum.",
    "house-rules.md",
    "# House rules\n\nThe tower closes when the wind reaches seven Beaufort. Dogs pay nothing and may not lick the "
    "exhibits.\n",
)
