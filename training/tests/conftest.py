"""A tiny random encoder in the export's shape, and a few articles written for these tests."""

import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from lexpath.data import Article  # noqa: E402

DIM, WIDE, WORDS, PLACES, LAYERS = 64, 128, 50, 32, 2


def tiny_weights(seed=0):
    rng = np.random.default_rng(seed)
    shapes = {"embeddings.word_embeddings.weight": (WORDS, DIM), "embeddings.position_embeddings.weight": (PLACES, DIM),
              "embeddings.token_type_embeddings.weight": (2, DIM)}
    norms = ["embeddings"]
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        sizes = {n: (DIM, DIM) for n in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")}
        for name, (a, b) in {**sizes, "intermediate.dense": (DIM, WIDE), "output.dense": (WIDE, DIM)}.items():
            shapes[layer + name + ".weight"], shapes[layer + name + ".bias"] = (a, b), (b,)
        norms += [layer + "attention.output", layer + "output"]
    weights = {k: rng.normal(0, 0.1, s).astype(np.float32) for k, s in shapes.items()}
    for n in norms:
        weights[n + ".LayerNorm.weight"], weights[n + ".LayerNorm.bias"] = np.ones(DIM, np.float32), np.zeros(DIM, np.float32)
    return weights


@pytest.fixture
def weights():
    return tiny_weights()


@pytest.fixture
def export(tmp_path, weights):
    """An ONNX file that stores the weights as PyTorch's export does: matrices under onnx:: names, known by their node."""
    import onnx  # not among the paper's requirements, with which test_recipe.py runs
    from onnx import TensorProto, helper, numpy_helper

    nodes, tensors = [], []
    for i, (name, value) in enumerate(weights.items()):
        if name.startswith("encoder") and name.endswith("weight") and value.ndim == 2:
            stored, kind = f"onnx::MatMul_{i}", "MatMul"
            nodes.append(helper.make_node(kind, ["x", stored], [f"y{i}"], name="/" + name.removesuffix(".weight").replace(".", "/") + "/MatMul"))
        else:
            stored = name
        tensors.append(numpy_helper.from_array(value, stored))
    nodes.append(helper.make_node("Identity", ["x"], ["out"]))
    x, out = (helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("x", "out"))
    path = tmp_path / "tiny.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "tiny", [x], [out], tensors)), path)
    return path


@pytest.fixture
def articles():
    make = lambda i, title, n, text, level: Article(i, title, f"第{n}条", text, level, n)
    return [
        make("law:1", "示例法", 1, "为了示例，制定本法。", 1),
        make("law:2", "示例法", 2, "依照本法第一条、第三条至第四条办理。", 1),
        make("law:4", "示例法", 4, "本法所称示例，是指写给人看的例子。", 1),
        make("reg:1", "示例条例", 1, "依照《中华人民共和国示例法》第三条制定本条例。", 2),
    ]
