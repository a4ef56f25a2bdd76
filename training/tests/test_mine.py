"""Struct-Neg against cases worked out by hand."""

import random

import pytest

from lexpath.citations import Graph, number, targets
from lexpath.mine import Miner, Settings, sample_by_hierarchy, target_levels, trainable


def miner(articles, **settings):
    return Miner(articles, Graph(articles), Settings(**settings))


@pytest.mark.parametrize("level, levels", [
    (0, {0, 1}), (1, {0, 1, 2}), (2, {1, 2, 3}), (3, {2, 3, 4}), (4, {3, 4}), (5, {5}), (6, {6}),
])
def test_only_levels_0_to_4_have_neighbours(level, levels):
    assert set(target_levels(level)) == levels and target_levels(level)[0] == level


@pytest.mark.parametrize("M, same, counts", [(10, 0.6, (6, 2, 2)), (10, 0.5, (5, 3, 2)), (4, 1.0, (4, 0, 0)), (4, 0.0, (0, 2, 2))])
def test_shares_of_the_levels(M, same, counts):
    buckets = {n: [f"{n}-{i}" for i in range(20)] for n in range(7)}
    chosen = sample_by_hierarchy(buckets, 2, target_levels(2), M, same, random.Random(0))
    found = [sum(c.startswith(f"{n}-") for c in chosen) for n in (2, 1, 3)]
    assert (found[0], *sorted(found[1:], reverse=True)) == counts


def test_adjacent_levels_take_turns_and_none_is_always_first():
    buckets = {n: [f"{n}-{i}" for i in range(20)] for n in range(7)}
    firsts = {sample_by_hierarchy(buckets, 1, target_levels(1), 4, 0.75, random.Random(i))[3][0] for i in range(20)}
    assert firsts == {"0", "2"}


def test_a_short_bucket_leaves_its_places_to_the_others():
    buckets = {2: ["a"], 1: ["b", "c", "d", "e"], 5: ["never"]}
    chosen = sample_by_hierarchy(buckets, 2, target_levels(2), 4, 0.75, random.Random(0))
    assert len(chosen) == 4 and chosen[0] == "a" and "never" not in chosen


def test_golds_their_wording_and_their_versions_are_never_negatives(articles):
    every = [a.id for a in articles]
    for method in ("structneg", "random", "ann"):
        m = miner(articles, method=method, M=50, K=50)
        question = {"id": "q", "query": "?", "pos": ["new:2", "new:3"]}
        for positive in question["pos"]:
            negatives = m.negatives(question, positive, every)
            assert not {"new:2", "new:3", "old:2", "int:2"} & set(negatives), method
            assert len(negatives) == len(set(negatives))


def test_levels_of_the_negatives(articles):
    m = miner(articles, M=50, K=50, out_edges=False, in_edges=False)
    every = [a.id for a in articles]
    level = {a.id: a.level for a in articles}
    assert {level[n] for n in m.negatives({"id": "q", "pos": ["loc:1"]}, "loc:1", every)} == {2, 4}
    assert m.negatives({"id": "q", "pos": ["int:1"]}, "int:1", every) == ["int:2"]


def test_citation_neighbours_come_beyond_the_budget(articles):
    question = {"id": "q", "pos": ["new:3"]}
    assert set(miner(articles, M=0).negatives(question, "new:3", [])) == {"new:2", "reg:1"}
    assert set(miner(articles, M=0, in_edges=False).negatives(question, "new:3", [])) == set()
    assert set(miner(articles, M=0, in_edges=False).negatives({"id": "q", "pos": ["new:2"]}, "new:2", [])) == {"new:1", "new:3", "new:4"}


def test_only_the_first_k_are_candidates(articles):
    m = miner(articles, method="ann", K=2, M=9)
    assert set(m.negatives({"id": "q", "pos": ["con:1"]}, "con:1", ["con:1", "loc:1", "rule:1", "int:1"])) == {"loc:1"}


def test_equal_seeds_give_equal_negatives_in_any_order(articles):
    every = [a.id for a in articles]
    one, two = (miner(articles, M=2, seed=5) for _ in range(2))
    a, b = {"id": "a", "pos": ["new:1"]}, {"id": "b", "pos": ["rule:1"]}
    first = [one.negatives(q, q["pos"][0], every) for q in (a, b)]
    assert first == [two.negatives(q, q["pos"][0], every) for q in (b, a)][::-1]
    assert any(miner(articles, M=2, seed=s).negatives(a, "new:1", every) != first[0] for s in range(9))


def test_settings_refuse_nonsense():
    for bad in ({"method": "best"}, {"K": 0}, {"M": -1}, {"same_share": 1.5}):
        with pytest.raises(ValueError):
            Settings(**bad)


def test_record_has_flagembeddings_fields(articles):
    r = miner(articles, M=2).record({"id": "q", "query": "谁？", "pos": ["new:1"]}, "new:1", ["new:3", "new:4"])
    assert r["query"] == "谁？" and r["pos"] == ["示例法 第1条 为了示例，制定本法。"]
    assert len(r["neg"]) == len(r["neg_id"]) == 3  # two drawn, one that cites it
    assert trainable([r])[0]["neg"] == [r["neg_id"]]


def test_graph(articles):
    g = Graph(articles)
    assert g.out["new:2"] == {"new:1", "new:3", "new:4"}  # of its own version, ranges spelled out
    assert g.out["reg:1"] == {"new:3"}
    assert g.out["stale:1"] == set() and g.shifted == 1  # written before the law it cites was revised


@pytest.mark.parametrize("text, value", [("三", 3), ("十", 10), ("十二", 12), ("二十", 20), ("一百零五", 105), ("一千二百六十", 1260), ("一百一十", 110)])
def test_numbers(text, value):
    assert number(text) == value


def test_targets():
    assert targets("第三条第二款、第五条至第七条和第八条之一") == [(3, 0), (5, 0), (6, 0), (7, 0), (8, 1)]
    assert targets("第一条至第九百条") == [(1, 0), (900, 0)]  # no range is that long
