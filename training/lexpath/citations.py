"""References in a text: 本法第N条 and 《title》第N条, with lists and ranges. The product's own reader, in Go, knows more forms."""

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


def targets(text):
    """(number, sub) of each article in a list such as 第三条、第五条至第七条."""
    result = []
    for until, n, sub in ITEM.findall(text):
        n, sub = number(n), number(sub) if sub else 0
        if until and result and 0 < n - result[-1][0] <= LONGEST_RANGE:
            result += [(i, 0) for i in range(result[-1][0] + 1, n)]
        result.append((n, sub))
    return result
