"""Losses and measures by hand."""

import math

import numpy as np
import pytest
import torch

from lexpath import measures
from lexpath.train import cross_entropy, read_run


def test_cross_entropy_sets_golds_only_against_others():
    logits = torch.tensor([[2.0, 1.0, 0.0, 5.0]])
    # golds 0 and 1; 3 has a gold's wording and doesn't count
    expected = np.mean([math.log(math.exp(g) + 1) - g for g in (2.0, 1.0)])
    assert cross_entropy(logits, [[0, 1]], [{0, 1, 3}]).item() == pytest.approx(expected)


def test_measures():
    tops, golds = [["a", "b", "c"], ["x", "y", "z"]], [{"a", "c"}, {"q"}]
    result = measures.score(tops, golds, ["seen", "unseen"])
    assert result["all"]["R@5"] == 0.5 and result["seen"]["R@5"] == 1 and result["unseen"]["N@5"] == 0
    assert result["seen"]["N@5"] == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)), abs=1e-4)


def test_best_is_exact_and_stable():
    passages = np.eye(4, dtype=np.float32)
    top = measures.best(np.array([[0.1, 0.9, 0.9, 0.3]], np.float32), passages, 3)
    assert top.tolist() == [[1, 2, 3]]


def test_unknown_keys_are_refused(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text("epochs: 2\nlr: 3e-5\n")
    assert read_run(path, ["tau=0.05"]).tau == 0.05 and read_run(path, []).lr == 3e-5
    with pytest.raises(SystemExit, match="epocs"):
        read_run(path, ["epocs=3"])
