#!/usr/bin/env python3
"""Builds words.tsv.gz, the segmenter's dictionary: word <TAB> count.

    python3 -m venv /some/scratch/venv
    /some/scratch/venv/bin/pip install -r requirements.txt
    /some/scratch/venv/bin/python build.py DATA words.tsv.gz

DATA is a folder with laws/articles.jsonl.gz, stard/train.jsonl and
lecoqa/train.jsonl (no dev or test question is read). The texts are cut by
jieba, the words counted, rare words and article numbers dropped. The same
input gives the same bytes.
"""
import collections
import gzip
import io
import json
import os
import re
import sys

import jieba

MIN_COUNT = 1        # 2 and 4 measured worse: a rare word is a word all the same
QUESTION_WEIGHT = 5  # lay questions are few beside the statutes

HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff〇]+")
NUMERAL = r"[零〇一二三四五六七八九十百千万两\d]+"
ARTICLE = re.compile(rf"第{NUMERAL}[条章节编款项](?:之{NUMERAL})?")
NUMBER = re.compile(r"[零〇一二三四五六七八九十百千万亿两]{2,}")
ORDINAL = re.compile(rf"第?{NUMERAL}[条章节编款项]")


def texts(data):
    """Yields (text, weight): every unit, every title once, every train question."""
    titles = set()
    with gzip.open(os.path.join(data, "laws/articles.jsonl.gz"), "rt", encoding="utf-8") as f:
        for line in f:
            unit = json.loads(line)
            yield unit["text"], 1
            for title in [unit["law_title"], *(unit["path"] or [])]:
                if title not in titles:
                    titles.add(title)
                    yield title, 1
    for name in ("stard", "lecoqa"):
        with open(os.path.join(data, name, "train.jsonl"), encoding="utf-8") as f:
            for line in f:
                record = json.loads(line)
                if name == "stard":  # the questions of lecoqa are the same
                    yield record["question"], QUESTION_WEIGHT
                yield record.get("answer", ""), QUESTION_WEIGHT


def count(data):
    counts = collections.Counter()
    for text, weight in texts(data):
        for run in HAN.findall(ARTICLE.sub(" ", text)):
            for word in jieba.cut(run, HMM=False):  # what its HMM proposes is often no word
                counts[word] += weight
    return counts


def keep(word, n):
    if NUMBER.fullmatch(word) or ORDINAL.fullmatch(word):
        return False
    return n >= (MIN_COUNT if len(word) > 1 else 1)


def main():
    data, out = sys.argv[1:]
    jieba.setLogLevel(30)
    words = sorted((w, n) for w, n in count(data).items() if keep(w, n))
    body = "".join(f"{w}\t{n}\n" for w, n in words).encode()
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9, mtime=0) as z:
        z.write(body)
    with open(out, "wb") as f:
        f.write(buffer.getvalue())
    print(f"{len(words)} words, {len(body)} bytes, {len(buffer.getvalue())} compressed", file=sys.stderr)


if __name__ == "__main__":
    main()
