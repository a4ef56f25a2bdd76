"""Pairs that the corpus itself gives: (query, article) without any question being asked.

heading    law title and chapter heading → the articles of a short chapter
definition 本法所称X，是指… → "什么是X"
citation   违反本法第N条规定，〈what was done〉的，… → article N
"""

import collections
import re

from lexpath.citations import MENTION, OWN, plain, targets

DEFINED = re.compile(rf"(?:{OWN})?(?:中)?所称的?([^，。；、\s《》（）]{{2,16}}?)[，]?(?:是指|系指|指的是|，指|，包括)")
BREACH = re.compile(rf"违反{OWN}(第[^，。；]{{1,30}}?)(?:的)?规定，([^。；]{{8,80}}?)的，")
ASKED = ("什么是{}？", "{}是什么意思？", "{}是指什么？", "{}的定义是什么？")


def headings(articles, most=4):
    chapters = collections.defaultdict(list)
    for a in articles:
        if a.path:
            chapters[a.title, a.path].append(a.id)
    for (title, path), ids in chapters.items():
        name = re.sub(r"^第[一二三四五六七八九十百]+[编章节][\s\u3000]*", "", path[-1]).replace("\u3000", "")
        if len(ids) <= most and len(name) > 1 and name not in ("总则", "附则", "一般规定", "其他规定"):
            yield {"query": f"{plain(title)} {name}", "pos": ids, "kind": "heading"}


def definitions(articles):
    for a in articles:
        for n, m in enumerate(DEFINED.finditer(a.text)):
            yield {"query": ASKED[(len(a.text) + n) % len(ASKED)].format(m[1]), "pos": [a.id], "kind": "definition"}


def breaches(articles):
    place = collections.defaultdict(list)
    for a in articles:
        place[a.title, a.number, a.sub].append(a.id)
    for a in articles:
        for m in BREACH.finditer(a.text):
            found = [i for t in targets(m[1]) for i in place.get((a.title, *t), [])]
            if 0 < len(found) <= 2 and not MENTION.search(m[2]):
                yield {"query": m[2], "pos": sorted(set(found)), "kind": "citation"}


def all_pairs(articles):
    """Every derived pair, each query once, numbered."""
    result = {}
    for pair in (*headings(articles), *definitions(articles), *breaches(articles)):
        old = result.setdefault(pair["query"], {**pair, "pos": []})
        old["pos"] = sorted(set(old["pos"]) | set(pair["pos"]))
    kept = [p for p in result.values() if len(p["pos"]) <= 4]
    return [{"id": f"{p['kind']}-{n}", **p} for n, p in enumerate(kept)]
