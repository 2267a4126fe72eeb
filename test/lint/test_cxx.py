"""Blanking of comments and literals: offsets stay, content goes, includes are found."""

import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))

from lint import cxx  # noqa: E402


class StripLiterals(unittest.TestCase):
    def test_length_and_lines_stay(self):
        text = 'a; // b {\n/* { \n */ c("{\\"{"); auto r = R"x({\n)" )x"; char q = \'{\';\n'
        bare = cxx.strip_literals(text)
        self.assertEqual(len(bare), len(text))
        self.assertEqual(bare.count("\n"), text.count("\n"))
        self.assertNotIn("{", bare)

    def test_digit_separators_are_no_characters(self):
        self.assertEqual(cxx.strip_literals("1'000'000 + x{2}"), "1'000'000 + x{2}")

    def test_a_comment_inside_a_string_is_none(self):
        self.assertIn("after", cxx.strip_literals('f("http://x"); after'))


class Includes(unittest.TestCase):
    def test_both_kinds_are_told_apart(self):
        found = list(cxx.includes('#include <map>\n  #  include "base/time.hpp"\n'))
        self.assertEqual([(system, name) for _, system, name in found],
                         [(True, "map"), (False, "base/time.hpp")])


if __name__ == "__main__":
    unittest.main()
