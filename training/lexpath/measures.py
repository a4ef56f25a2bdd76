"""Recall@k and NDCG@k of exact search, whole and by parts."""

import numpy as np


def best(queries, passages, k):
    """Indices of the k best passages of each query, best first; equal scores in the passages' order."""
    scores = queries @ passages.T
    k = min(k, scores.shape[1])
    near = np.sort(np.argpartition(-scores, k - 1, axis=1)[:, :k], axis=1)
    return np.take_along_axis(near, np.argsort(-np.take_along_axis(scores, near, 1), axis=1, kind="stable"), 1)


def recall(top, gold, k):
    return len(gold & set(top[:k])) / len(gold)


def ndcg(top, gold, k):
    gain = sum(1 / np.log2(i + 2) for i, a in enumerate(top[:k]) if a in gold)
    return gain / sum(1 / np.log2(i + 2) for i in range(min(k, len(gold))))


def score(tops, golds, parts=None):
    """{part: {n, R@5, R@20, R@100, N@5}}; part "all" first."""
    parts = parts or [None] * len(golds)
    result = {}
    for part in ["all", *sorted({p for p in parts if p})]:
        chosen = [(t, g) for t, g, p in zip(tops, golds, parts) if part in ("all", p)]
        values = {f"R@{k}": np.mean([recall(t, g, k) for t, g in chosen]) for k in (5, 20, 100)}
        values["N@5"] = np.mean([ndcg(t, g, 5) for t, g in chosen])
        result[part] = {"n": len(chosen), **{k: round(float(v), 4) for k, v in values.items()}}
    return result


def search(queries, passages, ids, questions, parts=None):
    """Scores of questions whose vectors are given."""
    tops = [[ids[j] for j in row] for row in best(queries, passages, 100)]
    return score(tops, [set(q["pos"]) for q in questions], parts)


def line(name, result):
    return f"{name:14s} " + "  ".join(f"{part}({v['n']}) {v['R@5']:.3f}/{v['R@20']:.3f}/{v['R@100']:.3f}/{v['N@5']:.3f}" for part, v in result.items())
