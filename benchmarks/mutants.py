"""How many small faults in the code the tests notice: mutation testing with cosmic-ray.

A mutant is the code with one fault, such as < for ≤. It is killed if a test fails. A sample of all
mutants is drawn, from each package in proportion to its size. Each is tried on the tests of its
module, then on those of its package and on some of packages that use it.

Code and verdicts are kept in build/mutants: an interrupted run goes on where it was, with the code
that it began with. To measure other code, remove that folder or choose another seed.
"""

import argparse
import ast
import importlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import hypothesis
import pytest
import tables
from cosmic_ray.commands import init
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKOUT = Path(__file__).resolve().parent.parent
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
SHARE = "killed, %"
TITLE = "Small faults in the code that the tests notice"
PACKAGES = ("losses", "rules", "learning", "export", "simplify")  # no one imports a later one

# One or two faults for each place. cosmic-ray knows more, which are easier to notice.
OPERATORS = re.compile(
    "core/(AddNot|NumberReplacer|ExceptionReplacer|ZeroIterationForLoop"
    "|ReplaceBreakWithContinue|ReplaceContinueWithBreak"
    "|ReplaceAndWithOr|ReplaceOrWithAnd|ReplaceTrueWithFalse|ReplaceFalseWithTrue"
    "|ReplaceUnaryOperator_Delete_(Not|USub|Invert)"
    "|ReplaceComparisonOperator_(Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt"
    "|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)"
    "|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|FloorDiv_Mul|Mod_Mul|Pow_Mul"
    "|BitAnd_BitOr|BitOr_BitAnd|BitXor_BitAnd|LShift_RShift|RShift_LShift))"
)

# Quick tests of other packages that use a package.
USERS = {
    "losses": ("learning/test_boosting.py", "estimators/test_single_fit.py"),
    "rules": ("explanation", "render/test_markdown_table.py", "cli/test_show.py"),
    "learning": ("estimators/test_single_fit.py",),
    "export": ("cli/test_export.py",),
    "simplify": ("cli/test_simplify.py",),
}
PYTEST = ("-x", "-q", "-rfE", "--tb=no", "--no-header", "-p", "no:cacheprovider")
PLUGINS = ("-p", "_hypothesis_pytestplugin")  # no other is needed
# Mutants are tried on the tests of their module first, then on all around it.
STAGES = ("module", "package")
# A fault may cause an endless loop, which counts as noticed, too.
CPU_SECONDS = {"module": 40, "package": 240}
SECONDS = 3600
# What most tests import is imported once.
SHARED = ("narwhals", "pandas", "polars", "rich", "scipy.stats", "sklearn.datasets")


def main():
    options = _parser().parse_args()
    folder = CHECKOUT / "build" / "mutants" / f"{options.mutants}-seed-{options.seed}"
    if not (folder / "session.sqlite").exists():
        _set_up(folder, options.mutants, options.seed)
    with use_db(folder / "session.sqlite", WorkDB.Mode.open) as session:
        _try_all(session, folder, options.jobs)
        share = _report(session, options)
    if share < options.least:
        sys.exit(f"only {share:.1f} % of the mutants were killed, fewer than {options.least:g} %")


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=300, help="size of the sample")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="how many mutants to try at a time")
    parser.add_argument("--least", type=float, default=85, help="per cent that must be killed")
    return parser


# ---- the sample ----


def _set_up(folder, size, seed):
    """Copy the code, list its mutants and draw some of them."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in _files():
        target = folder / "code" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CHECKOUT / name, target)
    kernels = _output(sys.executable, "-c", "from sorb import _kernels as k; print(k.__file__)")
    shutil.copy2(kernels.strip(), folder / "code" / "src" / "sorb")
    os.chdir(folder / "code")
    with use_db("../unfinished.sqlite", WorkDB.Mode.create) as session:
        init([path for name in PACKAGES for path in _modules(name)], session, {})
        every = session.work_items
        sample = {item.job_id for item in _draw(every, size, seed)}
        others = [item.job_id for item in every if item.job_id not in sample]
        session.set_multiple_results(others, WorkResult(WorkerOutcome.SKIPPED))
    Path("../unfinished.sqlite").rename("../session.sqlite")


def _files():
    names = _output("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return [name for name in names.split("\0") if (CHECKOUT / name).is_file()]


def _output(*command):
    return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout


def _modules(package):
    return sorted(Path("src", "sorb", package).rglob("*.py"))


def _draw(items, size, seed):
    """Draw mutants from each package, in proportion to how many it has."""
    spans = {path: _declarations(path) for name in PACKAGES for path in _modules(name)}
    usable = {name: [] for name in PACKAGES}
    for item in items:
        (mutation,) = item.mutations
        path, place = mutation.module_path, mutation.start_pos
        declares = any(start <= place < end for start, end in spans[path])
        if OPERATORS.fullmatch(mutation.operator_name) and not declares:
            usable[_package(item)].append(item)
    total = sum(map(len, usable.values()))
    for found in usable.values():
        found.sort(key=_key)
        yield from random.Random(seed).sample(found, round(size * len(found) / total))


def _key(item):
    (mutation,) = item.mutations
    return str(mutation.module_path), mutation.operator_name, mutation.occurrence


def _package(item):
    return item.mutations[0].module_path.parts[2]


def _declarations(path):
    """Where a module does nothing that a test could notice, as pairs of positions.

    These are annotations and names of types, and what else only type checkers read; options of
    dataclasses, which mypy checks; `strict` in `zip`, which asserts what is never false; `__all__`.
    """
    text = path.read_text("utf-8")
    lines = text.splitlines()

    def position(line, column):
        return line, len(lines[line - 1].encode()[:column].decode())

    return [
        (position(node.lineno, node.col_offset), position(node.end_lineno, node.end_col_offset))
        for node in _declaring_nodes(ast.parse(text))
    ]


def _declaring_nodes(tree):
    for node in ast.walk(tree):
        yield from getattr(node, "decorator_list", ())
        yield from filter(None, (getattr(node, "annotation", None), getattr(node, "returns", None)))
        match node:
            case (
                ast.AnnAssign(annotation=ast.Name("TypeAlias"))
                | ast.Assign(targets=[ast.Name("__all__")])
                | ast.If(test=ast.Name("TYPE_CHECKING"))
                | ast.keyword(arg="strict")
            ):
                yield node


# ---- the verdicts ----


def _try_all(session, folder, jobs):
    """Try the mutants that have no verdict yet."""
    waiting = sorted(session.pending_work_items, key=_key)
    if not waiting:
        return
    for name in SHARED:
        importlib.import_module(name)
    # Which test fails is the same each time, and need not be explained by a small example.
    phases = [phase for phase in hypothesis.Phase if phase.name in ("explicit", "generate")]
    quick = hypothesis.settings(phases=phases, derandomize=True, deadline=None, database=None)
    hypothesis.settings.register_profile("quick", quick)
    hypothesis.settings.load_profile("quick")
    # An interruption may have left mutants behind.
    shutil.rmtree(folder / "trials", ignore_errors=True)
    _enter_trial(folder / "code", folder / "trials")
    _check_tests()
    places = (Path.cwd(), folder / "trials")
    with get_context("fork").Pool(jobs, _enter_trial, places) as pool:
        for stage in STAGES:
            waiting = list(_try_stage(session, waiting, stage, pool))


def _try_stage(session, waiting, stage, pool):
    """Try mutants on some of the tests; give those to be tried on more."""
    results = pool.imap_unordered(partial(_verdict, stage=stage), waiting)
    for number, (item, result) in enumerate(results, 1):
        print(f"{stage} {number}/{len(waiting)} {_line(item, result)}", flush=True)
        if result.test_outcome == TestOutcome.SURVIVED and stage != STAGES[-1]:
            yield item
        else:
            session.set_result(item.job_id, result)


def _enter_trial(code, trials):
    """Go to a copy of the code for this process alone."""
    trial = trials / str(os.getpid())
    shutil.copytree(code, trial)
    os.chdir(trial)


def _check_tests():
    """See that all tests pass without a fault; this also compiles them."""
    for package in PACKAGES:
        if failure := _failure(_tests_around(package), CPU_SECONDS["package"]):
            sys.exit(failure)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True


def _verdict(item, stage):
    """Try a mutant on the tests of a stage."""
    (mutation,) = item.mutations
    operator = get_operator(mutation.operator_name)()
    with use_mutation(mutation.module_path, operator, mutation.occurrence) as (before, after):
        fault = "\n".join(_changed_lines(before, after))
        try:
            ast.parse(after)
        except SyntaxError:  # such as from {**a, **b} to {*a, **b}
            return item, WorkResult(WorkerOutcome.SKIPPED, diff=fault)
        failure = _failure(_tests(item, stage), CPU_SECONDS[stage])
    outcome = TestOutcome.KILLED if failure else TestOutcome.SURVIVED
    return item, WorkResult(WorkerOutcome.NORMAL, failure, outcome, fault)


def _changed_lines(before, after):
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    return next((a.strip(), b.strip()) for a, b in pairs if a != b)


def _tests(item, stage):
    """Give the tests of a module, or those around it."""
    path = item.mutations[0].module_path
    name = path.parent.name if path.stem == "__init__" else path.stem
    own = Path("tests", *path.parts[2:-1], f"test_{name}.py")
    if stage == "module":
        return [*([str(own)] if own.exists() else []), str(path)]
    return [*_tests_around(_package(item)), f"--ignore={own}"]


def _tests_around(package):
    """Give the tests of a package and of its users."""
    return [f"src/sorb/{package}", *(f"tests/{name}" for name in (package, *USERS[package]))]


def _failure(tests, seconds):
    """Run tests in a process of their own; give the end of what they print if one fails."""
    printed = Path("printed.txt")
    child = os.fork()
    if not child:
        _run(tests, seconds, printed)
    _, status = os.waitpid(child, 0)
    return printed.read_text("utf-8")[-1000:] or f"status {status}" if status else ""


def _run(tests, seconds, printed):
    """Run tests for some seconds of the processor and end this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    signal.alarm(SECONDS)
    with printed.open("w") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["SORB_EXPORT_MODELS"] = "25"  # for each target
    os.environ["PYTHONPATH"] = str(Path("src").resolve())
    sys.path[0] = os.environ["PYTHONPATH"]  # in place of the folder of this script
    try:
        status = pytest.main([*PYTEST, *PLUGINS, *tests])
        if status == pytest.ExitCode.NO_TESTS_COLLECTED:
            status = 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)


# ---- the report ----


def _report(session, options):
    """Write the table and the survivors, and give the share of mutants that were killed."""
    tried = [
        (item, result)
        for item, result in session.completed_work_items
        if result.worker_outcome != WorkerOutcome.SKIPPED
    ]
    known = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    verdicts = [(_package(item), _verdict_of(item, result, known)) for item, result in tried]
    rows = [_row(name, [v for package, v in verdicts if package == name]) for name in PACKAGES]
    total = _row("all", [verdict for _, verdict in verdicts])
    survivors = sorted(
        f"- `{_place(item)}`: `{_fault(result)}`"
        for (item, result), (_, verdict) in zip(tried, verdicts, strict=True)
        if verdict == "survived"
    )
    path = tables.RESULTS / "mutants.md"
    tables.write_markdown(path, TITLE, [*rows, total], [*_notes(options), *survivors])
    print(path.read_text("utf-8"))
    return total[SHARE]


def _verdict_of(item, result, known):
    if result.is_killed:
        return "killed"
    reasons = known.get(_module(item), {})
    return "equivalent" if _fault(result) in reasons else "survived"


def _row(package, verdicts):
    counts = {name: verdicts.count(name) for name in ("equivalent", "killed", "survived")}
    return {
        "package": package,
        "mutants": len(verdicts),
        **counts,
        SHARE: _per_cent(counts["killed"], len(verdicts)),
        "killed of those not equivalent, %": _per_cent(
            counts["killed"], counts["killed"] + counts["survived"]
        ),
    }


def _per_cent(part, whole):
    return round(100 * part / whole, 1) if whole else 100.0


def _notes(options):
    return [
        f"A sample from `make mutants MUTANTS={options.mutants} SEED={options.seed}`. Each mutant "
        "was tried on the tests of its module, then on those of its package and some that use it. "
        "Equivalent mutants, which no test can tell from the code itself or which only change how "
        f"fast it is, are listed with reasons in `benchmarks/{EQUIVALENT.name}`.",
        "",
        "The survivors, each with the line before and after:",
        "",
    ]


def _line(item, result):
    verdict = result.test_outcome.value if result.test_outcome else "no program"
    return f"{verdict} {_place(item)}: {_fault(result)}"


def _place(item):
    return f"{_module(item)}:{item.mutations[0].start_pos[0]}"


def _module(item):
    return item.mutations[0].module_path.relative_to("src/sorb").as_posix()


def _fault(result):
    return result.diff.replace("\n", " → ")


if __name__ == "__main__":
    main()
