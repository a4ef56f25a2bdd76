"""Writes the golden ids of ../../model/testdata/wordpiece.jsonl with Python's tokenizers; see README.md.

Each line has `text` and `plain`, its ids when special tokens in it are ordinary text. Where they differ: `markup`,
when special tokens are control tokens; `cased`, without lower case and stripping of accents. At some lines: `limit`
and `cut`, the plain ids under a limit.
"""

import json
import pathlib
import random
import sys
from unicodedata import ucd_3_2_0 as OLD

from tokenizers import Tokenizer
from tokenizers.normalizers import BertNormalizer

ROOT = pathlib.Path(__file__).resolve().parents[2]

LAW = """
第一条　为了保护民事主体的合法权益，调整民事关系，制定本示例。
第一千零七十七条 自登记机关收到申请之日起三十日内，任何一方不愿意离婚的，可以撤回申请。
第１３３条之一　在道路上驾驶机动车，有下列情形之一的，处拘役，并处罚金：
（一）追逐竞驶，情节恶劣的；（二）醉酒驾驶机动车的；
《示例管理办法》（2018年修正）第十二条第二款第（三）项
违反本条例第20条规定的，由县级以上人民政府责令改正，处5,000元以上50,000元以下的罚款。
税率为3%～13%，滞纳金按日加收万分之五（0.05%）。
本法自2021年1月1日起施行。1986年4月12日通过的同名办法同时废止。
附件１：《〈示例〉实施细则》……——“特别规定”‘除外’。
GB/T 1.1—2020《标准化工作导则》ISO9001:2015
甲方（以下简称“公司”）与乙方签订《劳动合同》，月工资￥8,000.00元。
最高人民法院法释〔2020〕26号；国务院令第724号
公司拖欠工资怎么办？能不能要求双倍赔偿？
房东不退押金，可以起诉吗???急急急！！！
民法典第1077条规定的“离婚冷静期”是多少天
""".strip().splitlines()

MIXED = """
Hello, World!  The QUICK brown fox_jumps-over 13 lazy dogs.
WTO规则与TRIPS协定(Agreement)的关系
e-mail: someone@example.com, https://example.com/a?b=c&d=%E4%BD%A0
café naïve Ångström Ёлка ÜBER straße ΑΒΓ ΣΟΦΟΣ İstanbul ıI ǅ
cafe\u0301 nai\u0308ve A\u030angstro\u0308m e\u0323\u0302 q\u0307\u0323
한국어 법률 ᄒ\u1161ᆫ 日本国憲法 第九条 ひらがな カタカナ ｶﾀｶﾅ が か\u3099
العربية עִבְרִית हिन्दी ไทย ខ្មែរ ქართული ಕನ್ನಡ
ＡＢＣ１２３！？，．（）［］｛｝～￥＠＃
①②③ ⅠⅡⅢ ㈠㈡ ㊀ ㎡ ㏄ № ™ © ® ° ′ ″ × ÷ ± ≤ ≥ → ★ ■ □ ◆
😀 👨‍👩‍👧‍👦 🇨🇳 👍🏽 ❤️ 法律😀条文 a😀b
豈更車 \uf900\uf901 \U0002f800 𠮷野家 𪜀 𫝀 𫠠 𬺰 〇〡 〆 々 ㄅㄆ
a\u200bb a\u200db a\ufeffb a\u00adb \u202eabc\u202c \u2066x\u2069
a\u0000b a\u0001b a\u0008b a\tb a\nb a\rb a\u000bb a\u000cb a\u001fb a\u007fb a\u0085b a\u00a0b
a\u1680b a\u2000b a\u2003b a\u2028b a\u2029b a\u202fb a\u205fb a\u3000b a\u180eb
\ufffd 法\ufffd律 \ue000 \U000f0000 \U0010ffff \ufdd0 \u0378
[MASK] [SEP] [CLS] [PAD] [UNK] [mask] [ MASK ] [MASK
法律[SEP]条文[MASK]。[CLS]开始[PAD][PAD] [[MASK]] [SEP][SEP]x[UNK]
[MASK][MA[SEP]SK] 中[UNK ]文 ##ing ## # un##able ##法
x²y³ H₂O ½ ﬁ ﬂ ŉ ĳ ﷺ ｱﾞ
$^`~+=<>|\\/'"{}[]()!#%&*,-.:;?@_
""".strip().splitlines()

PARTS = LAW + MIXED + "的 了 是 在 不 第 条 款 项 民 刑 诉 讼 法 1 12 2020 a Z the ing contract WTO 。 ， 、 （ ） 《 》 ： ； \u3000 \t \u00a0 é Ü \u0301 ß 😀 か 한 [SEP] [MASK] \u200b _ - . %".split(" ")


def texts():
    rng = random.Random(20)
    yield from ["", " ", "\u3000\u3000", "\n", "a", "法", "[SEP]", "\u0301", "\u0000", "##", "[", "a" * 99, "a" * 100, "a" * 101]
    yield from ["é" * 100, "e\u0301" * 100, "é" * 101, "법" * 50, "supercalifragilisticexpialidocious" * 2, "internationalization", "1234567890" * 11]
    yield from LAW
    yield from MIXED
    for i in range(400):  # pieces of all of these, joined at random
        parts = [rng.choice(PARTS) for _ in range(rng.randint(2, 6))]
        parts = [p[rng.randint(0, len(p) // 2):][: rng.randint(1, 40)] for p in parts]
        yield rng.choice(["", "", " "]).join(parts)
    # Runes of the scripts in use, within a word. Only those of old: the library's tables are of Unicode 8, Go's are
    # newer, and some 570 marks and signs of rare scripts fall into other classes.
    for start in (*range(0, 0x3200, 128), 0xA000, 0xF900, 0xFB00, 0xFE00, 0xFF00, 0x1D400, 0x20000, 0x2F800):
        runes = [chr(c) for c in range(start, start + 128, 5) if OLD.category(chr(c)) != "Cn" and c != 0x1885]
        if runes:
            yield " ".join(f"a{r}b" for r in runes)


def main():
    tokenizer = Tokenizer.from_file(str(ROOT / "model/pretrained/tokenizer.json"))
    cased = Tokenizer.from_file(str(ROOT / "model/pretrained/tokenizer.json"))
    cased.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=False)
    cased.encode_special_tokens = True
    lines = []
    for i, text in enumerate(texts()):
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = False
        markup = tokenizer.encode(text).ids
        tokenizer.encode_special_tokens = True
        line = {"text": text, "plain": tokenizer.encode(text).ids}
        if markup != line["plain"]:
            line["markup"] = markup
        if (other := cased.encode(text).ids) != line["plain"]:
            line["cased"] = other
        limit = 2 + i % 23
        if i % 3 == 0 and len(line["plain"]) > limit:
            tokenizer.enable_truncation(limit)
            line["limit"], line["cut"] = limit, tokenizer.encode(text).ids
        lines.append(json.dumps(line, separators=(",", ":")))  # ASCII: control characters stay visible
    (ROOT / "model/testdata/wordpiece.jsonl").write_text("\n".join(lines) + "\n")
    print(len(lines), "texts", file=sys.stderr)


if __name__ == "__main__":
    main()
