"""The paper's own recipe: `python -m lexpath.recipe lexpath.yaml [key=value …]`, with ../requirements-paper.txt.

FlagEmbedding's trainer tunes `base` on mined negatives; then the tuned weights are merged with those of the base. A run that
has been trained is only merged again, so `merge=0.3` tries another share.
"""

import dataclasses
import json
import pathlib
import subprocess
import sys

import torch
import yaml

TRAINER = "FlagEmbedding.finetune.embedder.encoder_only.base"


@dataclasses.dataclass
class Recipe:
    base: str
    data: list
    out: str
    epochs: float
    batch: int
    lr: float
    merge: float
    group: int
    query_tokens: int
    passage_tokens: int
    temperature: float
    warmup: float
    decay: float
    instruction: str
    precision: str
    checkpointing: bool
    seed: int

    def __post_init__(self):
        if self.precision not in ("fp16", "bf16", "fp32"):
            raise SystemExit(f"precision is {self.precision}; it must be fp16, bf16 or fp32")
        if not 0 <= self.merge <= 1:
            raise SystemExit(f"merge is {self.merge}; it must be 0 to 1")

    @property
    def tuned(self):
        return pathlib.Path(self.out) / "tuned"

    @property
    def merged(self):
        return pathlib.Path(self.out) / "merged"


def read(path, changes=()):
    values = yaml.safe_load(pathlib.Path(path).read_text("utf-8"))
    for change in changes:
        name, _, value = change.partition("=")
        values[name] = yaml.safe_load(value)
    names = {f.name for f in dataclasses.fields(Recipe)}
    if wrong := names ^ set(values):
        raise SystemExit(f"keys that are missing or unknown in {path}: {', '.join(sorted(wrong))}")
    values["lr"] = float(values["lr"])  # YAML takes 1e-5 for a text
    return Recipe(**values)


def arguments(r):
    """The command line of FlagEmbedding's trainer."""
    values = {
        "model_name_or_path": r.base, "output_dir": r.tuned, "cache_path": pathlib.Path(r.out) / "cache",
        "num_train_epochs": r.epochs, "per_device_train_batch_size": r.batch, "learning_rate": r.lr, "warmup_ratio": r.warmup,
        "weight_decay": r.decay, "train_group_size": r.group, "query_max_len": r.query_tokens, "passage_max_len": r.passage_tokens,
        "query_instruction_for_retrieval": r.instruction, "temperature": r.temperature, "sentence_pooling_method": "cls",
        "normalize_embeddings": True, "gradient_checkpointing": r.checkpointing, "seed": r.seed,
        "save_strategy": "no", "logging_steps": 10, "report_to": "none",
    }
    if r.precision != "fp32":
        values[r.precision] = True
    return ["--train_data", *r.data, *(x for name, value in values.items() for x in (f"--{name}", str(value)))]


def train(r):
    """Trains unless that has been done. What was trained with other settings is not taken for it."""
    done = pathlib.Path(r.out) / "trained.json"
    settings = {k: v for k, v in dataclasses.asdict(r).items() if k != "merge"}
    if done.exists():
        if json.loads(done.read_text("utf-8")) != settings:
            raise SystemExit(f"{r.out} was trained with other settings: give another `out`")
        return
    subprocess.run([sys.executable, "-m", TRAINER, *arguments(r)], check=True)
    done.write_text(json.dumps(settings, ensure_ascii=False, indent=2) + "\n", "utf-8")


def merge(base, tuned, share):
    """share · tuned + (1 − share) · base of two state dicts, in single precision; what is no weight stays the base's."""
    if base.keys() != tuned.keys():
        raise SystemExit(f"the checkpoints have other weights: {', '.join(sorted(base.keys() ^ tuned.keys())[:5])}")
    mix = lambda b, t: torch.lerp(b.float(), t.float(), share) if b.is_floating_point() else b
    return {name: mix(b, tuned[name]) for name, b in base.items()}


def merge_folders(base, tuned, share, out):
    """Merges two checkpoints as transformers stores them, and puts the tokenizer beside the result."""
    from transformers import AutoModel, AutoTokenizer  # the tests of `merge` do without

    model, other = (AutoModel.from_pretrained(p, torch_dtype=torch.float32) for p in (base, tuned))
    model.load_state_dict(merge(model.state_dict(), other.state_dict(), share))
    model.save_pretrained(out)
    AutoTokenizer.from_pretrained(base).save_pretrained(out)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    r = read(sys.argv[1], sys.argv[2:])
    train(r)
    merge_folders(r.base, r.tuned, r.merge, r.merged)
    print(f"merged {r.merge:g} tuned with {1 - r.merge:g} base: {r.merged}")


if __name__ == "__main__":
    main()
