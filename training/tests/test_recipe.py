"""The paper's recipe: what FlagEmbedding's trainer is told, the merge, and a whole run of a tiny model where it is installed."""

import importlib.util
import json
import subprocess
import sys

import pytest
import torch

from conftest import ROOT
from lexpath import recipe

SHIPPED = ROOT / "lexpath.yaml"


def told(r):
    a = recipe.arguments(r)
    assert a[: len(r.data) + 1] == ["--train_data", *r.data]
    rest = a[len(r.data) + 1:]
    return dict(zip(rest[::2], rest[1::2]))


def test_the_shipped_recipe_is_the_papers():
    r = recipe.read(SHIPPED)
    assert (r.base, r.epochs, r.batch, r.lr, r.merge) == ("BAAI/bge-large-zh-v1.5", 5, 16, 1e-5, 0.5)
    a = told(r)
    assert a["--num_train_epochs"] == "5" and a["--per_device_train_batch_size"] == "16" and float(a["--learning_rate"]) == 1e-5
    assert a["--model_name_or_path"] == "BAAI/bge-large-zh-v1.5" and a["--sentence_pooling_method"] == "cls" and a["--fp16"] == "True"


def test_changes_and_nonsense(tmp_path):
    r = recipe.read(SHIPPED, ["merge=0.3", "data=[a.jsonl, b.jsonl]", "precision=fp32", "lr=1e-4"])
    assert r.merge == 0.3 and r.lr == 1e-4
    assert "--fp16" not in told(r) and "--bf16" not in told(r)
    for change, error in (("epocs=3", "epocs"), ("merge=5", "merge is 5"), ("precision=int8", "precision is int8")):
        with pytest.raises(SystemExit, match=error):
            recipe.read(SHIPPED, [change])
    short = tmp_path / "short.yaml"
    short.write_text("base: x\n")
    with pytest.raises(SystemExit, match="batch"):
        recipe.read(short)


def test_merge():
    base = {"w": torch.tensor([0.0, 2.0]), "ids": torch.arange(2), "half": torch.tensor([1.0]).half()}
    tuned = {"w": torch.tensor([1.0, 4.0]), "ids": torch.arange(2) + 7, "half": torch.tensor([3.0]).half()}
    merged = recipe.merge(base, tuned, 0.5)
    assert merged["w"].tolist() == [0.5, 3.0] and merged["ids"].tolist() == [0, 1]
    assert merged["half"].dtype == torch.float32 and merged["half"].tolist() == [2.0]
    assert torch.equal(recipe.merge(base, tuned, 0)["w"], base["w"]) and torch.equal(recipe.merge(base, tuned, 1)["w"], tuned["w"])
    with pytest.raises(SystemExit, match="more"):
        recipe.merge(base, {**tuned, "more": torch.zeros(1)}, 0.5)


def test_what_is_trained_is_not_trained_again(tmp_path, monkeypatch):
    runs = []
    monkeypatch.setattr(subprocess, "run", lambda command, check: runs.append(command))
    (tmp_path / "run").mkdir()
    at = lambda *changes: recipe.read(SHIPPED, [f"out={tmp_path / 'run'}", *changes])
    recipe.train(at())
    recipe.train(at("merge=0.3"))
    assert len(runs) == 1 and runs[0][:3] == [sys.executable, "-m", recipe.TRAINER]
    with pytest.raises(SystemExit, match="other settings"):
        recipe.train(at("epochs=1"))


@pytest.mark.skipif(importlib.util.find_spec("FlagEmbedding") is None, reason="needs requirements-paper.txt")
def test_a_tiny_model_from_lines_to_the_merge(tmp_path):
    from transformers import AutoModel, BertConfig, BertModel, BertTokenizerFast

    base = tmp_path / "base"
    base.mkdir()
    letters = "罚款多少处一万元以下登记在三十日内申请。？"
    (base / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(letters))]))
    BertTokenizerFast(str(base / "vocab.txt")).save_pretrained(base)
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
                         max_position_embeddings=64)).save_pretrained(base)
    line = {"query": "罚款多少？", "pos": ["处一万元以下罚款。"], "neg": ["登记在三十日内申请。", "申请登记。"],
            "id": "q", "pos_id": ["甲法:1"], "neg_id": ["甲法:2", "甲法:3"]}  # as `lexagent train mine` writes it
    (tmp_path / "mined.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for _ in range(4)))
    out = tmp_path / "run"
    command = [sys.executable, "-m", "lexpath.recipe", str(SHIPPED), f"base={base}", f"data=[{tmp_path / 'mined.jsonl'}]", f"out={out}",
               "epochs=1", "batch=2", "group=4", "query_tokens=32", "passage_tokens=32", "precision=fp32", "lr=1e-2"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=600)
    before, tuned, merged = (AutoModel.from_pretrained(p).state_dict() for p in (base, out / "tuned", out / "merged"))
    moved = [name for name in before if not torch.equal(before[name], tuned[name])]
    assert "encoder.layer.0.attention.self.query.weight" in moved
    for name in moved:
        assert torch.allclose(merged[name], (before[name] + tuned[name]) / 2, atol=1e-6), name
