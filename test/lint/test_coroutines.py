"""The coroutine rule: which expressions with co_await hold something that must be named first."""

import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))

from lint import coroutines, cxx  # noqa: E402


def faults(body):
    text = "task<int> f(int n) {\n" + body + "\n}\n"
    bare = cxx.strip_literals(text)
    return [(cxx.line_of(bare, at) - 1, what) for at, what in coroutines.faults(bare)]


class Caught(unittest.TestCase):
    def each(self, what, *bodies):
        for body in bodies:
            self.assertEqual([w for _, w in faults(body)], [what], body)

    def test_a_braced_temporary_beside_a_co_await(self):
        self.each(
            "a braced temporary",
            "co_await send(request{1});",
            "co_await send({.a = 1});",
            "co_await send(request{});",
            "auto x = co_await send(std::vector<int>{1, 2});",
            "co_return co_await send({1});",
            "use(point{1}, co_await number());",
            "if (ready) co_await send({1});",
            "if (co_await send({1})) { stop(); }",
            "while (auto x = co_await send(request{n})) { stop(x); }",
            "for (int i : co_await list({1})) { stop(); }",
            "switch (co_await send({1})) { case 1: break; }",
            "auto x = ready ? co_await send({1}) : 0;",
        )

    def test_an_aggregate_initialised_by_a_co_await(self):
        self.each(
            "a braced temporary",
            "request r{co_await x(), 1};",
            "request r = {co_await x(), 1};",
            "co_return answer{co_await x()};",
            "std::map<int, int> m{co_await x()};",
        )

    def test_a_capturing_lambda_beside_a_co_await(self):
        self.each(
            "a capturing lambda",
            "co_await run([n] { return n; });",
            "co_await co_spawn(ex, [v = n]() -> task<void> { co_return; }, use);",
            "auto x = co_await run([&](int a) noexcept -> int { return a; });",
            "co_await run([this] { return 1; }, [](int) { return 2; });",
        )

    def test_the_line_is_that_of_the_temporary(self):
        found = faults("co_await send(\n  1,\n  request{2});")
        self.assertEqual(found, [(3, "a braced temporary")])

    def test_a_fault_inside_the_body_of_a_lambda(self):
        self.assertEqual(
            faults("auto g = [n]() -> task<void> {\n  co_await send({n});\n};"),
            [(2, "a braced temporary")],
        )


class Passed(unittest.TestCase):
    def each(self, *bodies):
        for body in bodies:
            self.assertEqual(faults(body), [], body)

    def test_what_was_named_and_moved(self):
        self.each(
            "request r{1};\nco_await send(std::move(r));",
            "auto work = [n] { return n; };\nco_await run(std::move(work));",
            "std::array<int, 2> a = {1, 2};\nfor (int i : a) co_await send(i);",
        )

    def test_a_lambda_that_captures_nothing(self):
        self.each(
            "co_await run([](int a) { return a; });",
            "co_await run([] { return point{1}; });",
        )

    def test_indices_and_attributes_are_no_lambdas(self):
        self.each(
            "co_await send(a[n]);",
            "co_await send(f()[n]);",
            "[[maybe_unused]] int x = co_await y();",
        )

    def test_blocks_around_a_co_await(self):
        self.each(
            "if (ready) { co_await x(); } else { co_await y(); }",
            "for (int i : {1, 2}) co_await send(i);",
            "for (int i : {1, 2}) { co_await send(i); }",
            "for (int i : std::array{1, 2}) co_await send(i);",
            "if (auto p = point{1}; p.x) co_await send(p.x);",
            "do { co_await x(); } while (ready);",
            "try { co_await x(); } catch (const error& e) { stop(e); }",
            "switch (n) { case 1: { co_await x(); break; } default: { co_await y(); } }",
            "{ co_await x(); }\nrequest r{1};",
            "request r{1}; { co_await x(); }",
        )

    def test_a_named_lambda_that_awaits(self):
        self.each(
            "auto g = [n]() -> task<int> { co_await x(); co_return 1; };",
            "spawn([this, n](int a) mutable -> asio::awaitable<void> { co_await x(a); });",
            "auto g = [&] { co_await x(); };",
        )

    def test_the_operator_and_the_word_in_text(self):
        self.each("struct a { auto operator co_await() && { return b{1}; } };")
        self.each(
            'log("co_await f({1})"); // co_await f({1})',
            "point p{1}; /* co_await */ use({p});",
        )

    def test_functions_with_trailing_returns_and_members(self):
        text = "struct s {\n  auto f() const noexcept -> task<int> { co_return co_await x(); }\n"
        text += "  int n{0};\n  task<int> g() override { co_return co_await x(); }\n};\n"
        self.assertEqual(list(coroutines.faults(text)), [])


if __name__ == "__main__":
    unittest.main()
