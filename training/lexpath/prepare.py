"""Writes the training pairs: `python -m lexpath.prepare --data DATA --out FOLDER`. STARD train, its answers, Legal-DC
train, and the pairs that the corpus itself gives."""

import argparse
import collections
import pathlib

from lexpath import data, derive, vectors


def answers(folder):
    """The questions' published answers and key words as further queries for the same golds (train only)."""
    golds = {q["id"]: q for q in data.stard(folder, "train")}
    for r in data.rows(pathlib.Path(folder) / "lecoqa/train.jsonl"):
        q = golds[r["id"]]
        for kind, text in (("answer", (r.get("answer") or "")[:160]), ("keywords", r.get("keywords") or "")):
            if len(text) > 3:
                yield {**q, "query": text, "kind": kind}


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--data", required=True)
    p.add_argument("--out", required=True, type=pathlib.Path)
    args = p.parse_args()
    articles = vectors.pool(args.data, "stard")
    sets = {
        "stard": data.stard(args.data, "train"),
        "answers": list(answers(args.data)),
        "legal_dc": data.legal_dc(args.data)[1]["train"],
        "corpus": derive.all_pairs(articles),
    }
    for name, pairs in sets.items():
        data.write_rows(args.out / f"{name}.jsonl", pairs)
        print(name, len(pairs), dict(collections.Counter(p["kind"] for p in pairs)))


if __name__ == "__main__":
    main()
