"""Writes a tuned query side beside the encoder that ships: `python -m lexpath.export --help`.

The passages' model stays as it is, so the vectors of an index stay good. The weights are merged with those of the base
(LexPath § 4.1), quantised as encoder/quantize.py does it, calibrated on training questions, and named in config.json.
"""

import argparse
import hashlib
import json
import pathlib
import random

import numpy as np

from encoder import graph, quantize
from lexpath import bert, data, vectors

NAME = "query.onnx"


def write(weights, folder, texts):
    """Quantises weights into folder/query.onnx and enters it in folder/config.json."""
    folder = pathlib.Path(folder)
    tokenizer = vectors.open_tokenizer(folder / "tokenizer.json")
    low, high = quantize.ranges(weights, tokenizer, texts)
    graph.Builder(weights, bert.MAX_TOKENS, quantize.calibrate(weights, low, high)).save(folder / NAME)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["query_model"] = NAME
    config["query_model_sha256"] = hashlib.sha256((folder / NAME).read_bytes()).hexdigest()
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False, indent=2) + "\n", "utf-8")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weights", required=True, help="weights.npz of a run")
    p.add_argument("--base", required=True, help="the float ONNX export that the run started from")
    p.add_argument("--share", type=float, default=1.0, help="of the tuned weights in the merge")
    p.add_argument("--data", required=True, help="the data folder; its training questions calibrate")
    p.add_argument("--encoder", required=True, help="folder of the encoder, with tokenizer.json and config.json")
    args = p.parse_args()
    tuned = dict(np.load(args.weights))
    base = graph.read_weights(args.base)
    merged = {**base, **bert.merge(base, tuned, args.share)}
    questions = [q["query"] for q in data.stard(args.data, "train")]
    write(merged, args.encoder, random.Random(3).sample(questions, 400))


if __name__ == "__main__":
    main()
