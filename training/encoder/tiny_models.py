"""Writes the tiny models of ../../model/testdata: what the loader must accept and what it must refuse; see README.md."""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "model/testdata"


def save(name, inputs, kind=TensorProto.INT64):
    """A model whose token vectors are (id, 1, 2) times the mask plus the token type."""
    nodes = [
        helper.make_node("Cast", [inputs[0]], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ids", "last"], ["column"]),
        helper.make_node("Pad", ["column", "pads"], ["wide"]),
        helper.make_node("Add", ["wide", "rest"], ["x0"]),
    ]
    x = "x0"
    for i, extra in enumerate(inputs[1:]):
        nodes.append(helper.make_node("Cast", [extra], [f"f{i}"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Unsqueeze", [f"f{i}", "last"], [f"c{i}"]))
        nodes.append(helper.make_node("Add" if "type" in extra else "Mul", [x, f"c{i}"], [f"x{i + 1}"]))
        x = f"x{i + 1}"
    nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    constants = {"last": np.array([-1]), "pads": np.array([0, 0, 0, 0, 0, 2]), "rest": np.array([0, 1, 2], np.float32)}
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info(i, kind, ["batch", "tokens"]) for i in inputs],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", 3])],
        [numpy_helper.from_array(v, k) for k, v in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), FOLDER / f"{name}.onnx")


save("tokens", ["input_ids", "attention_mask", "token_type_ids"])
save("odd_input", ["input_ids", "images"])
save("no_ids", ["attention_mask"])
save("narrow_ids", ["input_ids"], TensorProto.INT32)
