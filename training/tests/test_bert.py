"""The encoder: weights survive the way to ONNX and back; vectors don't depend on their batch."""

import numpy as np
import pytest
import torch

from encoder.graph import read_weights
from lexpath import bert


def test_weights_come_back_as_they_were(export, weights, tmp_path):
    read = read_weights(export)
    assert read.keys() == weights.keys()
    other = {k: v + 1 for k, v in weights.items()}
    bert.write_onnx(export, other, tmp_path / "out/model.onnx")
    again = read_weights(tmp_path / "out/model.onnx")
    assert all(np.array_equal(again[k], other[k]) for k in other)


def test_write_refuses_other_shapes_and_names(export, weights, tmp_path):
    with pytest.raises(ValueError, match="shape"):
        bert.write_onnx(export, {"embeddings.word_embeddings.weight": np.zeros((2, 2))}, tmp_path / "m.onnx")
    with pytest.raises(ValueError, match="no other"):
        bert.write_onnx(export, {"other": np.zeros(2)}, tmp_path / "m.onnx")


def test_vectors_are_unit_and_independent_of_the_batch(weights):
    model = bert.Bert(weights)
    rows = [np.array([1, 5, 9, 2]), np.array([1, 7, 2]), np.arange(20)]
    together = bert.embed(model, rows)
    alone = np.concatenate([bert.embed(model, [r]) for r in rows])
    assert np.allclose(together, alone, atol=1e-5) and np.allclose(np.linalg.norm(together, axis=1), 1)


def test_last_layer_of_the_first_token_equals_the_whole(weights):
    model = bert.Bert(weights).eval()
    ids, mask = bert.pad([np.array([1, 5, 9, 2]), np.array([1, 7, 2])])
    layer = model.layer
    with torch.no_grad():
        short = model(ids, mask)
        model.layer = lambda name, x, seen, first_only: layer(name, x, seen, False)
        assert torch.allclose(short, model(ids, mask), atol=1e-6)


def test_pad_keeps_the_last_token():
    ids, mask = bert.pad([np.arange(10), np.arange(3)], limit=5)
    assert ids.tolist() == [[0, 1, 2, 3, 9], [0, 1, 2, 0, 0]] and mask.sum().item() == 8


def test_merge(weights):
    other = {k: v + 2 for k, v in weights.items()}
    half = bert.merge(weights, other, 0.5)
    assert all(np.allclose(half[k], weights[k] + 1) for k in weights)
    assert all(np.array_equal(bert.merge(weights, other, 0)[k], weights[k]) for k in weights)
