"""Trains the model of intents that ships: `python -m lexpath.intents --help`.

Reads what `lexagent train intents` writes from the labels in training/intents, measures agreement and Cohen's kappa with
the labels, of the rules and of a logistic regression by ten-fold cross-validation, and writes intents.json.
"""

import argparse
import json

import numpy as np

ORDER = ["definition", "applicability", "consequence", "procedure", "others"]


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def fit(x, y, decay, steps=400):
    """Multinomial logistic regression: the weights of least loss with an L2 penalty of 1 / (2 * decay), by accelerated descent."""
    x = np.hstack([np.ones((len(x), 1)), x])
    w, v, target = np.zeros((x.shape[1], len(ORDER))), 0, np.eye(len(ORDER))[y]
    penalty = np.full((x.shape[1], 1), 1 / decay)
    penalty[0] = 1e-6
    rate = 1 / (0.5 * np.linalg.norm(x, 2) ** 2 + penalty.max())
    ahead = w
    for i in range(steps):
        step = ahead - rate * (x.T @ (softmax(x @ ahead) - target) + penalty * ahead)
        ahead, w = step + i / (i + 3) * (step - w), step
    return w[0], w[1:]


def kappa(a, b):
    table = np.zeros((len(ORDER), len(ORDER)))
    np.add.at(table, (a, b), 1 / len(a))
    chance = table.sum(0) @ table.sum(1)
    return (np.trace(table) - chance) / (1 - chance)


def crossed(x, y, decay, seed, folds=10):
    """What models say of questions that they have not seen; each fold has its share of every class."""
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    said = np.empty(len(y), int)
    for k in range(folds):
        out = order[k::folds]
        rest = np.setdiff1d(order, out)
        bias, w = fit(x[rest], y[rest], decay)
        said[out] = (x[out] @ w + bias).argmax(1)
    return said


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", required=True, help="what `lexagent train intents` wrote")
    p.add_argument("--decay", type=float, default=0.5, help="inverse of the penalty")
    p.add_argument("--out", help="intents.json")
    args = p.parse_args()
    with open(args.rows, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    model = {}
    for side in ("article", "question"):
        use = [r for r in lines if r["side"] == side]
        x = np.array([r["row"] for r in use])
        y = np.array([ORDER.index(r["intent"]) for r in use])
        rules = np.array([ORDER.index(r["rules"]) for r in use])
        print(f"{side}s: {len(y)}, " + ", ".join(f"{name} {(y == i).sum()}" for i, name in enumerate(ORDER)))
        print(f"  rules: agreement {np.mean(rules == y):.3f}, kappa {kappa(rules, y):.3f}")
        runs = [crossed(x, y, args.decay, seed) for seed in range(5)]
        print(f"  model, crossed: agreement {np.mean([np.mean(r == y) for r in runs]):.3f}, kappa {np.mean([kappa(r, y) for r in runs]):.3f}")
        bias, w = fit(x, y, args.decay)
        model[side] = {"bias": np.round(bias, 4).tolist(), "weights": np.round(w.T, 4).tolist()}
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            json.dump(model, f, separators=(",", ":"))


if __name__ == "__main__":
    main()
