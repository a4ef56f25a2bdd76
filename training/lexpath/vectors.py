"""Vectors of texts by an ONNX encoder: the float export or one that ships. `python -m lexpath.vectors --help`."""

import argparse
import time

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from lexpath import data
from lexpath.bert import MAX_TOKENS

BATCH_TOKENS = 512  # a batch that stays in the cache is the fastest here


def open_tokenizer(path):
    """The tokenizer as the product uses it: lower case, cut to MAX_TOKENS, special tokens in a text are ordinary text."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def tokens(tokenizer, texts):
    return [np.array(e.ids, np.int32) for e in tokenizer.encode_batch(texts)]


class Onnx:
    def __init__(self, path, threads=1):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 3
        self.session = onnxruntime.InferenceSession(str(path), options)

    def embed(self, rows, log=None):
        """Unit vectors of tokenised texts; equally long ones are computed together, so no vector depends on others."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        out, start, began = None, 0, time.time()
        while start < len(order):
            n, end = len(rows[order[start]]), start + 1
            while end < len(order) and len(rows[order[end]]) == n and (end + 1 - start) * n <= BATCH_TOKENS:
                end += 1
            ids = np.stack([rows[i] for i in order[start:end]]).astype(np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            y = self.session.run(None, {i.name: feed[i.name] for i in self.session.get_inputs()})[0]
            y = y[:, 0] if y.ndim == 3 else y
            out = np.zeros((len(rows), y.shape[1]), np.float32) if out is None else out
            out[order[start:end]] = y / np.linalg.norm(y, axis=1, keepdims=True)
            if log and start // 4096 != end // 4096:
                log(f"{end} of {len(order)} in {time.time() - began:.0f} s")
            start = end
        return out


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--model", required=True)
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--data", required=True, help="the data folder")
    p.add_argument("--set", required=True, choices=["stard", "legal_dc"], help="which articles")
    p.add_argument("--out", required=True, help=".npy, in the set's order")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    articles = pool(args.data, args.set)
    rows = tokens(open_tokenizer(args.tokenizer), [a.passage for a in articles])
    np.save(args.out, Onnx(args.model, args.threads).embed(rows, lambda m: print(m, flush=True)))


def pool(folder, name):
    """The articles searched: STARD's 56,007, or those of the 539 documents of Legal-DC."""
    if name == "legal_dc":
        return data.legal_dc(folder)[0]
    with open(f"{folder}/stard/corpus_ids.txt", encoding="utf-8") as f:
        return data.load_articles(folder, f.read().split())


if __name__ == "__main__":
    main()
