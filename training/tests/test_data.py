"""Documents, pairs and splits."""

from lexpath import data, derive

TEXT = """示例办法
（2020年发布）
第一章  总则
第一条  为了示例，制定本办法。
第二条　本办法所称示例，是指例子。
见第三条的规定。
第二章 附 则
第三条 本办法自公布之日起施行。
"""


def test_split_document():
    parts = data.split_document({"id": "D", "title": "示例办法"}, TEXT)
    assert [(a.id, a.label) for a, _, _ in parts] == [("D:1", "第一条"), ("D:2", "第二条"), ("D:3", "第三条")]
    assert parts[1][0].text == "本办法所称示例，是指例子。\n见第三条的规定。"  # no heading of the next chapter
    assert all(TEXT[start:end].lstrip().startswith(a.label) for a, start, end in parts)
    assert data.split_document({"id": "D", "title": "t"}, "一、没有条。") == []


def question(name, *golds):
    return {"id": name, "query": name, "pos": list(golds)}


def test_seen_part():
    train = [question("a", "1"), question("b", "2")]
    assert data.seen_part([question("x", "1", "2"), question("y", "2", "3"), question("z", "3")], train) == ["seen", "mixed", "unseen"]


def test_hold_out_keeps_golds_apart():
    train = [question(str(i), f"g{i % 37}", f"g{(i * 7) % 37}") for i in range(300)]
    keep, seen, unseen = data.hold_out(train)
    known = {g for q in keep for g in q["pos"]}
    assert keep and seen and unseen
    assert all(not known & set(q["pos"]) for q in unseen) and all(known >= set(q["pos"]) for q in seen)
    assert not {q["id"] for q in keep} & {q["id"] for q in seen + unseen}
    assert [q["id"] for q in data.hold_out(train)[0]] == [q["id"] for q in keep]


def test_derived_pairs(articles):
    pairs = derive.all_pairs(articles)
    assert [p["pos"] for p in pairs if p["kind"] == "definition"] == [["law:4"]]
    assert "示例" in next(p["query"] for p in pairs if p["kind"] == "definition")


def test_breaches_point_at_the_duty():
    make = lambda n, text: data.Article(f"L:{n}", "示例法", "", text, 1, n, 0, ("第一章 从业",))
    pairs = list(derive.breaches([make(1, "不得擅自出租。"), make(2, "违反本法第一条第二款规定，把房屋出租给他人使用的，处罚款。")]))
    assert pairs == [{"query": "把房屋出租给他人使用", "pos": ["L:1"], "kind": "citation"}]
    heads = list(derive.headings([make(1, "x"), make(2, "y")]))
    assert heads == [{"query": "示例法 从业", "pos": ["L:1", "L:2"], "kind": "heading"}]
