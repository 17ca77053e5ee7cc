"""The classifier whose penalty and size are chosen by cross-validation with any folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sorb.estimators.base import VOTE_PENALTIES
from sorb.estimators.cross_validated_fit import CONSTRAINTS, CrossValidatedFit
from sorb.estimators.rule_classifier import RuleClassifier
from sorb.rules import RuleEnsemble

__all__ = ["LLTBoostClassifierCV"]


class LLTBoostClassifierCV(CrossValidatedFit, RuleClassifier):
    """Classify with a few rules that vote; cross-validation chooses how many.

    Models of all sizes are grown on all folds but one, their votes are refitted with each penalty,
    and their risk is measured on that fold. The rows are divided into folds several times, so that
    the choice depends little on the seed. The penalty and the size are chosen together, and the
    nearest of the models that are grown on all rows is used.

    Parameters
    ----------
    max_rules : int or None, default=None
        The largest number of rules, ≥ 0; None sets no limit.
    max_complexity : int or None, default=None
        The largest complexity of the model, ≥ 0: rules + propositions + coefficients.
        If both limits are None, models grow up to a complexity of 100, and 10 more for each class
        beyond two. Which of these models is used is another matter: see `selection`.
    max_rule_complexity : int, default=5
        The largest number of coefficients in one rule, ≥ 1.
    effort : {"low", "normal", "high"}, default="normal"
        How much time to spend on better models: after each new rule, none, three or ten of the
        rules, the least useful, are learned again. Unless it is "low", small models are searched
        for separately: the best cut of a single column, all candidates in models of up to three
        rules, and what is left when rules are removed one by one at the end.
    reg_lambdas : sequence of float, default=(0.03, 0.3, 1.0, 3.0, 10.0, 30.0)
        The L2 penalties λ to choose from, each ≥ 0: the sum of the losses plus λ times the sum of
        the squared votes is minimised. The offset is not penalised.
    cv : int, splitter or iterable of (train, test), default=5
        A number of folds, ≥ 2: the rows are assigned to them at random, class by class. Copies of a
        row go to the same fold, unless there are eight or more, or rows with the same values have
        different classes: then they count as different observations. Or a splitter of scikit-learn,
        or pairs of row numbers, which are used as they are. None means 5.
    n_repeats : int, default=12
        How often the rows are assigned to folds, ≥ 1. The risks are averaged, so that the choice
        depends less on the seed. Splitters and pairs of row numbers are used once.
    grow_once : bool, default=True
        Search for rules with one penalty, 3 or what is nearest to it in the range of `reg_lambdas`,
        and only refit their votes with each of them; each of the `stages_` gets the penalty that is
        best for its size. With False, rules are searched for anew with each penalty, and all
        stages have the one that is chosen, as in the paper, which takes longer.
    selection : {"one_se", "near_best", "best"}, default="one_se"
        Which size to choose: that of the lowest risk ("best"), or the least complexity whose risk
        is higher by no more than 2.5 % of the risk without rules, 15 % of what rules gain, and
        three standard errors of the difference ("near_best") or, if that is more, one standard
        error of the lowest risk itself ("one_se"). Both use the model without rules unless the
        lowest risk is clearly lower.
    objective : {"orthogonal", "second_order", "gradient_boosting", "gradient_sum"}, \
            default="orthogonal"
        The measure by which conditions are compared before any vote is refitted.
    search : {"oblique", "oblique_append", "axis"}, default="oblique"
        Whether propositions may weigh several columns against each other, or only compare one
        column with a threshold ("axis"). Oblique propositions are learned again as a condition
        grows, or only ever added ("oblique_append").
    cut : {"gradient_sum", "objective", "separator"}, default="gradient_sum"
        Where the thresholds of oblique propositions come from: the best one along the direction,
        for the gradient sum or for the objective, or that of the logistic separator that gave the
        direction. The axis-parallel search always cuts for the objective and ignores `cut`.
    n_quantiles : int or None, default=None
        For the axis-parallel search: None tries the thresholds between all values of a column, a
        number ≥ 2 those between as many groups of about equal weight. The oblique search ignores
        it.
    validation : {"out_of_bag"} or None, default="out_of_bag"
        How the next rule is chosen: as the condition worth its complexity on validation rows, which
        were left out of the search, or, with None, as the one with the best objective on all rows.
        `complexity_price` and `min_difference` have no effect then, no rule is learned again, and
        no other candidates are tried.
    complexity_price : float, default=1.0
        How much complexity counts against a rule, ≥ 0: a rule is worth the logarithm of the factor
        by which it reduces the validation risk, divided by its complexity to the power of
        `complexity_price`. With 0 the lowest validation risk wins.
    min_difference : float, default=0.02
        A new rule must not be a near-copy of another one: both must disagree on at least this share
        of the rows, 0 ≤ `min_difference` < 0.5.
    near_duplicates : {"together", "apart"}, default="together"
        Whether rows that are nearly equal in all columns, such as several visits of one patient,
        stay together when rows are drawn for validation and divided into folds. They are looked for
        in tables of up to 50,000 different rows and a million cells, unless a splitter divides the
        rows. If the table is full of them, a warning says so.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply the weights of the rows; classes missing from the
        dict have weight 1. "balanced" gives all classes the same total weight. Probabilities then
        are those of a table with the weighted shares, of which a warning tells; `recalibrate`
        corrects them.
    positive : str, int, float, bool or None, default=None
        Of two classes, the one that `ensemble_` speaks of, with votes for it and against the other;
        None means the second one, ``classes_[1]``. It changes no prediction, unless there are
        `monotonic_cst`, which are about its score: what the estimator returns stays in the order
        of ``classes_``.
    random_state : int, RandomState instance or None, default=0
        The seed for drawing validation rows and folds. It is fixed by default, so that the same
        data give the same model; None draws a new seed in each fit.
    n_jobs : int or None, default=None
        The number of fits of the cross-validation to run in parallel, through joblib; None means 1
        and -1 one per core. The fit on all rows uses as many threads, if the
        table is large. It never changes the model.
    verbose : int, default=0
        With 1 or more, progress is shown: rule, complexity, training risk and time.
    search_rows : int or None, default=20_000
        About the most rows that a search for conditions looks at, ≥ 1; each search draws others.
        If a table has more than five times as many different rows, such a sample of it, drawn by
        what the rows hold, chooses among the conditions, and the size and penalty of the model.
        The votes are always fitted to all rows. None searches all rows.
    max_seconds : float or None, default=None
        The number of seconds for everything from the call on, > 0: of what reading the table
        leaves, the fits of the cross-validation get equal shares and stop when theirs is over; the
        last fit gets the rest. If checking the table, which is never cut short, or the first
        questions to a lazy frame leave no time for a rule, the model is a constant. Ctrl-C during
        the last fit keeps the rules so far, with a warning; before that there is no model to keep.
    weights : {"real", "integer"}, default="real"
        Whether the coefficients of propositions are any numbers, or whole numbers from −5 to 5,
        found by a search for the best objective. For `log_columns` these are powers.
    categorical_features : "from_dtype", array-like of str, int or bool, or None, \
            default="from_dtype"
        The columns that hold categories: those of a DataFrame whose type is text or categorical, or
        those given by name, position or mask. A proposition tests whether the category is in a set.
        None means that there are none. Where column names are numbers, numbers mean names.
    log_columns : "auto", array-like of str or int, or None, default=None
        The columns that are weighed by their logarithms, so that propositions on several of them
        read as products and ratios, like ``weight / height² ≥ 25``. They must be positive; "auto"
        takes all positive columns with more than two values.
    units : dict or None, default=None
        The units of columns, as in ``{"weight": "kg"}``, printed with the rules.
    monotonic_cst : array-like of int of shape (n_features,), dict or None, default=None
        What is known of the columns, as for scikit-learn's ``HistGradientBoosting``: 1 if the score
        must never fall as a column grows and all others stay as they are, −1 if it must never rise,
        0 otherwise; a dict has them by column name. The score is that of `ensemble_`. The models of
        all sizes obey. Where a value is missing, any side of a condition is allowed. Columns of
        categories have no constraints, and neither have models of more than two classes.
    interaction_cst : "pairwise", "no_interactions", list of lists/tuples/sets or None, \
            default=None
        Which columns one rule may use together, as for scikit-learn's ``HistGradientBoosting``: all
        of them are in one of the groups of columns, by name or position; columns in no group form
        another one. "no_interactions" allows one column in a rule, "pairwise" two.
    column_prices : dict or None, default=None
        What it costs to use columns, by name, from 0 to 1000, in units of complexity: the price of
        a column is added once to the complexity of any model that uses it, wherever rules and sizes
        are chosen, and in `max_complexity`, `stages_` and `curve_`. A column with an infinite price
        is never used.
    init : RuleEnsemble or None, default=None
        Rules that every model has, whatever its size, such as those of an earlier model or of an
        expert. Their votes are fitted; they are never removed or learned again, and count in
        `max_rules` and `max_complexity`. Only where `monotonic_cst` leave a rule no vote, it is
        missing.

    Attributes
    ----------
    reg_lambda_ : float
        The L2 penalty on the votes.
    curve_ : RiskCurve
        The validation risk and its standard errors, for each penalty and budget of complexity.
    ensemble_ : RuleEnsemble
        The model: an offset and rules, in the units of the table.
    stages_ : list of Stage
        The curve of sizes: the best model for each budget of complexity, starting without rules,
        with its penalty, risk and time. `at` gives the same estimator with another of these models.
    classes_ : ndarray of shape (n_classes,)
        The labels of the classes that have any weight.
    class_weight_ : ndarray of shape (n_classes,) or None
        By how much each class was weighted more than the one that was weighted least; None without
        class weights.
    learned_stages_ : list of Stage
        The `stages_` before `recalibrate`.
    complexity_ : int
        The complexity of the model, and the prices of the columns that it uses, rounded up.
    n_iter_ : int
        The number of rules.
    n_features_in_ : int
        The number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if all of them are strings. In the rules, other names are written
        as strings, and columns without names, or numbered from 0, are called x0, x1, ….
    log_columns_ : tuple of str
        The names of the columns that are weighed by their logarithms.
    categories_ : dict
        The columns that were read as categories: a tuple of labels, in order, for each name.

    See Also
    --------
    LLTBoostClassifier : Chooses with fewer fits, in less time.

    Notes
    -----
    The risk of a fold is the weighted mean loss of its rows, and the folds are averaged with their
    weights. With fewer distinct rows than folds, there are as many folds as rows; from a single row
    no rules are learned, and the risks in `curve_` are NaN.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sorb import LLTBoostClassifierCV
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LLTBoostClassifierCV(max_rules=3, reg_lambdas=(0.1, 1.0)).fit(X, y == 2)
    >>> model.reg_lambda_ in (0.1, 1.0)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RuleClassifier._parameter_constraints,
        **CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        max_rules: int | None = None,
        max_complexity: int | None = None,
        max_rule_complexity: int = 5,
        effort: str = "normal",
        reg_lambdas: Sequence[float] = VOTE_PENALTIES,
        cv: Any = 5,
        n_repeats: int = 12,
        grow_once: bool = True,
        selection: str = "one_se",
        objective: str = "orthogonal",
        search: str = "oblique",
        cut: str = "gradient_sum",
        n_quantiles: int | None = None,
        validation: str | None = "out_of_bag",
        complexity_price: float = 1.0,
        min_difference: float = 0.02,
        near_duplicates: str = "together",
        class_weight: dict[Any, float] | str | None = None,
        positive: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        search_rows: int | None = 20_000,
        max_seconds: float | None = None,
        weights: str = "real",
        categorical_features: Any = "from_dtype",
        log_columns: Any = None,
        units: dict[Any, str] | None = None,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        column_prices: dict[Any, float] | None = None,
        init: RuleEnsemble | None = None,
    ) -> None:
        super().__init__(
            max_rules=max_rules,
            max_complexity=max_complexity,
            max_rule_complexity=max_rule_complexity,
            effort=effort,
            objective=objective,
            search=search,
            cut=cut,
            n_quantiles=n_quantiles,
            validation=validation,
            complexity_price=complexity_price,
            min_difference=min_difference,
            near_duplicates=near_duplicates,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            search_rows=search_rows,
            max_seconds=max_seconds,
            weights=weights,
            categorical_features=categorical_features,
            log_columns=log_columns,
            units=units,
            monotonic_cst=monotonic_cst,
            interaction_cst=interaction_cst,
            column_prices=column_prices,
            init=init,
        )
        self.reg_lambdas = reg_lambdas
        self.cv = cv
        self.n_repeats = n_repeats
        self.grow_once = grow_once
        self.selection = selection
        self.class_weight = class_weight
        self.positive = positive
