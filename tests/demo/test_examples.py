from sorb.demo import measures
from sorb.demo.examples import diagonal


def test_one_oblique_rule_follows_the_diagonal():
    example = diagonal()
    result = measures.learn(example, example.split(0), "oblique")
    assert result.score > measures.learn(example, example.split(0), "axis").score + 0.02
