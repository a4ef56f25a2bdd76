"""Recall@5 on STARD by exact search with one or several models; see README.md.

A model is PATH.onnx: the float export (its first token's vector is taken) or ours. All use the given tokenizer.json.
The first model embeds every article. With --rescore N the others embed only the articles among the first model's N
best of any question: exact unless a model's five best lie outside of those, at a fraction of the time.
"""

import argparse
import gzip
import json

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from encoder.quantize import INSTRUCTION, MAX_TOKENS

BATCH_TOKENS = 512


def embed(model, encodings):
    """Unit vectors; texts of equal length are computed together."""
    order = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids))
    out, batch = np.zeros((len(order), 512), np.float32), []

    def flush():
        feed = {"input_ids": np.array([encodings[i].ids for i in batch])}
        for given in model.get_inputs():
            if given.name != "input_ids":
                feed[given.name] = np.full_like(feed["input_ids"], given.name == "attention_mask")
        y = model.run(None, feed)[0]
        y = y[:, 0] if y.ndim == 3 else y
        out[batch] = y / np.linalg.norm(y, axis=1, keepdims=True)

    for i in order:
        n = len(encodings[i].ids)
        if batch and (n != len(encodings[batch[0]].ids) or (len(batch) + 1) * n > BATCH_TOKENS):
            flush()
            batch = []
        batch.append(i)
    flush()
    return out


def best(queries, passages, k):
    scores = queries @ passages.T
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def recall(top, gold, ids):
    return np.mean([len({ids[j] for j in row} & g) / len(g) for row, g in zip(top, gold)])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", required=True, action="append", help="repeat for several")
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--articles", required=True, help="articles.jsonl.gz")
    p.add_argument("--ids", required=True, help="one article id a line")
    p.add_argument("--gold", required=True, action="append", help="questions with their articles; repeat for several")
    p.add_argument("--vectors", help="the first model's passage vectors (.npy, in the ids' order), if they exist already")
    p.add_argument("--rescore", type=int, default=0)
    args = p.parse_args()

    ids = open(args.ids, encoding="utf-8").read().split()
    wanted, texts = set(ids), {}
    with gzip.open(args.articles, "rt", encoding="utf-8") as f:
        for row in map(json.loads, f):
            if row["id"] in wanted:
                texts[row["id"]] = f"{row['law_title']} {row['label']} {row['text']}"
    sets = [[json.loads(line) for line in open(path, encoding="utf-8")] for path in args.gold]
    gold = [[{g["article_id"] for g in row["gold"]} for row in rows] for rows in sets]
    tokenizer = Tokenizer.from_file(args.tokenizer)
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.encode_special_tokens = True

    pool = ids
    for number, path in enumerate(args.model):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        model = onnxruntime.InferenceSession(path, options)
        if number == 0 and args.vectors:
            passages = np.load(args.vectors)
        else:
            passages = embed(model, tokenizer.encode_batch([texts[i] for i in pool]))
        near = set()
        for name, rows, answers in zip(args.gold, sets, gold):
            for prefix in (INSTRUCTION, ""):
                queries = embed(model, tokenizer.encode_batch([prefix + row["question"] for row in rows]))
                top = best(queries, passages, max(5, args.rescore))
                near |= {pool[j] for j in top.ravel()}
                print(f"{path} {name} prefix {'yes' if prefix else 'no'}: R@5 {recall(top[:, :5], answers, pool):.4f}", flush=True)
        if number == 0 and args.rescore:
            pool = sorted(near)
            print(f"the others rescore {len(pool)} articles", flush=True)


if __name__ == "__main__":
    main()
