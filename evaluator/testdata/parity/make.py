"""Makes values.jsonl.gz: what ranx and pytrec_eval say of random runs.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python make.py

The runs themselves are not stored: parity_test.go draws the same ones with the
same generator (SplitMix64), call by call. The script fails when ranx and
pytrec_eval differ from each other by more than 1e-12 on the same order.

Both tools are given the order that our evaluator follows, as scores -1, -2, …:
the printed one, hits that repeat an id taken out. Questions without relevant
documents are left out, questions that the run lacks count as 0. Beside that the
script counts how often the tools part from this when they are given the run's
own, tied scores, and prints the counts. With the pinned versions, of 1,162 runs
with gold, tied scores give other values on 552 in pytrec_eval (ties by
descending id) and on 20 in ranx (its sort isn't stable), and leaving out
missing questions, as pytrec_eval does, on 355.
"""

import gzip
import json
import math
import pathlib

import numpy as np
import pytrec_eval
from ranx import Qrels, Run, evaluate
from scipy.stats import permutation_test

RUNS = 1200
KS = [1, 5, 10]
MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return self.next() % n


def draw(seed):
    """One run and its qrels: [(qid, {doc: grade}, hits or None)], a hit being
    (doc, score); scores never rise and are often tied."""
    r = SplitMix64(seed)
    graded = seed % 2 == 1
    repeats = seed % 3 == 0
    out = []
    for q in range(1 + r.below(6)):
        pool = 5 + r.below(40)
        gold = {}
        for _ in range(r.below(7)):
            doc = f"d{r.below(pool)}"
            grade = r.below(5) if graded else 1
            gold.setdefault(doc, grade)
        if r.below(8) == 0:
            out.append((f"q{q}", gold, None))
            continue
        hits, seen, score = [], set(), 40
        for _ in range(r.below(30)):
            doc = f"d{r.below(pool)}"
            score -= r.below(3)
            if repeats or doc not in seen:
                hits.append((doc, score))
            seen.add(doc)
        out.append((f"q{q}", gold, hits))
    return out


def first_of_each(hits):
    order = {}
    for doc, score in hits:
        order.setdefault(doc, score)
    return order


def by_rank(hits):
    return {doc: -float(i + 1) for i, doc in enumerate(first_of_each(hits))}


def trec(qrels, run):
    """Per-question values of pytrec_eval, 0 for questions that the run lacks."""
    cuts = ",".join(map(str, KS))
    measures = {f"{m}.{cuts}" for m in ("recall", "ndcg_cut", "map_cut", "P", "success")} | {"map", "recip_rank"}
    got = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    cut = {k: {q: dict(sorted(d.items(), key=lambda x: -x[1])[:k]) for q, d in run.items()} for k in KS}
    rr = {k: pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut[k]) for k in KS}
    out = {}
    for q in qrels:
        v = got.get(q, {})
        out[q] = {"map": v.get("map", 0.0), "mrr": v.get("recip_rank", 0.0)}
        for k in KS:
            out[q] |= {
                f"recall@{k}": v.get(f"recall_{k}", 0.0),
                f"ndcg@{k}": v.get(f"ndcg_cut_{k}", 0.0),
                f"map@{k}": v.get(f"map_cut_{k}", 0.0),
                f"precision@{k}": v.get(f"P_{k}", 0.0),
                f"hit@{k}": v.get(f"success_{k}", 0.0),
                f"mrr@{k}": rr[k].get(q, {}).get("recip_rank", 0.0),
            }
    return out


NAMES = {"hit": "hit_rate"}


def ranx(qrels, run, names):
    if not run:
        return {n: 0.0 for n in names}
    theirs = {n: "@".join([NAMES.get(p, p) for p in n.split("@")]) for n in names}
    got = evaluate(Qrels(qrels), Run(run), list(theirs.values()), make_comparable=True)
    return {n: float(got[t]) for n, t in theirs.items()}


def mean(per_question):
    names = next(iter(per_question.values())).keys()
    return {n: math.fsum(v[n] for v in per_question.values()) / len(per_question) for n in names}


def apart(a, b, eps):
    return any(abs(a[n] - b[n]) > eps for n in a)


def one(seed):
    questions = draw(seed)
    qrels = {q: g for q, gold, _ in questions if (g := {d: v for d, v in gold.items() if v > 0})}
    if not qrels:
        return None, {}
    hits = {q: h for q, _, h in questions if h and q in qrels}
    run = {q: by_rank(h) for q, h in hits.items()}
    per_question = trec(qrels, run)
    values = mean(per_question)
    other = ranx(qrels, run, values)
    assert not apart(values, other, 1e-12), (seed, values, other)
    golds = sum(map(len, qrels.values()))
    for k in KS:
        found = math.fsum(per_question[q][f"recall@{k}"] * len(g) for q, g in qrels.items())
        values[f"recall_micro@{k}"] = found / golds

    tied = {q: {d: float(s) for d, s in first_of_each(h).items()} for q, h in hits.items()}
    seen = {
        "pytrec_eval with tied scores": mean(trec(qrels, tied)),
        "ranx with tied scores": ranx(qrels, tied, other),
    }
    if run:
        seen["pytrec_eval leaving out missing questions"] = mean(trec({q: qrels[q] for q in run}, run))
    return values, {name: apart(other, v, 1e-9) for name, v in seen.items()}


def exact_tests():
    """Exact two-sided p values of scipy for paired differences, many of them tied."""
    for seed in range(60):
        r = SplitMix64(10_000 + seed)
        diffs = [(r.below(9) - 4) / 4 for _ in range(1 + r.below(10))]
        if len(diffs) < 2:
            continue
        zero = [0.0] * len(diffs)
        test = permutation_test((diffs, zero), lambda x, y: np.sum(x) - np.sum(y), permutation_type="samples",
                                n_resamples=np.inf, alternative="two-sided")
        yield {"diffs": diffs, "p": float(test.pvalue)}


def main():
    here = pathlib.Path(__file__).parent
    counts = {}
    with gzip.GzipFile(here / "values.jsonl.gz", "w", mtime=0) as f:
        kept = 0
        for seed in range(RUNS):
            values, parts = one(seed)
            kept += values is not None
            for name, differs in parts.items():
                counts[name] = counts.get(name, 0) + differs
            f.write((json.dumps({"seed": seed, "values": values}) + "\n").encode())
    with open(here / "exact.jsonl", "w") as f:
        for t in exact_tests():
            f.write(json.dumps(t) + "\n")
    print(f"{kept} of {RUNS} runs have gold")
    for name, n in counts.items():
        print(f"{name}: other values on {n} of {kept}")


if __name__ == "__main__":
    main()
