"""Finds a braced temporary or a capturing lambda in the full expression of a co_await.

g++ 12 destroys such a temporary twice. The rule "name it, then move it" keeps the code right under
every compiler, and easier to read. Works on text from cxx.strip_literals; it knows statements and
brackets, not types, so it also refuses a braced initialiser that would be harmless.
"""

import re

from lint import cxx

_AWAIT = re.compile(r"\bco_await\b")
_OPERATOR = re.compile(r"\boperator\s*$")
_CONTROL = re.compile(r"\b(?:if\s+constexpr|if|for|while|switch|catch)\s*$")
_BLOCK_OPENER = re.compile(
    r"(?:^|[;{}]|(?<!:):|\b(?:else|do|try)"
    r"|\b(?:class|struct|union|enum|namespace|requires)\b[^;{}()=]*)\s*$"
)
_FUNCTION_HEAD = re.compile(
    r"\)\s*(?:(?:const|noexcept|override|final)\s*)*(?:->[\w:<>,\s&*]+)?$"
)
_INDEXED = re.compile(r"[\w)\]]\s*$")
_BEFORE_LAMBDA = re.compile(r"\b(?:return|co_return|co_await|co_yield|throw)\s*$")
_LAMBDA_HEAD = re.compile(r"[\w:<>,\s&*\-.]*")


class _Source:
    """One file's blanked text, its brackets and the bodies of its lambdas."""

    def __init__(self, bare):
        self.bare = bare
        self.pairs = cxx.brackets(bare)
        self.lambdas = {}
        for match in re.finditer(r"\[", bare):
            if self._introduces_lambda(match.start()):
                self.lambdas[match.start()] = self._body(match.start())
        self.bodies = set(self.lambdas.values())

    def _before(self, at):
        return self.bare[max(0, at - 300) : at]

    def _introduces_lambda(self, at):
        if at not in self.pairs or "[" in (self.bare[at + 1], self.bare[at - 1]):
            return False
        before = self._before(at)
        return bool(_BEFORE_LAMBDA.search(before)) or not _INDEXED.search(before)

    def _body(self, introducer):
        """The '{' of a lambda's body, or -1."""
        at = self.pairs[introducer] + 1
        while True:
            at = _LAMBDA_HEAD.match(self.bare, at).end()
            if self.bare[at : at + 1] == "{":
                return at
            if self.bare[at : at + 1] != "(" or at not in self.pairs:
                return -1
            at = self.pairs[at] + 1

    def _opens_statements(self, at):
        """Does this '{' open statements, and not an initialiser?"""
        before = self._before(at)
        return (
            at in self.bodies
            or bool(_BLOCK_OPENER.search(before))
            or bool(_FUNCTION_HEAD.search(before))
        )

    def _is_control(self, at):
        return self.bare[at] == "(" and bool(_CONTROL.search(self._before(at)))

    def start_of(self, at):
        """Where the full expression around this offset begins."""
        while at > 0:
            at -= 1
            char = self.bare[at]
            if char == ";":
                return at + 1
            if char in ")]}":
                opened = self.pairs.get(at)
                if opened is None or self._is_control(opened):
                    return at + 1
                if char == "}" and opened not in self.bodies and self._opens_statements(opened):
                    return at + 1
                at = opened
            elif self._is_control(at) or char == "{" and self._opens_statements(at):
                return at + 1
        return 0

    def faults(self, start):
        """Walks the full expression from its start; yields (offset, what must be named)."""
        at = start
        while at < len(self.bare):
            char = self.bare[at]
            if char == ";" or char in ")]}" and self.pairs.get(at, -1) < start:
                return
            if at in self.lambdas:
                if self.bare[at + 1 : self.pairs[at]].strip():
                    yield at, "a capturing lambda"
                at = self.pairs[at]
            elif char == "{":
                if at not in self.pairs or at not in self.bodies and self._opens_statements(at):
                    return
                if at in self.bodies:
                    at = self.pairs[at]
                else:
                    yield at, "a braced temporary"
            at += 1

    def all_faults(self):
        for match in _AWAIT.finditer(self.bare):
            if not _OPERATOR.search(self._before(match.start())):
                yield from self.faults(self.start_of(match.start()))


def faults(bare):
    """Yields (offset, what stands there), each place once, in the order of the text."""
    yield from sorted(set(_Source(bare).all_faults()))
