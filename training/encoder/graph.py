"""The encoder's graph, written node by node: BERT as bge-small-zh-v1.5 has it, made for sentence vectors on CPUs.

Differences from the exported graph, all exact but for the rounding to 8 bits and GELU by tanh:

* One input, `input_ids` (batch, tokens), all texts of a batch equally long: no mask, no token types.
* One output, `sentence_embedding` (batch, 512), the unit vector of the first token ([CLS]).
* The last layer is computed for the first token alone. Its attention needs no key and no value of the others:
  q.(K x) = (K'q).x and sum p (V x) = V (sum p x), so what is left a token is two inner products a head.
* Fused operators of ONNX Runtime (MultiHeadAttention, SkipLayerNormalization, FastGelu, MatMulIntegerToFloat).
* Activations are quantised with fixed scales, so that a text's vector doesn't depend on its neighbours in a batch.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, DIM, HEAD = 4, 8, 512, 64
EPSILON = 1e-12
MICROSOFT = "com.microsoft"


def read_weights(path):
    """The float weights of the exported model by their PyTorch names, matrices as (in, out)."""
    model = onnx.load(path)
    tensors = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    weights = {k: v for k, v in tensors.items() if not k.startswith("onnx::")}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in tensors:
            name = node.name.strip("/").replace("/", ".").removesuffix(".MatMul")
            weights[name + ".weight"] = tensors[node.input[1]]
    return weights


def by_column(w, most):
    """w as int8 in [-most, most] with a scale for each column."""
    scale = np.maximum(np.abs(w).max(axis=-2) / most, 1e-12).astype(np.float32)
    return np.rint(w / np.expand_dims(scale, -2)).astype(np.int8), scale


class Graph:
    """Collects nodes and initializers; op() returns the name of a node's output."""

    def __init__(self):
        self.nodes, self.tensors = [], []

    def const(self, name, value):
        self.tensors.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def op(self, kind, *inputs, domain="", output=None, **attributes):
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def save(self, output, path, taps=()):
        f32, outputs = TensorProto.FLOAT, []
        outputs.append(helper.make_tensor_value_info(output, f32, ["batch", DIM]))
        outputs += [helper.make_tensor_value_info(t, f32, None) for t in taps]
        inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])]
        graph = helper.make_graph(self.nodes, "bge-small-zh-v1.5", inputs, outputs, self.tensors)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="lexagent"), path)


class Builder:
    """Builds the graph in floats (calibration None) or in 8 bits.

    calibration: for each quantised input its divisor a channel and its (low, high) after the division.
    After save(), taps names the tensor behind each quantised input of the float graph.
    """

    # Seven bits, not eight: on x86 without VNNI a pair of products is added in 16 bits, and 255 * 127 * 2 would
    # saturate there without a word.
    MOST = 63

    def __init__(self, weights, max_tokens, calibration=None):
        self.w, self.g, self.cal, self.taps = weights, Graph(), calibration, {}
        self.max_tokens = max_tokens

    def layer(self, i, name):
        base = f"encoder.layer.{i}.{name}"
        return self.w[base + ".weight"], self.w[base + ".bias"]

    def norm(self, name):
        w = self.w
        return self.g.const(name + ".gamma", w[name + ".LayerNorm.weight"]), self.g.const(name + ".beta", w[name + ".LayerNorm.bias"])

    def stored(self, name, w):
        """A matrix that is kept in 8 bits and used in floats: ONNX Runtime widens it once, when it loads."""
        if self.cal is None:
            return self.g.const(name, w)
        q, scale = by_column(w, 127)
        wide = self.g.op("Cast", self.g.const(name + ".int8", q), to=TensorProto.FLOAT)
        return self.g.op("Mul", wide, self.g.const(name + ".scale", np.expand_dims(scale, -2)))

    def quantised(self, key, x, divide=True):
        """The input `key` in 8 bits; as it is in the float graph."""
        if self.cal is None:
            self.taps[key] = x
            return x
        divisor, low, high = self.cal[key]
        if divide:
            x = self.g.op("Mul", x, self.g.const(key + ".smooth", (1 / divisor).astype(np.float32)))
        low, high = min(low, 0.0), max(high, 0.0)
        scale = np.float32((high - low) / 255)
        self.g.const(key + ".scale", scale)
        self.g.const(key + ".zero", np.uint8(np.clip(round(-low / scale), 0, 255)))
        return self.g.op("QuantizeLinear", x, key + ".scale", key + ".zero")

    def linear(self, name, key, x, w, b):
        """x w + b for the quantised input `key`."""
        bias = self.g.const(name + ".bias", b.astype(np.float32))
        if self.cal is None:
            return self.g.op("Add", self.g.op("MatMul", x, self.g.const(name, w)), bias)
        q, scale = by_column(w * self.cal[key][0][:, None], self.MOST)
        q, scale = self.g.const(name + ".int8", q), self.g.const(name + ".scale", scale)
        return self.g.op("MatMulIntegerToFloat", x, q, key + ".scale", scale, key + ".zero", "", bias, domain=MICROSOFT)

    def embed(self):
        g, words = self.g, self.w["embeddings.word_embeddings.weight"]
        if self.cal is None:
            x = g.op("Gather", g.const("words", words), "input_ids")
        else:  # a scale for each word: a word's row is small beside the largest
            q, scale = by_column(words.T, 127)
            x = g.op("Cast", g.op("Gather", g.const("words.int8", q.T), "input_ids"), to=TensorProto.FLOAT)
            x = g.op("Mul", x, g.op("Gather", g.const("words.scale", scale[:, None]), "input_ids"))
        place = self.w["embeddings.position_embeddings.weight"] + self.w["embeddings.token_type_embeddings.weight"][0]
        g.const("places", place[None, : self.max_tokens].astype(np.float32))
        length = g.op("Shape", "input_ids", start=1, end=2)
        places = g.op("Slice", "places", g.const("at0", np.array([0])), length, g.const("axis1", np.array([1])))
        return g.op("LayerNormalization", g.op("Add", x, places), *self.norm("embeddings"), axis=-1, epsilon=EPSILON)

    def full_layer(self, i, x):
        g, key, name = self.g, f"l{i}", f"encoder.layer.{i}."
        (wq, bq), (wk, bk), (wv, bv) = (self.layer(i, "attention.self." + n) for n in ("query", "key", "value"))
        if self.cal is not None:  # the divisor of attention's output goes into the values, where it costs nothing
            wv, bv = wv / self.cal[key + ".context"][0], bv / self.cal[key + ".context"][0]
        inp = self.quantised(key + ".in", x)
        heads = [self.linear(f"{key}.{n}", key + ".in", inp, w, b) for n, w, b in (("q", wq, bq), ("k", wk, bk), ("v", wv, bv))]
        y = g.op("MultiHeadAttention", *heads, num_heads=HEADS, domain=MICROSOFT)
        y = self.quantised(key + ".context", y, divide=False)
        y = self.linear(key + ".o", key + ".context", y, *self.layer(i, "attention.output.dense"))
        x = g.op("SkipLayerNormalization", y, x, *self.norm(name + "attention.output"), epsilon=EPSILON, domain=MICROSOFT)
        y = self.linear(key + ".up", key + ".mid", self.quantised(key + ".mid", x), *self.layer(i, "intermediate.dense"))
        y = self.quantised(key + ".act", g.op("FastGelu", y, domain=MICROSOFT))  # by tanh: off by less than the rounding
        y = self.linear(key + ".down", key + ".act", y, *self.layer(i, "output.dense"))
        return g.op("SkipLayerNormalization", y, x, *self.norm(name + "output"), epsilon=EPSILON, domain=MICROSOFT)

    def dense(self, name, x, w, b):
        y = self.g.op("MatMul", x, self.stored(name, w))
        return self.g.op("Add", y, self.g.const(name + ".bias", b.astype(np.float32)))

    def last_layer(self, x):
        """The last layer for the first token, (batch, 512); see the top of the file."""
        g, i, name = self.g, LAYERS - 1, f"encoder.layer.{LAYERS - 1}."
        (wq, bq), (wk, _), (wv, bv) = (self.layer(i, "attention.self." + n) for n in ("query", "key", "value"))
        wo, bo = self.layer(i, "attention.output.dense")
        first = g.op("Gather", x, g.const("first", np.array(0)), axis=1)
        axis2, root = g.const("axis2", np.array([2])), HEAD**0.5
        q = g.op("Reshape", self.dense("last.q", first, wq / root, bq / root), g.const("heads", np.array([0, HEADS, 1, HEAD])))
        q = g.op("MatMul", q, self.stored("last.k", wk.T.reshape(HEADS, HEAD, DIM)))  # K'q; a key's bias changes nothing
        q = g.op("Squeeze", q, axis2)  # (batch, heads, 512)
        p = g.op("Softmax", g.op("MatMul", q, g.op("Transpose", x, perm=[0, 2, 1])), axis=-1)
        y = g.op("Unsqueeze", g.op("MatMul", p, x), axis2)
        y = g.op("MatMul", y, self.stored("last.v", wv.reshape(DIM, HEADS, HEAD).transpose(1, 0, 2)))
        y = g.op("Reshape", y, g.const("joined", np.array([0, DIM])))
        y = self.dense("last.o", y, wo, bo + bv @ wo)  # the weights sum to 1, so the value's bias passes through
        x = g.op("LayerNormalization", g.op("Add", y, first), *self.norm(name + "attention.output"), axis=-1, epsilon=EPSILON)
        y = g.op("Gelu", self.dense("last.up", x, *self.layer(i, "intermediate.dense")), domain=MICROSOFT)
        y = self.dense("last.down", y, *self.layer(i, "output.dense"))
        return g.op("LayerNormalization", g.op("Add", y, x), *self.norm(name + "output"), axis=-1, epsilon=EPSILON)

    def save(self, path, with_taps=False):
        x = self.embed()
        for i in range(LAYERS - 1):
            x = self.full_layer(i, x)
        x = self.g.op("LpNormalization", self.last_layer(x), axis=-1, p=2, output="sentence_embedding")
        self.g.save(x, path, self.taps.values() if with_taps else ())
