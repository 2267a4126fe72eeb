"""C++ text reduced to what the rules look at: no parser, only comments, literals and brackets."""

import re

_LITERAL = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*.*?\*/)
      | (?P<raw>(?:u8|[uUL])?R"(?P<delim>[^()\\\s]{0,16})\(.*?\)(?P=delim)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">\n]+)[">]', re.MULTILINE)

PAIRS = {"(": ")", "[": "]", "{": "}"}


def _blank(text):
    return "".join(c if c == "\n" else " " for c in text)


def strip_literals(text):
    """The same text, offsets and lines kept, comments blanked and literals emptied of content."""

    def replace(match):
        found = match.group(0)
        if match.group("line") or match.group("block"):
            return _blank(found)
        if len(found) < 2:
            return found
        return '"' + _blank(found[1:-1]) + '"'

    return _LITERAL.sub(replace, text)


def includes(text):
    """Yields (offset, is_system, path) of each #include; one in a comment does not count."""
    bare = strip_literals(text)
    for match in _INCLUDE.finditer(text):
        if bare[match.start() :].lstrip().startswith("#"):
            yield match.start(), match.group(1) == "<", match.group(2)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def brackets(bare):
    """Maps the offset of each bracket to that of its partner; unmatched ones are left out."""
    pairs = {}
    open_at = []
    for at, char in enumerate(bare):
        if char in PAIRS:
            open_at.append(at)
        elif char in ")]}" and open_at and PAIRS[bare[open_at[-1]]] == char:
            start = open_at.pop()
            pairs[start] = at
            pairs[at] = start
    return pairs
