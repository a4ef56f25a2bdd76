#!/usr/bin/env python3
"""Writes bm25s.json: scores of the Python library bm25s for the documents and
queries of terms.json (made by `go test ./index/embedded -run TestBM25EqualsBm25s -update`).

    python3 -m venv /some/scratch/venv
    /some/scratch/venv/bin/pip install bm25s==0.3.16 numpy==2.4.6
    /some/scratch/venv/bin/python golden.py
"""
import json
import os

import bm25s

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    with open(os.path.join(HERE, "terms.json"), encoding="utf-8") as f:
        given = json.load(f)
    scorer = bm25s.BM25(method="lucene", k1=given["k1"], b=given["b"])
    scorer.index(given["documents"], show_progress=False)
    # A query keeps each of its known terms, repeats too; unknown ones are dropped.
    known = set(scorer.vocab_dict)
    scores = []
    for query in given["queries"]:
        terms = [t for t in query if t in known]
        all_scores = scorer.get_scores(terms) if terms else [0.0] * len(given["documents"])
        scores.append([round(float(s), 6) for s in all_scores])
    with open(os.path.join(HERE, "bm25s.json"), "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(s, separators=(",", ":")).replace("0.0,", "0,") for s in scores) + "\n]\n")


if __name__ == "__main__":
    main()
