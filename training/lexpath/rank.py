"""Trains the ranker that ships: `python -m lexpath.rank --help`.

Reads what `lexagent train features` writes, one file a fold, each made with an encoder and questions that have not seen the
fold (lexpath.train part=N). Measures by cross-validation over the folds, then trains on all and writes ranker.json.
"""

import argparse
import json

import lightgbm
import numpy as np
PARAMS = {"objective": "lambdarank", "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 50, "feature_fraction": 0.3,
          "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5.0, "lambdarank_truncation_level": 10, "verbose": -1,
          "seed": 3, "deterministic": True, "force_col_wise": True, "num_threads": 2}


class Fold:
    """The questions of some files: rows of candidates, their grades, how many belong to each question."""

    def __init__(self, paths):
        self.questions, self.features = [], None
        for path in paths:
            with open(path, encoding="utf-8") as f:
                features = json.loads(next(f))["features"]
                if self.features not in (None, features):
                    raise SystemExit(f"{path} has other features than the files before it")
                self.features = features
                self.questions += [json.loads(line) for line in f]

    def data(self, names=None):
        """A dataset to train on: questions without a gold among the candidates teach nothing."""
        use = [q for q in self.questions if any(c["gold"] for c in q["candidates"])]
        rows = np.array([c["row"] for q in use for c in q["candidates"]])
        grades = np.array([int(c["gold"]) for q in use for c in q["candidates"]])
        # A question counts the same however many golds it has.
        weights = np.concatenate([np.full(len(q["candidates"]), q.get("weight", 1.0)) for q in use])
        return lightgbm.Dataset(rows, grades, group=[len(q["candidates"]) for q in use], weight=weights,
                                feature_name=self.features, free_raw_data=False)

    def measure(self, score):
        """{R@5, R@20, R@pool, N@5}, means over questions."""
        values = {"R@5": [], "R@20": [], "R@pool": [], "N@5": []}
        for q in self.questions:
            gold = [c["gold"] for c in q["candidates"]]
            order = np.argsort(-score(q), kind="stable") if gold else []
            hit = [gold[i] for i in order]
            n = max(q["golds"], sum(gold))
            for k in (5, 20, len(hit)):
                values["R@pool" if k == len(hit) else f"R@{k}"].append(sum(hit[:k]) / n)
            discount = 1 / np.log2(np.arange(2, 7))
            values["N@5"].append(np.dot(hit[:5], discount[: len(hit[:5])]) / discount[:n].sum())
        return {k: float(np.mean(v)) if v else 0.0 for k, v in values.items()}


def train(folds, rounds, params=None):
    whole = Fold([])
    for f in folds:
        whole.questions += f.questions
        whole.features = f.features
    return lightgbm.train({**PARAMS, **(params or {})}, whole.data(), rounds)


def by(model):
    return lambda q: model.predict(np.array([c["row"] for c in q["candidates"]]))


def by_feature(name, features, sign=1):
    i = features.index(name)
    return lambda q: sign * np.array([c["row"][i] for c in q["candidates"]])


def export(model):
    """The trees as retrieval.trees reads them."""
    dump = model.dump_model()
    trees = []
    for info in dump["tree_info"]:
        t = {"feature": [], "threshold": [], "left": [], "right": [], "leaf": []}

        def add(node):
            if "split_feature" not in node:
                t["leaf"].append(node["leaf_value"])
                return -len(t["leaf"])
            if node["decision_type"] != "<=":
                raise ValueError(f"a split by {node['decision_type']}")
            i = len(t["feature"])
            t["feature"].append(node["split_feature"])
            t["threshold"].append(node["threshold"])
            t["left"].append(0)
            t["right"].append(0)
            t["left"][i] = add(node["left_child"])
            t["right"][i] = add(node["right_child"])
            return i

        add(info["tree_structure"])
        trees.append(t)
    return {"features": dump["feature_names"], "trees": trees}


def show(name, values):
    print(f"{name:24s} " + "  ".join(f"{k} {v:.4f}" for k, v in values.items()), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--folds", nargs="+", required=True, help="files of features, a fold each")
    p.add_argument("--more", nargs="*", default=[], help="files that are always trained on and never measured")
    p.add_argument("--more-weight", type=float, default=0.3, help="of a question of those")
    p.add_argument("--test", nargs="*", default=[], help="files that are only measured (dev)")
    p.add_argument("--rounds", type=int, default=200, help="trees")
    p.add_argument("--out", help="ranker.json")
    args = p.parse_args()
    folds, more = [Fold([f]) for f in args.folds], Fold(args.more)
    for q in more.questions:
        q["weight"] = args.more_weight
    features = folds[0].features
    rest = [more] if more.questions else []
    parts = []
    for i, f in enumerate(folds):
        parts.append((f, by(train([*folds[:i], *folds[i + 1:], *rest], args.rounds))))
    for name in ("words", "tuned", "plain"):
        show(name, mean([(f, by_feature(name, features)) for f, _ in parts]))
    show(f"ranker, {len(folds)} folds", mean(parts))
    model = train([*folds, *rest], args.rounds)
    for path in args.test:
        test = Fold([path])
        for name in ("words", "tuned", "plain"):
            show(f"{path} {name}", test.measure(by_feature(name, features)))
        show(f"{path} ranker", test.measure(by(model)))
    gain = model.feature_importance("gain")
    print("gain: " + ", ".join(f"{features[i]} {gain[i] / gain.sum():.3f}" for i in np.argsort(-gain)))
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            json.dump(export(model), f, separators=(",", ":"))


def mean(parts):
    """Measures over several folds, each question once."""
    values = [(len(f.questions), f.measure(score)) for f, score in parts]
    return {k: sum(n * v[k] for n, v in values) / sum(n for n, _ in values) for k in values[0][1]}


if __name__ == "__main__":
    main()
