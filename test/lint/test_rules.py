"""The rules of tools/lint/rules.py, each shown to catch its fault and to let right code pass."""

import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))

from lint import rules  # noqa: E402


def lines(rule, path, text):
    return [line for line, _ in rule(path, text)]


class Layers(unittest.TestCase):
    def test_a_lower_layer_and_the_own_folder_may_be_included(self):
        text = '// x\n#include "gateway/exchange.hpp"\n#include "base/time.hpp"\n#include <mutex>\n'
        self.assertEqual(lines(rules.layers, "src/gateway/a.cpp", text), [])

    def test_a_higher_layer_may_not_be_included(self):
        text = '// x\n#include "gateway/exchange.hpp"\n'
        self.assertEqual(lines(rules.layers, "src/net/a.hpp", text), [2])

    def test_a_layer_of_the_same_height_may_not_be_included(self):
        for own, other in (("policy", "wire"), ("wire", "policy"), ("config", "observe"),
                           ("observe", "net"), ("net", "config"), ("admin", "sim")):
            text = f'#include "{other}/x.hpp"\n'
            self.assertEqual(lines(rules.layers, f"src/{own}/a.cpp", text), [1], own)

    def test_net_may_use_observe(self):
        self.assertEqual(lines(rules.layers, "src/net/a.cpp", '#include "observe/log.hpp"\n'), [])

    def test_policy_and_wire_know_no_locks_and_no_asio(self):
        for header in ("mutex", "thread", "shared_mutex", "boost/asio/ip/tcp.hpp", "boost/asio.hpp",
                       "fstream", "sys/socket.h", "unistd.h"):
            for own in ("policy", "wire"):
                found = lines(rules.layers, f"src/{own}/a.cpp", f"#include <{header}>\n")
                self.assertEqual(found, [1], header)
        self.assertEqual(lines(rules.layers, "src/wire/a.cpp", "#include <simdjson.h>\n"), [])

    def test_an_include_without_a_folder_is_named(self):
        self.assertEqual(lines(rules.layers, "src/net/a.cpp", '#include "tcp.hpp"\n'), [1])

    def test_an_include_in_a_comment_does_not_count(self):
        text = '/*\n#include "app/x.hpp"\n*/\n// #include "app/x.hpp"\n'
        self.assertEqual(lines(rules.layers, "src/net/a.cpp", text), [])

    def test_an_unknown_folder_is_no_layer(self):
        self.assertEqual(lines(rules.layers, "src/helpers/a.cpp", "int x;\n"), [1])


class Clocks(unittest.TestCase):
    def test_reading_a_clock_is_caught(self):
        for call in ("std::chrono::steady_clock::now()", "system_clock :: now()", "time(nullptr)",
                     "std::time(NULL)", "gettimeofday(&t, 0)", "clock_gettime(CLOCK_REALTIME, &t)"):
            text = f"auto t = {call};"
            self.assertEqual(lines(rules.clocks, "src/policy/a.cpp", text), [1], call)

    def test_the_system_clock_and_benchmarks_may_read_it(self):
        text = "auto t = std::chrono::steady_clock::now();"
        self.assertEqual(lines(rules.clocks, "src/net/system_clock.cpp", text), [])
        self.assertEqual(lines(rules.clocks, "bench/a.cpp", text), [])

    def test_members_comments_and_strings_named_time_are_no_clocks(self):
        text = 'x.time(0); // time(nullptr)\nlog("time(nullptr)"); wall_time(0); retry_time(now);'
        self.assertEqual(lines(rules.clocks, "src/policy/a.cpp", text), [])

    def test_tests_do_not_sleep(self):
        text = "std::this_thread::sleep_for(1s);"
        self.assertEqual(lines(rules.clocks, "test/net/a.cpp", text), [1])
        text = "co_await loop.sleep_until(deadline);"
        self.assertEqual(lines(rules.clocks, "src/net/a.cpp", text), [])


class Detached(unittest.TestCase):
    def test_detached_is_for_spawn_alone(self):
        text = "co_spawn(ex, run(), asio::detached);"
        self.assertEqual(lines(rules.detached, "src/gateway/a.cpp", text), [1])
        self.assertEqual(lines(rules.detached, "src/net/spawn.hpp", text), [])

    def test_a_detached_thread_is_caught(self):
        self.assertEqual(lines(rules.detached, "src/app/a.cpp", "worker.detach();"), [1])

    def test_the_word_in_a_comment_is_harmless(self):
        self.assertEqual(lines(rules.detached, "src/app/a.cpp", "// never detached\n"), [])


class Size(unittest.TestCase):
    def test_four_hundred_lines_pass_and_one_more_does_not(self):
        self.assertEqual(lines(rules.size, "src/a.cpp", "x\n" * 400), [])
        self.assertEqual(lines(rules.size, "src/a.cpp", "x\n" * 401), [401])

    def test_a_hundred_columns_pass_and_one_more_does_not(self):
        self.assertEqual(lines(rules.size, "src/a.cpp", "x" * 100 + "\n" + "x" * 101), [2])
        self.assertEqual(lines(rules.size, "src/a.cpp", "\u00e9" * 100), [])

    def test_what_an_engine_says_may_be_wide(self):
        self.assertEqual(lines(rules.size, "test/e2e/test_a.py", "x" * 300), [])
        self.assertEqual(lines(rules.size, "test/net/a.cpp", "x" * 300), [1])

    def test_prose_may_be_wide(self):
        self.assertEqual(lines(rules.size, "README.md", "x" * 300), [])


class Opening(unittest.TestCase):
    def test_a_file_opens_with_a_comment(self):
        self.assertEqual(lines(rules.opening, "src/a.hpp", "#pragma once\n"), [1])
        self.assertEqual(lines(rules.opening, "src/a.hpp", "// What it is.\n#pragma once\n"), [])
        self.assertEqual(lines(rules.opening, "tools/a.py", '#!/bin/x\n"""What."""\n'), [])
        self.assertEqual(lines(rules.opening, "tools/a.sh", "#!/bin/x\nset -e\n"), [1])

    def test_the_opening_is_short(self):
        self.assertEqual(lines(rules.opening, "src/a.hpp", "// x\n" * 5 + "int a;\n"), [])
        self.assertEqual(lines(rules.opening, "src/a.hpp", "// x\n" * 6 + "int a;\n"), [1])


class Words(unittest.TestCase):
    def test_notes_to_self_are_caught_in_any_file(self):
        for word in ("TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"):
            self.assertEqual(lines(rules.words, "docs/a.md", f"a\n{word}: later\n"), [2], word)
        self.assertEqual(lines(rules.words, "tools/a.sh", "mktemp -d weir." + "X" * 6), [])

    def test_using_namespace_std_is_caught(self):
        self.assertEqual(lines(rules.words, "src/a.cpp", "using namespace std;"), [1])
        text = "using namespace std::chrono_literals; // using namespace std;"
        self.assertEqual(lines(rules.words, "src/a.cpp", text), [])


class Places(unittest.TestCase):
    def test_machine_paths_are_caught_outside_tests(self):
        for folder in ("work", "root", "tmp"):
            text = f'open("/{folder}/x")'
            self.assertEqual(lines(rules.places, "src/a.cpp", text), [1], folder)
            self.assertEqual(lines(rules.places, "test/net/a.cpp", text), [], folder)

    def test_parts_of_other_paths_are_no_machine_paths(self):
        self.assertEqual(lines(rules.places, "src/a.cpp", "/v1/work/x $HOME/tmp/x"), [])

    def test_package_hosts_are_caught_everywhere(self):
        text = "x\nhttps://" "registry.example/openai.tgz\n"
        self.assertEqual(lines(rules.places, "test/e2e/package-lock.json", text), [2])


if __name__ == "__main__":
    unittest.main()
