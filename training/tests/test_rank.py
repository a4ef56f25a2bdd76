"""The ranker: what is exported ranks as what was trained."""

import json

import numpy as np
import pytest

from lexpath import rank

FEATURES = ["words", "tuned", "plain"]


def questions(n, seed):
    """Questions of 20 candidates each, whose one gold has high words or high similarity."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        rows = rng.normal(0, 1, (20, 3))
        gold = int(rng.integers(20))
        rows[gold, : 2] += 3
        yield {"id": str(i), "golds": 1, "candidates": [{"id": f"a:{j}", "gold": j == gold, "row": list(r)} for j, r in enumerate(rows)]}


@pytest.fixture
def files(tmp_path):
    paths = []
    for k in range(3):
        path = tmp_path / f"{k}.jsonl"
        lines = [{"features": FEATURES}, *questions(40, k)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        paths.append(str(path))
    return paths


def walk(tree, row):
    """As retrieval.tree.value does it."""
    at = 0 if tree["feature"] else -1
    while at >= 0:
        at = tree["left" if row[tree["feature"][at]] <= tree["threshold"][at] else "right"][at]
    return tree["leaf"][-at - 1]


def test_exported_trees_score_as_the_model(files):
    fold = rank.Fold(files)
    model = rank.train([fold], 20)
    out = rank.export(model)
    assert out["features"] == FEATURES
    rows = np.array([c["row"] for q in fold.questions[:10] for c in q["candidates"]])
    mine = [sum(walk(t, r) for t in out["trees"]) for r in rows]
    assert np.allclose(mine, model.predict(rows), atol=1e-9)
    for t in out["trees"]:
        assert len(t["leaf"]) == len(t["feature"]) + 1
        assert all(c < 0 or c > i for name in ("left", "right") for i, c in enumerate(t[name]))


def test_the_ranker_beats_its_features(files):
    folds = [rank.Fold([f]) for f in files]
    model = rank.train(folds[:2], 40)
    ranked = folds[2].measure(rank.by(model))
    assert ranked["R@5"] > folds[2].measure(rank.by_feature("words", FEATURES))["R@5"]
    assert ranked["R@pool"] == 1


def test_measures_count_golds_that_are_no_candidates():
    fold = rank.Fold([])
    row = lambda gold, x: {"id": str(x), "gold": gold, "row": [x]}
    fold.questions = [{"id": "1", "golds": 2, "candidates": [row(True, 1.0), row(False, 2.0)]}]
    got = fold.measure(rank.by_feature("words", ["words"]))
    assert got["R@5"] == 0.5
    assert got["N@5"] == pytest.approx((1 / np.log2(3)) / (1 + 1 / np.log2(3)))


def test_files_with_other_features_are_refused(files, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"features": ["words"]}) + "\n", "utf-8")
    with pytest.raises(SystemExit):
        rank.Fold([files[0], str(other)])
