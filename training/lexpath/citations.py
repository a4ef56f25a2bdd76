"""A small citation graph: 本法第N条 and 《title》第N条, with lists and ranges. The product's own, in Go, reads more forms."""

import collections
import re

DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
UNITS = {"十": 10, "百": 100, "千": 1000}
NUMBER = "[一二三四五六七八九十百千零〇]+"
ONE = rf"第{NUMBER}条(?:之[一二三四五六七八九十]+)?"
TAIL = rf"(?:第{NUMBER}款)?(?:第[（(]?{NUMBER}[）)]?项)?"
OWN = "本(?:法|条例|办法|规定|解释|细则|规则|决定|规程|准则)"
MENTION = re.compile(rf"(?:《(?P<title>[^《》]+)》|(?P<own>{OWN}))(?P<list>{ONE}{TAIL}(?:(?:、|和|或者|以及|至){ONE}{TAIL})*)")
ITEM = re.compile(rf"(至)?第({NUMBER})条(?:之([一二三四五六七八九十]+))?")
LONGEST_RANGE = 60


def number(text):
    """第一百二十 → 120."""
    total = digit = 0
    for c in text:
        if c in UNITS:
            total += (digit or 1) * UNITS[c]
            digit = 0
        else:
            digit = DIGITS[c]
    return total + digit


def plain(title):
    """A title as it is cited: without the state's name and without a version in brackets."""
    return re.sub(r"[（(]\d{4}年?.*?[）)]$", "", title).removeprefix("中华人民共和国")


class Graph:
    """out[a], into[a]: ids of the articles that a cites, that cite a.

    An edge into a law whose version is later than the citing text is left out: its printed number has probably shifted."""

    def __init__(self, articles):
        self.out, self.into = collections.defaultdict(set), collections.defaultdict(set)
        place = collections.defaultdict(list)
        for a in articles:
            place[plain(a.title), a.number, a.sub].append(a)
        self.unresolved = self.shifted = 0
        for a in articles:
            for m in MENTION.finditer(a.text):
                title = plain(m["title"] or a.title)
                for n, sub in targets(m["list"]):
                    self.add(a, place.get((title, n, sub), []))

    def add(self, a, found):
        if not found:
            self.unresolved += 1
        same = [b for b in found if b.group == a.group and b.dated == a.dated]
        for b in same or found:
            if b.group != a.group and b.dated > a.dated:
                self.shifted += 1
            elif b.id != a.id:
                self.out[a.id].add(b.id)
                self.into[b.id].add(a.id)

    def neighbours(self, article, out=True, into=True):
        return (self.out[article] if out else set()) | (self.into[article] if into else set())


def targets(text):
    """(number, sub) of each article in a list such as 第三条、第五条至第七条."""
    result = []
    for until, n, sub in ITEM.findall(text):
        n, sub = number(n), number(sub) if sub else 0
        if until and result and 0 < n - result[-1][0] <= LONGEST_RANGE:
            result += [(i, 0) for i in range(result[-1][0] + 1, n)]
        result.append((n, sub))
    return result
