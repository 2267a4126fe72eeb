#!/usr/bin/env python3
"""Checks the repository's files against tools/lint/rules.py; prints FILE:LINE: RULE: SENTENCE.

Usage: check_sources.py [ROOT]. Exit status 0: clean, 1: findings, 2: nothing to check.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lint import rules  # noqa: E402

SKIPPED_FOLDERS = {".git", "build", "node_modules", "__pycache__", "weir-data", ".cache"}
TEXT = rules.CODE + (".md", ".yaml", ".yml", ".json", ".html", ".ini", ".toml", ".txt", ".conf")
TEXT_NAMES = {"dev", "run"}


def files_under(root):
    """Relative paths of the text files to check, sorted."""
    found = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in SKIPPED_FOLDERS]
        for name in files:
            if name.endswith(TEXT) or name in TEXT_NAMES:
                found.append(os.path.relpath(os.path.join(folder, name), root))
    return sorted(path.replace(os.sep, "/") for path in found)


def check(path, text):
    """All findings of one file as lines for a person."""
    for rule in rules.RULES:
        for line, sentence in rule(path, text):
            yield f"{path}:{line}: {rule.__name__}: {sentence}"


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(__file__), "..")
    paths = files_under(root)
    if not paths:
        print(f"check_sources: no files under {root}", file=sys.stderr)
        return 2
    findings = 0
    for path in paths:
        try:
            with open(os.path.join(root, path), encoding="utf-8", newline="") as file:
                text = file.read()
        except UnicodeDecodeError:
            print(f"{path}:1: encoding: not UTF-8")
            findings += 1
            continue
        for finding in check(path, text):
            print(finding)
            findings += 1
    print(f"check_sources: {len(paths)} files, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
