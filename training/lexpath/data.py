"""Articles, questions and their golds, as the product names them. Nothing here reads a test split."""

import collections
import dataclasses
import gzip
import hashlib
import json
import pathlib
import re

ARTICLE = re.compile(r"(?m)^[ \t\u3000]*(第[一二三四五六七八九十百千零〇]+条(?:之[一二三四五六七八九十]+)?)[ \t\u3000]*")


@dataclasses.dataclass
class Article:
    id: str
    title: str
    label: str
    text: str
    level: int
    number: int = 0
    sub: int = 0
    path: tuple = ()

    @property
    def passage(self):
        """What is embedded (the Go side composes it the same way)."""
        return f"{self.title} {self.label} {self.text}"

    @property
    def same_text(self):
        """Equal for articles of equal wording: the text without white space."""
        return "".join(self.text.split())


def rows(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def write_rows(path, items):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(i, ensure_ascii=False) + "\n" for i in items)


def load_articles(folder, ids=None):
    """Articles of laws/, in the order of `ids` where given."""
    folder = pathlib.Path(folder)
    found = {}
    wanted = None if ids is None else set(ids)
    for r in rows(folder / "laws/articles.jsonl.gz"):
        if wanted is None or r["id"] in wanted:
            found[r["id"]] = Article(r["id"], r["law_title"], r["label"], r["text"], r["level"], r["number"] or 0, r["sub"] or 0, tuple(r["path"]))
    return list(found.values()) if ids is None else [found[i] for i in ids]


def split_document(document, text):
    """Articles of a document whose articles begin lines with 第…条, with their spans in the text; none if it has none."""
    starts = list(ARTICLE.finditer(text))
    result = []
    for n, m in enumerate(starts):
        end = starts[n + 1].start() if n + 1 < len(starts) else len(text)
        body = re.sub(r"\n[ \t\u3000]*第[一二三四五六七八九十百]+[编章节][^\n]{0,40}\s*$", "", text[m.end():end]).strip()
        label = m[1]
        result.append((Article(f"{document['id']}:{n + 1}", document["title"], label, body, 6), m.start(), end))
    return result


def legal_dc(folder):
    """All articles of the documents, and for train and dev the questions with the articles that hold their evidence.

    Questions on documents without articles, and evidence before the first article, give no pair."""
    folder = pathlib.Path(folder) / "legal_dc"
    units = {d["id"]: split_document(d, d["text"]) for d in rows(folder / "documents.jsonl.gz")}
    articles = [a for parts in units.values() for a, _, _ in parts]
    questions = {}
    for split in ("train", "dev"):
        questions[split] = []
        for r in rows(folder / f"{split}.jsonl"):
            hit = {a.id for s in r["evidence_spans"] if s for a, start, end in units[r["document_id"]] if start < s[1] and s[0] < end}
            if hit:
                questions[split].append({"id": r["id"], "query": r["question"], "pos": sorted(hit), "kind": "legal_dc"})
    return articles, questions


def stard(folder, split):
    """Questions of STARD with their golds; `also` are older versions with the golds' texts."""
    return [{"id": r["id"], "query": r["question"], "kind": "stard", "pos": list(dict.fromkeys(g["article_id"] for g in r["gold"])),
             "also": sorted({a for g in r["gold"] for a in g["also"]})}
            for r in rows(pathlib.Path(folder) / f"stard/{split}.jsonl")]


def seen_part(questions, train):
    """seen: all golds are golds in train; unseen: none is; mixed: the rest."""
    known = {g for q in train for g in q["pos"]}
    hits = [sum(g in known for g in q["pos"]) for q in questions]
    return ["unseen" if h == 0 else "seen" if h == len(q["pos"]) else "mixed" for h, q in zip(hits, questions)]


def fold_of(name, folds, seed):
    """A fold for a name: the same in every run."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "big") % folds


def part_of(question, parts=5, seed=11):
    """The part of the training questions that a question belongs to, for what must be learned out of fold."""
    return fold_of(question, parts, seed)


def hold_out(train, fold=0, folds=5, seed=7):
    """Splits train by golds: questions to train on, `unseen` ones whose golds all lie in the fold, `seen` ones whose golds
    are all golds of a question trained on. Questions with golds on both sides are left out."""
    inside = [[fold_of(g, folds, seed) == fold for g in q["pos"]] for q in train]
    unseen = [q for q, i in zip(train, inside) if all(i)]
    rest = [q for q, i in zip(train, inside) if not any(i)]
    uses = collections.Counter(g for q in rest for g in q["pos"])
    keep, seen = [], []
    for q in rest:
        if fold_of(q["id"], 4, seed) == fold % 4 and all(uses[g] > 1 for g in q["pos"]):
            seen.append(q)
            uses.subtract(q["pos"])
        else:
            keep.append(q)
    return keep, seen, unseen
