"""Makes rouge.jsonl and agreement.jsonl: what rouge-chinese, scipy and scikit-learn
say of random token lists and random ratings.

    python3 -m venv venv && venv/bin/pip install rouge-chinese==1.0.3 scipy==1.17.1 scikit-learn==1.9.1
    venv/bin/python make.py
"""

import json
import pathlib
import random
import warnings

from rouge_chinese import Rouge
from scipy.stats import kendalltau, pearsonr, spearmanr
from sklearn.metrics import cohen_kappa_score

SENTENCES = [
    ("申请 登记 应当 在 三十 日 内 提出", "应当 自 事实 发生 之 日 起 三十 日 内 申请 登记"),
    ("可以", "不 可以"),
    ("罚款", "罚款"),
    ("登 记 免 费", "收 费"),
]


def rouge():
    r = random.Random(1)
    cases = [(a.split(), b.split()) for a, b in SENTENCES]
    for _ in range(200):
        alphabet = [chr(0x4E00 + i) for i in range(r.randint(1, 30))]
        cases.append(tuple([r.choice(alphabet) for _ in range(r.randint(1, 40))] for _ in range(2)))
    for a, b in cases:
        f = Rouge(metrics=["rouge-l"]).get_scores(" ".join(a), " ".join(b))[0]["rouge-l"]["f"]
        yield {"answer": a, "reference": b, "f": f}


def agreement():
    r = random.Random(2)
    for n in range(120):
        size = r.randint(2, 40)
        x = [r.randint(1, 5) for _ in range(size)]
        y = [min(5, max(1, v + r.randint(-2, 2))) if n % 3 else r.randint(1, 5) for v in x]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = {
                "pearson": pearsonr(x, y).statistic, "spearman": spearmanr(x, y).statistic,
                "kendall": kendalltau(x, y).statistic,
                "kappa": cohen_kappa_score(x, y, labels=[1, 2, 3, 4, 5], weights="quadratic"),
            }
        # A list without spread has no correlation; here that is 0.
        yield {"x": x, "y": y} | {k: 0.0 if v != v else float(v) for k, v in values.items()}


def main():
    here = pathlib.Path(__file__).parent
    for name, cases in (("rouge", rouge()), ("agreement", agreement())):
        with open(here / f"{name}.jsonl", "w") as f:
            for c in cases:
                f.write(json.dumps(c, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
