"""Writes the tiny cross-encoders of ../../model/testdata; see README.md.

`overlap` scores a pair by its tokens: 4 times the share of ids of the second text that the first has too, less 2. It
finds the texts by their token types. `classes` gives two numbers a pair, which the loader must refuse.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "model/testdata"


def save(name, classes):
    nodes = [
        helper.make_node("Unsqueeze", ["input_ids", "last"], ["column"]),  # batch, tokens, 1
        helper.make_node("Unsqueeze", ["input_ids", "middle"], ["line"]),  # batch, 1, tokens
        helper.make_node("Equal", ["column", "line"], ["same"]),
        helper.make_node("Cast", ["same"], ["same_f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["token_type_ids", "attention_mask"], ["second"]),
        helper.make_node("Cast", ["second"], ["second_f"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["attention_mask"], ["mask_f"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["mask_f", "second_f"], ["first_f"]),
        helper.make_node("Unsqueeze", ["first_f", "middle"], ["first_line"]),
        helper.make_node("Mul", ["same_f", "first_line"], ["met"]),
        helper.make_node("ReduceMax", ["met"], ["known"], axes=[2], keepdims=0),  # of each token: does the first text have it
        helper.make_node("Mul", ["known", "second_f"], ["shared"]),
        helper.make_node("ReduceSum", ["shared", "one"], ["hits"], keepdims=1),
        helper.make_node("ReduceSum", ["second_f", "one"], ["all"], keepdims=1),
        helper.make_node("Div", ["hits", "all"], ["share"]),
        helper.make_node("Mul", ["share", "four"], ["scaled"]),
        helper.make_node("Sub", ["scaled", "two"], ["logits"]),
    ]
    if classes > 1:
        nodes[-1].output[0] = "score"
        nodes.append(helper.make_node("Concat", ["score", "share"], ["logits"], axis=1))
    constants = {"last": np.array([-1]), "middle": np.array([1]), "one": np.array([1]), "four": np.array([4], np.float32), "two": np.array([2], np.float32)}
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info(i, TensorProto.INT64, ["batch", "tokens"]) for i in ("input_ids", "attention_mask", "token_type_ids")],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
        [numpy_helper.from_array(v, k) for k, v in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, FOLDER / f"{name}.onnx")


save("overlap", 1)
save("classes", 2)
