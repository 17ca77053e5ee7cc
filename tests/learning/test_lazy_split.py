import numpy as np
import polars as pl
import pytest

from sorb.learning.lazy_source import LazySource
from sorb.learning.lazy_split import split_lazy
from sorb.losses import loss_by_name
from sorb.tables.lazy_opening import open_lazy


def table(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": rng.normal(size=n).round(2),
            "group": rng.choice(["x", "y"], n),
            "ill": rng.choice(["no", "yes"], n),
            "cost": rng.gamma(2, 1, n),
        }
    ).with_row_index("row")


def sides(rows, target="ill", share=0.25, seed=0):
    """The training and test rows, and the split itself."""
    features = rows.select("a", "group", target).lazy()
    loss = loss_by_name("squared") if target == "cost" else None
    source = LazySource(open_lazy(features, target, None, None, "from_dtype", loss is None), loss)
    split = split_lazy(source, share, seed)
    found = [
        None if side is None else side.source.columns.frame.collect().to_native()
        for side in (split.training, split.test)
    ]
    return *found, split


def as_set(rows):
    return set(rows.rows())


def test_the_sides_are_the_table():
    rows = table()
    training, test, split = sides(rows, "cost")
    whole = rows.select("a", "group", "cost")
    assert pl.concat([training, test]).sort(whole.columns).equals(whole.sort(whole.columns))
    assert (split.training.n_rows, split.test.n_rows) == (len(training), len(test))
    assert len(test) == pytest.approx(750, abs=4 * np.sqrt(3000 * 0.25 * 0.75))


@pytest.mark.parametrize("target", ["ill", "cost"])
def test_the_order_of_the_rows_does_not_matter(target):
    rows = table()
    shuffled = rows.sample(fraction=1.0, shuffle=True, seed=1)
    assert as_set(sides(rows, target)[1]) == as_set(sides(shuffled, target)[1])


def test_copies_are_on_the_same_side_whatever_their_class():
    rows = table(200)
    other = rows.with_columns(
        ill=pl.when(pl.col("ill") == "no").then(pl.lit("yes")).otherwise(pl.lit("no"))
    )
    training, test, _ = sides(pl.concat([rows, other]))
    assert not as_set(training.select("a", "group")) & as_set(test.select("a", "group"))


def test_rows_that_are_close_to_each_other_are_divided_too():
    rng = np.random.default_rng(0)
    rows = table().with_columns(a=pl.Series(np.append(rng.normal(size=2999), 1e12)))
    assert len(sides(rows)[1]) == pytest.approx(750, abs=4 * np.sqrt(3000 * 0.25 * 0.75))


def test_another_seed_draws_other_rows():
    rows = table()
    assert as_set(sides(rows, seed=0)[1]) != as_set(sides(rows, seed=1)[1])


def test_without_test_rows():
    training, test, split = sides(table(), share=0.0)
    assert (len(training), test, split.test) == (3000, None, None)


def test_without_training_rows():
    training, test, split = sides(table(20), "cost", share=0.99999)
    assert (len(training), split.training.n_rows, len(test)) == (0, 0, 20)


@pytest.mark.parametrize("column", ["a", "ill", "cost"])
def test_the_checksum_tells_another_table(column):
    rows = table()
    target = "cost" if column == "cost" else "ill"
    first, last = rows[column][0], rows[column][-1]
    changed = rows.with_columns(
        pl.when(pl.col("row") == 0)
        .then(pl.lit(last) if first != last else pl.lit(rows[column][1]))
        .otherwise(pl.col(column))
        .alias(column)
    )
    same = changed[column].equals(rows[column])
    assert (sides(rows, target)[2].checksum == sides(changed, target)[2].checksum) == same


def test_a_class_without_training_rows_is_refused():
    with pytest.raises(ValueError, match=r"all rows of class '(no|yes)' were drawn as test rows"):
        sides(table(60), share=0.9999)
