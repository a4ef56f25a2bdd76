"""Writes ../../model/testdata/unigram.json.gz, a small tokenizer of XLM-R's kind, and unigram.jsonl, ids by Python's
tokenizers; see README.md.

The pieces are counted in texts of statutes by SentencePiece (normalisation nmt_nfkc), as XLM-R's were in texts of the
web. Each line has `text` and its ids in both forms that tokenizer.json files have: `old` (Precompiled, then
WhitespaceSplit and Metaspace) and, where it differs, `new` (Precompiled, Strip, Replace, then Metaspace); at some lines
`passage` and `pair`, the ids of the text with a passage behind it.
"""

import argparse
import base64
import gzip
import io
import json
import pathlib
import sys

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "encoder"))
from golden_ids import texts  # noqa: E402  the same strings as for WordPiece

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "model/testdata"
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def train(articles, pieces):
    lines = []
    with gzip.open(articles, "rt") as f:
        for i, line in enumerate(f):
            if i % 8 == 0:
                lines.append(json.loads(line)["text"].replace("\n", " "))
    english = ["The contract shall be in writing. e-mail https WTO TRIPS ISO quick brown fox Hello World internationalization"] * 200
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines + english), model_writer=out, vocab_size=pieces, model_type="unigram",
        character_coverage=0.9995, normalization_rule_name="nmt_nfkc", num_threads=2, minloglevel=2,
    )
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(out.getvalue())
    return model


def tokenizer(model, new):
    vocab = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocab += [(p.piece, p.score) for p in model.pieces[3:]] + [("<mask>", 0.0)]
    t = Tokenizer(models.Unigram(vocab, unk_id=3))
    charsmap = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
    if new:
        t.normalizer = normalizers.Sequence([charsmap, normalizers.Strip(left=False, right=True), normalizers.Replace(Regex(" {2,}"), "▁")])
        t.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    else:
        t.normalizer = charsmap
        t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")])
    t.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return t


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--articles", required=True, help="JSON lines, gzip, with `text`")
    parser.add_argument("--pieces", type=int, default=3000)
    args = parser.parse_args()
    model = train(args.articles, args.pieces)
    old, new = tokenizer(model, False), tokenizer(model, True)
    lines, strings = [], [t for t in texts() if not any(s in t for s in SPECIAL)]
    strings += ["  法律", "法律  ", "a  b", "a   b c", "▁", "a▁b", "▁▁a", " ▁", "法\u3000律", "\u3000", "a \u3000 b", "①①", "㎡ 1", "ﬁﬁ", "e\u0301\u0301", "\u1100\u1161", "가", "👨‍👩‍👧", "x" * 300]
    for i, text in enumerate(strings):
        line = {"text": text, "old": old.encode(text).ids}
        if (other := new.encode(text).ids) != line["old"]:
            line["new"] = other
        if i % 7 == 0:
            line["passage"] = strings[(i * 31 + 5) % len(strings)]
            line["pair"] = old.encode(text, line["passage"]).ids
        lines.append(json.dumps(line, separators=(",", ":")))
    (TESTDATA / "unigram.jsonl").write_text("\n".join(lines) + "\n")
    with open(TESTDATA / "unigram.json.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as f:
        f.write(old.to_str().encode())
    print(len(lines), "texts;", len(base64.b64encode(model.normalizer_spec.precompiled_charsmap)), "bytes of charsmap", file=sys.stderr)


if __name__ == "__main__":
    main()
