"""Makes numerals.txt.gz: what PyPI cn2an 0.5.24 prints for 1 to 9999, one a line.

    python3 -m venv v && v/bin/pip install cn2an==0.5.24
    v/bin/python numerals.py numerals.txt.gz

cn2an reads each numeral back, so the table is checked in both directions.
"""

import gzip
import sys

import cn2an

numbers = range(1, 10000)
table = [cn2an.an2cn(n) for n in numbers]
assert [cn2an.cn2an(s, "smart") for s in table] == list(numbers)
with open(sys.argv[1], "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
    z.write("".join(s + "\n" for s in table).encode())
