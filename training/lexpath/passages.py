"""Trains the reader that ships: `python -m lexpath.passages --help`.

Reads what `lexagent train passages` writes: for each question the passages of what was found, with their features, and the
reference answer. The target of a passage is its F1 with that answer, by characters; the passage with the highest estimate is
what an answer without a language model quotes.
"""

import argparse
import collections
import json
import unicodedata

import lightgbm
import numpy as np

from .rank import export

PARAMS = {"objective": "regression", "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 50, "feature_fraction": 0.6,
          "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 5.0, "verbose": -1, "seed": 1, "deterministic": True,
          "force_col_wise": True, "num_threads": 2}


def characters(text):
    """The letters and digits of a text, full width and capitals made equal."""
    return collections.Counter(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())


def overlap(text, answer):
    """(characters in both, of the text, of the answer), repeats counted."""
    return sum((text & answer).values()), sum(text.values()), sum(answer.values())


def f1(text, answer):
    both, a, b = overlap(text, answer)
    return 2 * both / (a + b) if a + b else 0.0


class Questions:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.features = json.loads(next(f))["features"]
            self.all = [json.loads(line) for line in f]
        self.answers = [characters(q["answer"]) for q in self.all]
        self.targets = [[f1(characters(p["text"]), a) for p in q["passages"] or []] for q, a in zip(self.all, self.answers)]

    def rows(self, of):
        rows = [p["row"] for i in of for p in self.all[i]["passages"] or []]
        return np.array(rows), np.array([t for i in of for t in self.targets[i]])

    def measure(self, of, choose):
        """{macro, micro} F1 of the passages that `choose` picks by their places."""
        each, sums = [], np.zeros(3)
        for i in of:
            passages = self.all[i]["passages"] or []
            text = characters(passages[choose(i, passages)]["text"]) if passages else characters("")
            sums += overlap(text, self.answers[i])
            each.append(f1(text, self.answers[i]))
        return {"macro": float(np.mean(each)), "micro": float(2 * sums[0] / (sums[1] + sums[2]))}


def train(questions, of, rounds):
    rows, targets = questions.rows(of)
    return lightgbm.train(PARAMS, lightgbm.Dataset(rows, targets, feature_name=questions.features), rounds)


def best(model):
    return lambda _, passages: int(np.argmax(model.predict(np.array([p["row"] for p in passages]))))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--train", required=True, help="passages of the train questions")
    p.add_argument("--dev", help="passages of questions to measure by, never trained on")
    p.add_argument("--out", required=True, help="reader.json to write")
    p.add_argument("--rounds", type=int, default=400)
    p.add_argument("--folds", type=int, default=5, help="of the cross-validation over train; 0: none")
    args = p.parse_args()
    questions = Questions(args.train)
    everything = range(len(questions.all))
    if args.folds:
        found = {}
        for k in range(args.folds):
            model = train(questions, [i for i in everything if i % args.folds != k], args.rounds)
            for i in everything:
                if i % args.folds == k and questions.all[i]["passages"]:
                    found[i] = best(model)(i, questions.all[i]["passages"])
        print(f"train, {args.folds}-fold:", questions.measure(everything, lambda i, _: found[i]))
    model = train(questions, everything, args.rounds)
    if args.dev:
        dev = Questions(args.dev)
        of = range(len(dev.all))
        print("dev:", dev.measure(of, best(model)))
        print("dev, the best passage there is:", dev.measure(of, lambda i, _: int(np.argmax(dev.targets[i]))))
    with open(args.out, "w", encoding="utf-8") as f:
        json.dump(export(model), f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()
