from attacks.figures import figures, shown
from attacks.registry import ATTACKS


def test_the_document_gives_the_figures_of_the_results():
    """If not, `.venv/bin/python tests/attacks/figures.py` writes them."""
    assert shown() == figures()


def test_the_document_gives_figures_of_every_attack():
    assert all(f"\n| {attack.what}" in shown() for attack in ATTACKS.values())
