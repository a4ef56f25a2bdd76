"""Makes the encoder that ships from bge-small-zh-v1.5 as exported to ONNX in floats; see README.md."""

import argparse
import gzip
import hashlib
import json
import pathlib
import random
import tempfile

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from encoder import graph

MAX_TOKENS = 256
INSTRUCTION = "为这个句子生成表示以用于检索相关文章："  # what the model's authors put before a query
ALPHA = 0.8  # how much of an activation's spread moves into the weights (SmoothQuant, Xiao et al. 2023, eq. 4)


def write_tokenizer(source, target):
    """tokenizer.json without indentation, in lower case as the model was trained (the export says otherwise)."""
    t = json.loads(pathlib.Path(source).read_text("utf-8"))
    t["normalizer"]["lowercase"] = True
    pathlib.Path(target).write_text(json.dumps(t, ensure_ascii=False, separators=(",", ":")), "utf-8")


def sample_texts(articles, questions, seed=3):
    """400 articles and 200 questions, drawn with a fixed seed."""
    with gzip.open(articles, "rt", encoding="utf-8") as f:
        lines = random.Random(seed).sample(f.readlines(), 400)
    rows = [json.loads(line) for line in lines]
    texts = [f"{r['law_title']} {r['label']} {r['text']}" for r in rows]
    asked = [json.loads(line)["question"] for line in open(questions, encoding="utf-8")][:200]
    return texts + asked[:100] + [INSTRUCTION + q for q in asked[100:]]


def open_model(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options)


def ranges(weights, tokenizer, texts):
    """Lowest and highest value of each channel of each input that will be quantised."""
    builder = graph.Builder(weights, MAX_TOKENS)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as f:
        builder.save(f.name, with_taps=True)
        model = open_model(f.name)
    low, high = {}, {}
    for encoding in tokenizer.encode_batch(texts):
        values = model.run(list(builder.taps.values()), {"input_ids": np.array([encoding.ids])})
        for key, value in zip(builder.taps, values):
            flat = value.reshape(-1, value.shape[-1])
            low[key] = np.minimum(low.get(key, np.inf), flat.min(axis=0))
            high[key] = np.maximum(high.get(key, -np.inf), flat.max(axis=0))
    return low, high


READERS = {  # which matrices read an input
    "in": ["attention.self.query", "attention.self.key", "attention.self.value"],
    "context": ["attention.output.dense"],
    "mid": ["intermediate.dense"],
    "act": ["output.dense"],
}


def calibrate(weights, low, high):
    """Divisors that even the channels out, and the range that is left."""
    result = {}
    for key in low:
        layer, kind = key[1:].split(".")
        readers = [weights[f"encoder.layer.{layer}.{n}.weight"] for n in READERS[kind]]
        spread = np.maximum(np.maximum(np.abs(low[key]), np.abs(high[key])), 1e-3)
        weight = np.maximum(np.abs(np.concatenate(readers, axis=1)).max(axis=1), 1e-3)
        divisor = np.maximum(spread**ALPHA / weight ** (1 - ALPHA), 1e-3)
        divisor = (divisor / np.exp(np.log(divisor).mean())).astype(np.float32)
        result[key] = divisor, float((low[key] / divisor).min()), float((high[key] / divisor).max())
    return result


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--model", required=True, help="the float model.onnx of bge-small-zh-v1.5")
    p.add_argument("--tokenizer", required=True, help="its tokenizer.json")
    p.add_argument("--articles", required=True, help="articles.jsonl.gz, to calibrate on")
    p.add_argument("--questions", required=True, help="lines with a question each, to calibrate on (not the ones evaluated)")
    p.add_argument("--out", required=True, type=pathlib.Path, help="folder to write model.onnx, tokenizer.json and config.json to")
    args = p.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    write_tokenizer(args.tokenizer, args.out / "tokenizer.json")
    tokenizer = Tokenizer.from_file(str(args.out / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    weights = graph.read_weights(args.model)
    low, high = ranges(weights, tokenizer, sample_texts(args.articles, args.questions))
    graph.Builder(weights, MAX_TOKENS, calibrate(weights, low, high)).save(args.out / "model.onnx")
    config = {
        "name": "bge-small-zh-v1.5-int8",
        "model": "model.onnx",
        "model_sha256": hashlib.sha256((args.out / "model.onnx").read_bytes()).hexdigest(),
        "tokenizer": "tokenizer.json",
        "dim": graph.DIM,
        "max_tokens": MAX_TOKENS,
        "pooling": "none",
        "query_prefix": "",  # recall@5 is higher without the instruction
        "passage_prefix": "",
    }
    target = args.out / "config.json"
    before = json.loads(target.read_text("utf-8")) if target.exists() else {}
    if "floor" in before and before.get("model_sha256") == config["model_sha256"]:
        config["floor"] = before["floor"]  # calibrated elsewhere, and still true of the same model
    target.write_text(json.dumps(config, ensure_ascii=False, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
