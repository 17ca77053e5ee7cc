"""The TRIPOD+AI checklist for reports of prediction models, in words of our own."""

from __future__ import annotations

from sorb.dossier.documents.document import Document, Item, Section

__all__ = ["TRIPOD_AI"]

BEGINNING = (
    Item(
        "1",
        "Title",
        "Does the title say that a prediction model was developed or evaluated, for whom, and what "
        "it predicts?",
        ("identity",),
        "What is the title of the report, with population and outcome?",
    ),
    Item(
        "2",
        "Abstract",
        "Is there a structured abstract, by the TRIPOD+AI list for abstracts?",
        (),
        "Write the abstract.",
    ),
    Item(
        "3a",
        "Background",
        "What is the health care context, why is a model needed, and which models are there?",
        (),
        "Is it diagnosis or prognosis? Why this model, and what do existing ones lack?",
    ),
    Item(
        "3b",
        "Purpose",
        "For whom is the model meant, at which point of their care, and who uses it?",
        (),
        "Who are the people that it is about, who uses it, and for which decision?",
    ),
    Item(
        "3c",
        "Health inequalities",
        "Which inequalities between groups of people are known?",
        (),
        "Which groups fare worse today, and might the model help or harm them?",
    ),
    Item(
        "4",
        "Objectives",
        "Is this the development of a model, its evaluation, or both?",
        ("split",),
        "State the objectives of the study.",
    ),
)

METHODS = (
    Item(
        "5a",
        "Sources of data",
        "Where do the data for development and evaluation come from, and are they representative?",
        ("rows", "training"),
        "From which study, registry or records do the rows come, and why these?",
    ),
    Item(
        "5b",
        "Dates",
        "When were participants included, and until when were they followed?",
        (),
        "Give first and last date of inclusion, and the end of follow-up.",
    ),
    Item(
        "6a",
        "Setting",
        "In what kind of care, how many centres, and where?",
        (),
        "Name the setting, with number and location of the centres.",
    ),
    Item(
        "6b",
        "Eligibility",
        "Who could take part?",
        (),
        "State the criteria of inclusion and exclusion.",
    ),
    Item(
        "6c",
        "Treatments",
        "Which treatments were given, and how does the analysis deal with them?",
        (),
        "Which treatments could have changed the outcome?",
    ),
    Item(
        "7",
        "Preparation of data",
        "How were the data cleaned and checked, and alike for all groups of people?",
        ("oddities",),
        "What was done to the data before the table was made?",
    ),
    Item(
        "8a",
        "Outcome",
        "What is predicted, over what time, how was it determined, and alike for all groups?",
        ("predicts", "outcomes"),
        "Define the outcome, its time horizon and why it was chosen.",
    ),
    Item(
        "8b",
        "Assessors of the outcome",
        "If the outcome takes judgement, who judged?",
        (),
        "What are the qualifications and background of the assessors?",
    ),
    Item(
        "8c",
        "Blinding of the outcome",
        "Were assessors kept from knowing the predictors?",
        (),
        "Say how, or why not.",
    ),
    Item(
        "9a",
        "Choice of predictors",
        "Which predictors were there to begin with, and why these?",
        ("logic",),
        "Why were these columns collected, and was any left out before learning?",
    ),
    Item(
        "9b",
        "Definition of predictors",
        "What is each predictor, how and when was it measured?",
        ("columns",),
        "How and when is each of these columns measured?",
    ),
    Item(
        "9c",
        "Assessors of predictors",
        "If a predictor takes judgement, who judged?",
        (),
        "What are the qualifications and background of the assessors?",
    ),
    Item(
        "10",
        "Sample size",
        "How was the sample size arrived at, and does it suffice?",
        ("rows", "training"),
        "Justify the sample size, for development and for evaluation.",
    ),
    Item(
        "11",
        "Missing data",
        "How were missing values treated, and why were any rows left out?",
        ("missing",),
        "Why are values missing, and which rows were left out?",
    ),
    Item(
        "12a",
        "Use of the data",
        "Which data served development, which evaluation?",
        ("split", "training"),
        "",
    ),
    Item(
        "12b",
        "Form of the predictors",
        "In which form do the predictors enter?",
        ("rules", "constraints"),
        "",
    ),
    Item(
        "12c",
        "Kind of model",
        "What kind of model is it, how was it built, tuned and validated internally?",
        ("logic", "training", "size", "constraints", "stability"),
        "Why this kind of model?",
    ),
    Item(
        "12d",
        "Heterogeneity between clusters",
        "Were differences between hospitals, countries or the like examined, and how?",
        ("groups",),
        "Which clusters are there, and how were differences between them examined?",
    ),
    Item(
        "12e",
        "Measures of performance",
        "Which measures and plots are reported, and why?",
        ("measures",),
        "Which of them matters for the decision?",
    ),
    Item(
        "12f",
        "Updating",
        "Was the model changed after its evaluation, such as recalibrated?",
        ("changes",),
        "Say why, and whether it was evaluated again.",
    ),
    Item(
        "12g",
        "Computing predictions",
        "How are predictions computed: by a formula, code, an interface?",
        ("rules", "bundle", "exports"),
        "",
    ),
    Item(
        "13",
        "Class imbalance",
        "If classes were weighted or sampled, why, how, and were predictions corrected?",
        ("outcomes", "class_weights"),
        "Were rows sampled before the table was made?",
    ),
    Item(
        "14",
        "Fairness",
        "What was done about fairness, and why?",
        ("subgroups",),
        "Which groups must the model be fair to, in which sense, and what was done?",
    ),
    Item(
        "15",
        "Output",
        "What does the model give out, and how are classes or risk groups made of it?",
        ("predicts", "cutoff"),
        "",
    ),
    Item(
        "16",
        "Training versus evaluation",
        "How do development and evaluation data differ in setting, criteria, outcome, predictors?",
        ("outside",),
        "Name the differences.",
    ),
    Item(
        "17",
        "Ethics",
        "Which board approved the study, and how was consent given or waived?",
        (),
        "Name board and approval.",
    ),
)

OPEN_SCIENCE = (
    Item("18a", "Funding", "Who paid, and what was their role?", (), "Name the funders."),
    Item("18b", "Interests", "Which interests do the authors have?", (), "Declare them."),
    Item("18c", "Protocol", "Where is the protocol?", (), "Say where, or that there is none."),
    Item("18d", "Registration", "Is the study registered?", (), "Give register and number."),
    Item(
        "18e",
        "Sharing of data",
        "Are the data available?",
        ("bundle",),
        "To whom, and under which conditions?",
    ),
    Item(
        "18f",
        "Sharing of code",
        "Is the code of the analysis available?",
        ("versions", "exports"),
        "Where is the code that made the table and the model?",
    ),
    Item(
        "19",
        "Patients and public",
        "Did patients or the public take part in design, conduct or report?",
        (),
        "Say how, or that they did not.",
    ),
)

RESULTS = (
    Item(
        "20a",
        "Flow of participants",
        "How many took part, how many had the outcome, and how long were they followed?",
        ("rows", "outcomes"),
        "Draw the flow from those eligible to those analysed.",
    ),
    Item(
        "20b",
        "Characteristics",
        "What are the characteristics of the participants, overall and by setting?",
        ("columns",),
        "Add what matters and is no column of the model, such as age, sex and ethnicity.",
    ),
    Item(
        "20c",
        "Comparison",
        "How do predictors and outcome in the evaluation data compare with development?",
        ("inputs", "outside"),
        "",
    ),
    Item(
        "21",
        "Development",
        "How many participants and events was each step based on?",
        ("training", "outcomes"),
        "How many had the outcome in the training rows, and in each further step?",
    ),
    Item(
        "22",
        "The full model",
        "Is the model given so that others can predict with it?",
        ("rules", "identity"),
        "",
    ),
    Item(
        "23a",
        "Performance",
        "How well does it perform, with intervals, also in groups of people?",
        ("performance", "calibration", "subgroups"),
        "",
    ),
    Item(
        "23b",
        "Heterogeneity",
        "How does performance differ between clusters?",
        (),
        "Write a dossier for each cluster, if there are any.",
    ),
    Item(
        "24",
        "Updating",
        "What came of updating the model?",
        ("changes",),
        "Give the performance before and after, if it was updated.",
    ),
)

DISCUSSION = (
    Item(
        "25",
        "Interpretation",
        "What do the results mean, beside the objectives and other studies, also for fairness?",
        ("verdict",),
        "Interpret the results.",
    ),
    Item(
        "26",
        "Limitations",
        "What are the limits of the study, such as bias, uncertainty, who is represented?",
        ("limits", "oddities"),
        "Add those of the study.",
    ),
    Item(
        "27a",
        "Poor or missing input",
        "What is to be done when input is missing or of poor quality?",
        ("missing", "inputs"),
        "What are users told to do then?",
    ),
    Item(
        "27b",
        "Users",
        "What must users do, and which expertise do they need?",
        (),
        "Describe the interaction and the training of users.",
    ),
    Item(
        "27c",
        "Next steps",
        "What must be studied before and after the model is used elsewhere?",
        (),
        "Name the next steps.",
    ),
)

TRIPOD_AI = Document(
    "tripod_ai.md",
    "TRIPOD+AI checklist: {}",
    "It follows the numbering of TRIPOD+AI (Collins and others, BMJ 2024;385:e078378), the "
    "guidance for reports of prediction models in health care. What each item asks is told in our "
    "own words and shortened: the published checklist decides.",
    (
        Section("Title, abstract and introduction", BEGINNING),
        Section("Methods", METHODS),
        Section("Open science, patients and public", OPEN_SCIENCE),
        Section("Results", RESULTS),
        Section("Discussion", DISCUSSION),
    ),
)
