"""BERT as bge-small-zh-v1.5 has it, read from the exported ONNX model and written back into it.

Weights keep the names of the export. A text's vector is the unit vector of its first token ([CLS]), so the last layer
computes that token alone.
"""

import pathlib

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from torch import nn

from encoder.graph import read_weights

EPSILON = 1e-12
MAX_TOKENS = 256


class Bert(nn.Module):
    """Call with ids (batch, tokens) and mask (batch, tokens; True where a token is); gives (batch, dim) unit vectors."""

    def __init__(self, weights, head=64, dropout=0.0):
        super().__init__()
        self.names = [n for n in sorted(weights) if not n.startswith("pooler")]
        for name in self.names:
            self.register_parameter(key(name), nn.Parameter(torch.tensor(np.array(weights[name], np.float32))))
        self.head, self.dropout = head, dropout
        self.layers = 1 + max(int(n.split(".")[2]) for n in self.names if n.startswith("encoder.layer."))

    def w(self, name):
        return getattr(self, key(name))

    def linear(self, x, name):
        return F.linear(x, self.w(name + ".weight").T, self.w(name + ".bias"))

    def norm(self, x, name):
        name += ".LayerNorm"
        return F.layer_norm(x, x.shape[-1:], self.w(name + ".weight"), self.w(name + ".bias"), EPSILON)

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def forward(self, ids, mask):
        e = "embeddings."
        place = self.w(e + "position_embeddings.weight")[: ids.shape[1]] + self.w(e + "token_type_embeddings.weight")[0]
        x = self.drop(self.norm(F.embedding(ids, self.w(e + "word_embeddings.weight")) + place, "embeddings"))
        seen = mask[:, None, None, :]
        for i in range(self.layers):
            x = self.layer(f"encoder.layer.{i}.", x, seen, first_only=i == self.layers - 1)
        return F.normalize(x[:, 0].float(), dim=-1)

    def layer(self, name, x, seen, first_only):
        out = x[:, :1] if first_only else x
        q, k, v = (
            self.linear(y, f"{name}attention.self.{n}").unflatten(-1, (-1, self.head)).transpose(1, 2)
            for y, n in ((out, "query"), (x, "key"), (x, "value"))
        )
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).flatten(2)
        out = self.norm(out + self.drop(self.linear(y, name + "attention.output.dense")), name + "attention.output")
        y = self.linear(F.gelu(self.linear(out, name + "intermediate.dense")), name + "output.dense")
        return self.norm(out + self.drop(y), name + "output")

    def weights(self):
        return {n: self.w(n).detach().numpy().copy() for n in self.names}


def key(name):
    return name.replace(".", "/")


def merge(base, tuned, share):
    """share · tuned + (1 − share) · base, weight by weight (LexPath § 4.1 merges 5:5)."""
    return {n: (1 - share) * base[n] + share * tuned[n] for n in tuned}


def write_onnx(source, weights, target):
    """Copies the exported model `source` with other weights. Refuses names or shapes that it does not have."""
    model = onnx.load(source)
    matmuls = {n.input[1]: n.name.strip("/").replace("/", ".").removesuffix(".MatMul") + ".weight"
               for n in model.graph.node if n.op_type == "MatMul"}
    left = dict(weights)
    for tensor in model.graph.initializer:
        name = tensor.name if tensor.name in left else matmuls.get(tensor.name)
        if name not in left:
            continue
        value = left.pop(name)
        if tuple(tensor.dims) != value.shape:
            raise ValueError(f"{name}: shape {value.shape}, the exported model has {tuple(tensor.dims)}")
        tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value, dtype=np.float32), tensor.name))
    if left:
        raise ValueError(f"the exported model has no {', '.join(sorted(left))}")
    pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, target)


def load(path, **options):
    return Bert(read_weights(path), **options)


def pad(rows, limit=MAX_TOKENS):
    """Token ids of several texts as one batch: ids and mask. A text over the limit keeps its first tokens and its last ([SEP])."""
    rows = [r if len(r) <= limit else np.concatenate([r[: limit - 1], r[-1:]]) for r in rows]
    width = max(map(len, rows))
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.bool)
    for i, r in enumerate(rows):
        ids[i, : len(r)] = torch.as_tensor(r, dtype=torch.long)
        mask[i, : len(r)] = True
    return ids, mask


@torch.no_grad()
def embed(model, rows, tokens=4096, limit=MAX_TOKENS):
    """Vectors of tokenised texts, in batches of similar length."""
    was, out = model.training, None
    model.eval()
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and (end + 1 - start) * min(limit, len(rows[order[end]])) <= tokens:
            end += 1
        y = model(*pad([rows[i] for i in order[start:end]], limit)).numpy()
        out = np.zeros((len(rows), y.shape[1]), np.float32) if out is None else out
        out[order[start:end]] = y
        start = end
    model.train(was)
    return out
