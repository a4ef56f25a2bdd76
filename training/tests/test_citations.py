"""Numbers and references as texts print them."""

import pytest

from lexpath.citations import MENTION, number, plain, targets


@pytest.mark.parametrize("text, value", [("三", 3), ("十", 10), ("十二", 12), ("二十", 20), ("一百零五", 105), ("一千二百六十", 1260), ("一百一十", 110)])
def test_numbers(text, value):
    assert number(text) == value


def test_targets():
    assert targets("第三条第二款、第五条至第七条和第八条之一") == [(3, 0), (5, 0), (6, 0), (7, 0), (8, 1)]
    assert targets("第一条至第九百条") == [(1, 0), (900, 0)]  # no range is that long


def test_mentions():
    found = [(m["title"] and plain(m["title"]), m["own"], targets(m["list"])) for m in MENTION.finditer(
        "依照本法第一条、第三条至第四条和《中华人民共和国示例法（2020年修正）》第二条第一款办理，第五条除外。")]
    assert found == [(None, "本法", [(1, 0), (3, 0), (4, 0)]), ("示例法", None, [(2, 0)])]
