"""Hard negatives: Struct-Neg (LexPath § 3.3, Algorithm 1), and `random` and `ann` for comparison (their Table 3).

The paper leaves K, M and the share of each level open: they are Settings, and printed. Every sample is drawn with the
seed, the question and the positive, so one run's negatives do not depend on the order of questions.

`python -m lexpath.mine --help` writes FlagEmbedding's JSONL, one line a question and positive; `id`, `pos_id` and
`neg_id` are for us.
"""

import argparse
import collections
import dataclasses
import itertools
import json
import random

import numpy as np

from lexpath import bert, citations, data, measures, vectors

ORDERED = range(0, 5)  # levels 0–4 are tiers; 5 (interpretations) and 6 (others) stand alone


@dataclasses.dataclass
class Settings:
    method: str = "structneg"  # or random, ann
    K: int = 200  # depth of dense retrieval
    M: int = 8  # negatives drawn for one positive; citation neighbours come on top
    same_share: float = 0.7  # of M from the positive's own level; the rest evenly from the adjacent ones
    out_edges: bool = True
    in_edges: bool = True
    seed: int = 13

    def __post_init__(self):
        if self.method not in ("structneg", "random", "ann"):
            raise ValueError(f"no such method: {self.method}")
        if self.K < 1 or self.M < 0 or not 0 <= self.same_share <= 1:
            raise ValueError("K ≥ 1, M ≥ 0 and 0 ≤ same_share ≤ 1 are needed")


def target_levels(level):
    """Lines 8–16: the positive's level first, then the adjacent ones, both within 0–4."""
    return [level] + [n for n in (level - 1, level + 1) if level in ORDERED and n in ORDERED]


def sample_by_hierarchy(buckets, level, targets, M, same_share, rng):
    """Line 17: M articles of the target buckets. The adjacent levels take turns, a drawn one first; where one side is short
    the other fills its places."""
    draw = lambda t: rng.sample(buckets.get(t, []), len(buckets.get(t, [])))
    own = draw(level)
    sides = [draw(t) for t in rng.sample(targets[1:], len(targets) - 1)]
    adjacent = [a for turn in itertools.zip_longest(*sides) for a in turn if a is not None]
    n = round(M * same_share) if adjacent else M
    chosen = own[:n] + adjacent[: M - n]
    return chosen + (own[n:] + adjacent[M - n:])[: M - len(chosen)]


class Miner:
    def __init__(self, articles, graph, settings):
        self.articles = {a.id: a for a in articles}
        self.ids, self.graph, self.settings = [a.id for a in articles], graph, settings
        self.by_text, self.by_place = {}, {}
        for a in articles:
            self.by_text.setdefault(a.same_text, set()).add(a.id)
            self.by_place.setdefault((a.group, a.number, a.sub), set()).add(a.id)

    def forbidden(self, question):
        """Golds, articles of a gold's wording, and other versions of a gold."""
        never = set(question["pos"]) | set(question.get("also", ()))
        for g in question["pos"]:
            a = self.articles[g]
            never |= self.by_text[a.same_text]
            if a.number:
                never |= self.by_place[a.group, a.number, a.sub]
        return never

    def negatives(self, question, positive, retrieved):
        """Ids for one positive. `retrieved`: ids of the dense search, best first (its first K are used)."""
        s = self.settings
        rng = random.Random(f"{s.seed}:{question['id']}:{positive}")
        never = self.forbidden(question)
        if s.method == "random":
            drawn = rng.sample(self.ids, min(len(self.ids), s.M + len(never)))
            return [a for a in drawn if a not in never][: s.M]
        candidates = [a for a in retrieved[: s.K] if a not in never]
        if s.method == "ann":
            return rng.sample(candidates, min(s.M, len(candidates)))
        buckets = {}
        for a in candidates:
            buckets.setdefault(self.articles[a].level, []).append(a)
        level = self.articles[positive].level
        chosen = sample_by_hierarchy(buckets, level, target_levels(level), s.M, s.same_share, rng)
        cited = self.graph.neighbours(positive, s.out_edges, s.in_edges) - never - set(chosen)
        return chosen + sorted(cited)

    def record(self, question, positive, retrieved):
        """A line of FlagEmbedding's format, with ids and texts."""
        neg = self.negatives(question, positive, retrieved)
        text = lambda i: self.articles[i].passage
        return {"query": question["query"], "pos": [text(positive)], "neg": [text(n) for n in neg],
                "id": question["id"], "pos_id": [positive], "neg_id": neg}


def trainable(lines):
    """FlagEmbedding's lines as pairs for lexpath.train: one a question, with the negatives of each positive."""
    pairs = {}
    for r in lines:
        p = pairs.setdefault(r["id"], {"id": r["id"], "query": r["query"], "kind": "stard", "pos": [], "neg": []})
        p["pos"] += r["pos_id"]
        p["neg"].append(r["neg_id"])
    return list(pairs.values())


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", required=True)
    p.add_argument("--model", required=True, help="ONNX encoder that retrieves (the untuned one)")
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--prefix", default="", help="put before each question")
    p.add_argument("--vectors", required=True, help="its vectors of STARD's articles, .npy")
    p.add_argument("--out", required=True, help="FlagEmbedding's JSONL; beside it NAME.pairs.jsonl for lexpath.train")
    for f in dataclasses.fields(Settings):
        if f.type is bool or f.type == "bool":
            p.add_argument(f"--{f.name}", default=f.default, action=argparse.BooleanOptionalAction)
        else:
            p.add_argument(f"--{f.name}", default=f.default, type=type(f.default))
    args = p.parse_args()
    settings = Settings(**{f.name: getattr(args, f.name) for f in dataclasses.fields(Settings)})
    articles = vectors.pool(args.data, "stard")
    graph = citations.Graph(articles)
    miner = Miner(articles, graph, settings)
    questions = data.stard(args.data, "train")
    rows = vectors.tokens(vectors.open_tokenizer(args.tokenizer), [args.prefix + q["query"] for q in questions])
    tops = measures.best(vectors.Onnx(args.model).embed(rows), np.load(args.vectors), settings.K)
    lines = [miner.record(q, g, [miner.ids[j] for j in top]) for q, top in zip(questions, tops) for g in q["pos"]]
    data.write_rows(args.out, lines)
    data.write_rows(args.out.removesuffix(".jsonl") + ".pairs.jsonl", trainable(lines))
    levels = collections.Counter((miner.articles[r["pos_id"][0]].level, miner.articles[n].level) for r in lines for n in r["neg_id"])
    print(json.dumps(dataclasses.asdict(settings)))
    print(f"{len(lines)} lines, {sum(len(r['neg_id']) for r in lines)} negatives; graph: {sum(map(len, graph.out.values()))} edges, "
          f"{graph.unresolved} unresolved, {graph.shifted} left out as shifted")
    print("level of positive, of negative: " + ", ".join(f"{a}→{b} {n}" for (a, b), n in sorted(levels.items())))


if __name__ == "__main__":
    main()
