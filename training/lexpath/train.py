"""Trains the encoder as a YAML file says: `python -m lexpath.train RUN.yaml [key=value …]`; ../README.md explains the keys.

A batch takes `mix` pairs from each source. Up to three terms are added:

exact    cross-entropy over *all* fixed passage vectors (the query side alone learns)
contrast cross-entropy over the batch's own passages: positives and mined negatives (both sides learn, or the query side
         alone with fixed_passages)
anchor   1 − cos between the vectors of random passages and the fixed ones (passages stay where they are)

Every epoch ends with measures of the query side and a checkpoint from which the run goes on if it is started again.
"""

import dataclasses
import json
import math
import pathlib
import random
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
import yaml

from encoder.graph import read_weights
from lexpath import bert, data, measures, vectors


@dataclasses.dataclass
class Run:
    out: str = ""  # folder of the run
    base: str = ""  # float ONNX export to start from
    start: str = ""  # weights.npz to start from instead; the merge base stays `base`
    tokenizer: str = ""
    data: str = ""  # the data folder
    stard_vectors: str = ""  # fixed vectors of STARD's articles
    legal_dc_vectors: str = ""  # and of Legal-DC's
    sources: dict = dataclasses.field(default_factory=dict)  # name: file of pairs; the first one's length is an epoch
    mix: dict = dataclasses.field(default_factory=dict)  # name: pairs a batch
    prefix: str = ""  # put before each query
    holdout: int = -1  # fold of golds held out; −1: train on all
    part: int = -1  # fold of questions held out, of 5, so that their scores are out of fold; −1: train on all
    epochs: float = 4
    lr: float = 3e-5
    warmup: float = 0.1
    decay: float = 0.01
    dropout: float = 0.1
    exact: float = 1.0
    contrast: float = 0.0
    anchor: float = 0.0
    tau: float = 0.02
    prior: float = 0.0  # logit added in training to an article with n questions: prior · log(1 + n / rate)
    negatives: int = 2  # of the mined ones, a pair and step
    fixed_passages: bool = False  # contrast against the fixed vectors: the query side alone learns
    anchors: int = 8  # passages a step for the anchor
    passage_tokens: int = 160
    words_frozen: bool = True
    seed: int = 3
    threads: int = 2
    stop_after: int = 0  # steps, for trials
    report_every: int = 1  # epochs between measures; the last step is always measured


def read_run(path, changes):
    values = yaml.safe_load(pathlib.Path(path).read_text("utf-8"))
    for change in changes:
        name, _, value = change.partition("=")
        values[name] = yaml.safe_load(value)
    unknown = set(values) - {f.name for f in dataclasses.fields(Run)}
    if unknown:
        raise SystemExit(f"unknown keys in {path}: {', '.join(sorted(unknown))}")
    run = Run(**values)
    run.lr = float(run.lr)
    return run


class Pool:
    """All passages with tokens and fixed vectors; articles of equal wording share a class."""

    def __init__(self, run, tokenizer):
        self.articles = vectors.pool(run.data, "stard")
        self.stard = len(self.articles)
        fixed = [np.load(run.stard_vectors)]
        if run.legal_dc_vectors:
            self.articles += vectors.pool(run.data, "legal_dc")
            fixed.append(np.load(run.legal_dc_vectors))
        self.fixed = np.concatenate(fixed)
        if len(self.fixed) != len(self.articles):
            raise SystemExit(f"{len(self.fixed)} vectors for {len(self.articles)} articles")
        self.place = {a.id: i for i, a in enumerate(self.articles)}
        classes = {}
        for i, a in enumerate(self.articles):
            classes.setdefault(a.same_text, []).append(i)
        self.same = {i: c for c in classes.values() if len(c) > 1 for i in c}
        self.tokenizer, self.cache = tokenizer, {}

    def tokens(self, places):
        new = [i for i in dict.fromkeys(places) if i not in self.cache]
        if new:
            self.cache.update(zip(new, vectors.tokens(self.tokenizer, [self.articles[i].passage for i in new])))
        return [self.cache[i] for i in places]

    def equals(self, places):
        return {j for i in places for j in self.same.get(i, (i,))}


def load_pairs(run, pool, tokenizer, held):
    """Pairs of each source with tokens of the queries; held-out questions never come in, from whatever source."""
    result = {}
    for name, path in run.sources.items():
        pairs = [p for p in data.rows(path) if p["id"] not in held and all(g in pool.place for g in p["pos"])]
        for p, row in zip(pairs, vectors.tokens(tokenizer, [run.prefix + p["query"] for p in pairs])):
            p["row"], p["at"] = row, [pool.place[g] for g in p["pos"]]
            p["also_at"] = pool.equals(p["at"]) | {pool.place[g] for g in p.get("also", ()) if g in pool.place}
            p["neg_at"] = [[pool.place[n] for n in neg if n in pool.place] for neg in p.get("neg", ())]
        result[name] = pairs
    return result


class Evaluation:
    """Question sets measured against the fixed vectors."""

    def __init__(self, run, pool, tokenizer, sets):
        self.pool, self.sets = pool, {}
        for name, (questions, parts, wide) in sets.items():
            rows = vectors.tokens(tokenizer, [run.prefix + q["query"] for q in questions])
            self.sets[name] = (rows, questions, parts, wide)
        self.ids = [a.id for a in pool.articles]

    def __call__(self, model):
        result = {}
        for name, (rows, questions, parts, wide) in self.sets.items():
            passages, ids = self.pool.fixed, self.ids
            if not wide:
                passages, ids = passages[: self.pool.stard], ids[: self.pool.stard]
            else:
                passages, ids = passages[self.pool.stard:], ids[self.pool.stard:]
            with torch.autocast("cpu", torch.bfloat16):
                queries = bert.embed(model, rows)
            result[name] = measures.search(queries, passages, ids, questions, parts)
        return result


def question_sets(run):
    """What is measured, and the ids held out of training."""
    train, dev = data.stard(run.data, "train"), data.stard(run.data, "dev")
    sets, held = {}, {q["id"] for q in dev}
    kept = train
    if run.holdout >= 0:
        kept, seen, unseen = data.hold_out(train, run.holdout)
        sets["cv"] = (seen + unseen, ["seen"] * len(seen) + ["unseen"] * len(unseen), False)
        held |= {q["id"] for q in train} - {q["id"] for q in kept}
    if run.part >= 0:
        out = [q for q in train if data.part_of(q["id"]) == run.part]
        kept = [q for q in kept if data.part_of(q["id"]) != run.part]
        sets["part"] = (out, data.seen_part(out, kept), False)
        held |= {q["id"] for q in out}
    sets["dev"] = (dev, data.seen_part(dev, kept), False)
    if run.legal_dc_vectors:
        sets["legal_dc"] = (data.legal_dc(run.data)[1]["dev"], None, True)
    lexrag = [{"pos": g["article_ids"][:1], **g} for g in lexrag_turns(run.data)]
    sets["lexrag"] = (lexrag, None, False)
    return sets, held


def lexrag_turns(folder):
    """Turns of the LexRAG sample that have golds; a query is all that the user has said so far."""
    folder = pathlib.Path(folder) / "lexrag"
    asked = {(c["id"], n): " ".join(t["user"] for t in c["conversation"][:n])
             for c in json.loads((folder / "sample.json").read_text("utf-8")) for n in range(1, 1 + len(c["conversation"]))}
    golds = {}
    for g in data.rows(folder / "sample_gold.jsonl"):
        golds.setdefault((g["id"], g["turn"]), []).append(g["article_ids"][0])
    return [{"id": f"{i}_{n}", "query": asked[i, n], "article_ids": ids, "pos": ids} for (i, n), ids in golds.items()]


class Trainer:
    def __init__(self, run):
        self.run, self.out = run, pathlib.Path(run.out)
        self.out.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(run.threads)
        torch.manual_seed(run.seed)
        tokenizer = vectors.open_tokenizer(run.tokenizer)
        self.pool = Pool(run, tokenizer)
        sets, held = question_sets(run)
        self.evaluate = Evaluation(run, self.pool, tokenizer, sets)
        self.pairs = load_pairs(run, self.pool, tokenizer, held)
        weights = dict(np.load(run.start)) if run.start else read_weights(run.base)
        self.model = bert.Bert(weights, dropout=run.dropout)
        if run.words_frozen:
            for name in self.model.names:
                if name.startswith("embeddings."):
                    self.model.w(name).requires_grad_(False)
        self.fixed = torch.tensor(self.pool.fixed).bfloat16()
        self.prior = self.make_prior()
        main = next(iter(run.mix))
        self.epoch_steps = len(self.pairs[main]) // run.mix[main]
        self.steps = int(self.epoch_steps * run.epochs)
        used = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(used, lr=run.lr, weight_decay=run.decay)
        self.step, self.began = 0, time.time()

    def make_prior(self):
        if not self.run.prior:
            return None
        counts = torch.zeros(len(self.pool.articles))
        for pairs in self.pairs.values():
            for p in pairs:
                counts[p["at"]] += 1
        return self.run.prior * torch.log1p(counts / (counts.sum() / len(counts)))

    def log(self, text):
        line = f"{time.strftime('%H:%M:%S')} {text}"
        print(line, flush=True)
        with open(self.out / "log.txt", "a", encoding="utf-8") as f:
            f.write(line + "\n")

    def batch(self, step):
        """The pairs of a step: the same for every start of the run."""
        result = []
        for name, n in self.run.mix.items():
            pairs = self.pairs[name]
            for i in range(step * n, step * n + n):
                epoch, at = divmod(i, len(pairs))
                order = self.order(name, epoch, len(pairs))
                result.append(pairs[order[at]])
        return result

    def order(self, name, epoch, n):
        known = self.__dict__.setdefault("orders", {})
        if (name, epoch) not in known:
            known[name, epoch] = random.Random(f"{self.run.seed}:{name}:{epoch}").sample(range(n), n)
        return known[name, epoch]

    def loss(self, step):
        run, pairs = self.run, self.batch(step)
        rng = random.Random(f"{run.seed}:step:{step}")
        q = self.queries([p["row"] for p in pairs])
        terms = {}
        if run.exact:
            terms["exact"] = self.exact(q, pairs)
        if run.contrast:
            terms["contrast"] = self.contrast(q, pairs, rng)
        if run.anchor:
            places = [rng.randrange(len(self.pool.articles)) for _ in range(run.anchors)]
            y = self.model(*bert.pad(self.pool.tokens(places), run.passage_tokens))
            terms["anchor"] = (1 - (y * self.fixed[places].float()).sum(-1)).mean()
        weights = {"exact": run.exact, "contrast": run.contrast, "anchor": run.anchor}
        return sum(weights[k] * v for k, v in terms.items()), {k: v.item() for k, v in terms.items()}

    def queries(self, rows):
        """Vectors of queries. Short and long ones (questions, answers) go separately, since padding is computed too."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        half = 3 * len(order) // 4
        parts = [self.model(*bert.pad([rows[i] for i in part])) for part in (order[:half], order[half:]) if part]
        return torch.cat(parts)[sorted(range(len(order)), key=order.__getitem__)]

    def exact(self, q, pairs):
        logits = (q.bfloat16() @ self.fixed.T).float() / self.run.tau
        if self.prior is not None:
            logits = logits + self.prior
        return cross_entropy(logits, [p["at"] for p in pairs], [p["also_at"] for p in pairs])

    def contrast(self, q, pairs, rng):
        """One gold of each pair and its mined negatives; every passage of the batch stands against every query."""
        places = []
        for p in pairs:
            k = rng.randrange(len(p["at"]))
            negatives = p["neg_at"][k] if p["neg_at"] else []
            places += [p["at"][k], *rng.sample(negatives, min(self.run.negatives, len(negatives)))]
        places = list(dict.fromkeys(places))
        if self.run.fixed_passages:
            y = self.fixed[places].float()
        else:
            y = self.model(*bert.pad(self.pool.tokens(places), self.run.passage_tokens))
        column = {place: i for i, place in enumerate(places)}
        golds = [[column[a] for a in p["at"] if a in column] for p in pairs]
        also = [[column[a] for a in p["also_at"] if a in column] for p in pairs]
        return cross_entropy(q @ y.T / self.run.tau, golds, also)

    def train(self):
        run = self.run
        self.resume()
        if self.step == 0:
            sizes = ", ".join(f"{k} {len(v)}" for k, v in self.pairs.items())
            self.log(f"run {json.dumps(dataclasses.asdict(run), ensure_ascii=False)}")
            self.log(f"pairs: {sizes}; {self.steps} steps of {sum(run.mix.values())} pairs")
        self.model.train()
        sums = {}
        while self.step < self.steps and not (run.stop_after and self.step >= run.stop_after):
            rate = min(1.0, (self.step + 1) / max(1, run.warmup * self.steps), (self.steps - self.step) / max(1, (1 - run.warmup) * self.steps))
            for group in self.optimizer.param_groups:
                group["lr"] = run.lr * rate
            with torch.autocast("cpu", torch.bfloat16):
                loss, terms = self.loss(self.step)
            if not math.isfinite(loss.item()):
                raise SystemExit(f"loss {loss.item()} at step {self.step}")
            self.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.step += 1
            for k, v in terms.items():
                sums[k] = sums.get(k, 0.0) + v
            if self.step % self.epoch_steps == 0 or self.step == self.steps:
                n = (self.step - 1) % self.epoch_steps + 1
                self.log(f"step {self.step}: " + " ".join(f"{k} {v / n:.4f}" for k, v in sums.items()) + f", {time.time() - self.began:.0f} s")
                sums = {}
                self.save()
                if self.step == self.steps or self.step // self.epoch_steps % run.report_every == 0:
                    self.report(f"step {self.step}")
        np.savez(self.out / "weights.npz", **self.model.weights())

    def report(self, name):
        result = self.evaluate(self.model)
        for part, values in result.items():
            self.log(measures.line(part, values))
        data.write_rows(self.out / f"{name.replace(' ', '_')}.json", [result])

    def save(self):
        state = {"step": self.step, "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "torch": torch.get_rng_state()}
        torch.save(state, self.out / "checkpoint.new")
        (self.out / "checkpoint.new").replace(self.out / "checkpoint.pt")

    def resume(self):
        if (self.out / "checkpoint.pt").exists():
            state = torch.load(self.out / "checkpoint.pt", weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            torch.set_rng_state(state["torch"])
            self.step = state["step"]
            self.log(f"goes on at step {self.step}")


def cross_entropy(logits, golds, also):
    """Mean over golds of −log softmax, each gold against everything but the other golds and articles of their wording."""
    losses = []
    for row, g, a in zip(logits, golds, also):
        out = torch.zeros(len(row), dtype=torch.bool)
        out[list(set(a) | set(g))] = True
        rest = torch.logsumexp(row.masked_fill(out, float("-inf")), 0)
        losses.append((torch.logaddexp(rest, row[g]) - row[g]).mean())
    return torch.stack(losses).mean()


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    Trainer(read_run(sys.argv[1], sys.argv[2:])).train()


if __name__ == "__main__":
    main()
