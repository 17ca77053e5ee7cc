"""Real tables that are held out, to check what was decided on the development tables.

They come with the same packages (see `development_tables.py`), and were listed before any model was
fitted to them. Whoever decides something by them should move them to the development tables. So
far, two other ways of using the chosen complexity were seen on them before being left out.
"""

from collections.abc import Iterator

from development_tables import CLASSES, COUNTS, REGRESSION, TWO, Source, Table, real_table

HELD_OUT = {
    "attrition": Source("R/modeldata/attrition", "Attrition", TWO),
    "biopsy": Source("R/MASS/biopsy", "class", TWO, "ID"),
    "birth weight": Source("R/MASS/birthwt", "low", TWO, "bwt", "race"),
    "churn": Source("R/modeldata/mlc_churn", "churn", TWO, "state"),
    "crashes": Source(
        "R/DAAG/nassCDS", "dead", TWO, "weight deploy injSeverity caseid abcat occRole"
    ),
    "credit cards": Source("R/AER/CreditCard", "card", TWO, "expenditure share"),
    "dengue": Source("R/DAAG/dengue", "NoYes", TWO),
    "head injury": Source("R/DAAG/headInjury", "clinically.important.brain.injury", TWO),
    "health insurance": Source("R/AER/HealthInsurance", "insurance", TWO),
    "labour force": Source("R/AER/PSID1976", "participation", TWO, "hours wage repwage"),
    "shuttle": Source("R/MASS/shuttle", "use", TWO),
    "smoking ban": Source("R/AER/SmokeBan", "smoker", TWO),
    "fishing": Source("R/Ecdat/Fishing", "mode", CLASSES, "price catch"),
    "heating": Source("R/Ecdat/Heating", "depvar", CLASSES, "idcase"),
    "penguins": Source("R/palmerpenguins/penguins", "species", CLASSES, "year"),
    "vote 1992": Source("R/pscl/vote92", "vote", CLASSES),
    "yogurt": Source("R/Ecdat/Yogurt", "choice", CLASSES, "id"),
    "biomass": Source("R/modeldata/biomass", "HHV", REGRESSION, "sample dataset"),
    "body weight": Source("R/openintro/bdims", "wgt", REGRESSION),
    "car seats": Source("R/ISLR/Carseats", "Sales", REGRESSION),
    "clothing shops": Source("R/Ecdat/Clothing", "tsales", REGRESSION, "sales"),
    "college distance": Source("R/AER/CollegeDistance", "score", REGRESSION),
    "credit balance": Source("R/ISLR/Credit", "Balance", REGRESSION, "ID"),
    "dutch schools": Source("R/MASS/nlschools", "lang", REGRESSION, "class"),
    "food budget": Source(
        "R/Ecdat/BudgetUK", "wfood", REGRESSION, "wfuel wcloth walc wtrans wother"
    ),
    "house prices": Source("R/AER/HousePrices", "price", REGRESSION),
    "sacramento": Source("R/modeldata/Sacramento", "price", REGRESSION, "city zip"),
    "salaries": Source("R/modeldata/stackoverflow", "Salary", REGRESSION),
    "teaching": Source("R/AER/TeachingRatings", "eval", REGRESSION, "prof"),
    "wages 1985": Source("R/AER/CPS1985", "wage", REGRESSION),
    "articles": Source("R/AER/PhDPublications", "articles", COUNTS),
    "hospital stay": Source("R/COUNT/azpro", "los", COUNTS, "hospital"),
    "physician visits": Source("R/AER/NMES1988", "visits", COUNTS, "nvisits ovisits novisits"),
    "trips": Source("R/AER/RecreationDemand", "trips", COUNTS),
}


def tables() -> Iterator[Table]:
    """Give the tables, ordered by name; each is read when its turn comes."""
    for name in sorted(HELD_OUT):
        yield real_table(name, HELD_OUT[name])
