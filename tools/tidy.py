#!/usr/bin/env python3
"""Runs clang-tidy-19 on src/, several files at once; remembers files that were clean.

Usage: tidy.py [BUILD], BUILD holding compile_commands.json (build/release). LINT_BASE=REVISION in
the environment: only files changed since, and those that include a changed header. What was clean
is remembered by a hash of the preprocessed text under the user's cache folder.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
TIDY = "clang-tidy-19"
CACHE = os.path.join(
    os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "weir", "tidy"
)


def output_of(command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def compiler_command(entry):
    """The entry's command without its output and its launcher."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    at = words.index("-o")
    return words[:at] + words[at + 2 :]


def entries(build):
    """The compile commands of src/, one per file."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        found = {entry["file"]: entry for entry in json.load(file)}
    prefix = os.path.join(ROOT, "src") + os.sep
    return [found[name] for name in sorted(found) if name.startswith(prefix)]


def changed_since(base):
    names = output_of(["git", "diff", "--name-only", base, "--", "src"], cwd=ROOT, text=True)
    return {os.path.join(ROOT, name) for name in names.split()}


def touches(entry, changed):
    """Is the file of this entry, or a header it includes, among the changed ones?"""
    if not changed:
        return False
    command = [word for word in compiler_command(entry) if word != "-c"] + ["-MM"]
    listed = output_of(command, cwd=entry["directory"], text=True)
    files = listed.replace("\\\n", " ").split()
    return any(os.path.realpath(os.path.join(entry["directory"], f)) in changed for f in files)


def key_of(entry, salt):
    command = [word for word in compiler_command(entry) if word != "-c"] + ["-E", "-P"]
    text = output_of(command, cwd=entry["directory"])
    with open(entry["file"], "rb") as file:
        text += file.read()  # its comments too: NOLINT counts
    return hashlib.sha256(salt + entry["file"].encode()[len(ROOT) :] + text).hexdigest()


def tidy(entry, build, salt):
    """What clang-tidy says of one file; empty when it is clean."""
    try:
        marker = os.path.join(CACHE, key_of(entry, salt))
    except subprocess.CalledProcessError as error:
        return error.stderr.decode(errors="replace")
    if os.path.exists(marker):
        return ""
    command = [TIDY, "--quiet", "--warnings-as-errors=*", "-p", build, entry["file"]]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        os.makedirs(CACHE, exist_ok=True)
        with open(marker, "w", encoding="utf-8"):
            pass
        return ""
    return done.stdout + re.sub(r"(?m)^(?:\d+ warnings? |Suppressed |Use -).*\n", "", done.stderr)


def main(arguments):
    build = os.path.abspath(arguments[0] if arguments else os.path.join(ROOT, "build", "release"))
    todo = entries(build)
    base = os.environ.get("LINT_BASE")
    workers = int(os.environ.get("JOBS") or os.cpu_count() or 1)
    with open(os.path.join(ROOT, ".clang-tidy"), "rb") as file:
        salt = file.read() + output_of([TIDY, "--version"])
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        if base:
            changed = changed_since(base)
            wanted = pool.map(lambda entry: touches(entry, changed), todo)
            todo = [entry for entry, touched in zip(todo, wanted) if touched]
        dirty = 0
        for said in pool.map(lambda entry: tidy(entry, build, salt), todo):
            if said:
                dirty += 1
                print(said.strip(), flush=True)
    print(f"tidy: {len(todo)} files, {dirty} with findings")
    return 1 if dirty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
