"""The rules of CONTRIBUTING.md as functions (path, text) -> findings, each with one reason.

A path is relative to the repository's root. A finding is (line, sentence). Nothing here reads
files.
"""

import re

from lint import coroutines, cxx

CXX = (".cpp", ".hpp")
CODE = CXX + (".py", ".sh", ".js", ".mjs", ".cmake", "CMakeLists.txt")
MAX_LINES = 400
# Tests that hold the bytes of engines and clients, one write a line.
WIRE_SCRIPTS = "test/e2e/"
MAX_COLUMNS = 100
MAX_OPENING = 5

LAYERS = (
    ("base",),
    ("policy", "wire"),
    ("config", "observe", "net"),
    ("store", "signal", "identity"),
    ("gateway",),
    ("jobs",),
    ("admin", "sim"),
    ("app",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
SIDEWAYS = {("net", "observe")}

PURE = ("policy", "wire")
IMPURE_HEADERS = re.compile(
    r"boost/(?:asio|beast)\b.*|(?:shared_)?mutex|thread|stop_token|condition_variable|semaphore"
    r"|latch|barrier|future|[io]?fstream|iostream|filesystem|unistd\.h|fcntl\.h|sys/.*"
)

CLOCK_HOME = "src/net/system_clock."
SPAWN_HOME = "src/net/spawn."
CANARY = "cmake/canary.cpp"

_CLOCKS = re.compile(
    r"\b(?:steady_clock|system_clock|high_resolution_clock|utc_clock)\s*::\s*now\b"
    r"|\b(?:gettimeofday|clock_gettime|timespec_get)\s*\("
    r"|(?<![\w.>])time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)"
)
_SLEEPS = re.compile(r"\bthis_thread\s*::\s*sleep_\w+|\b(?:usleep|nanosleep)\s*\(")
_DETACHED = re.compile(r"\bdetached(?:_t)?\b|\.\s*detach\s*\(\s*\)")
_USING_STD = re.compile(r"\busing\s+namespace\s+(?:::\s*)?std\s*;")
_NOTES = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK")) + r")\b")
_MACHINE_PATH = re.compile(r"(?<![\w.$}/])/(?:work|root|tmp)/")
_REGISTRY = re.compile(
    r"https?://(?:deb|registry|proxy|index|files|static|packages)\."
    r"|\b(?:registry\.npm" r"js|pythonho" r"sted|deb\.deb" r"ian|deb\.node" r"source)\b"
)


def _in(path, *folders):
    return path.startswith(tuple(folder + "/" for folder in folders))


def _matches(pattern, text, sentence):
    for match in pattern.finditer(text):
        yield cxx.line_of(text, match.start()), sentence.format(match.group(0).strip())


def layers(path, text):
    """A file of src/ includes only lower layers, or its own folder; net may use observe."""
    if not (_in(path, "src") and path.endswith(CXX)):
        return
    own = path.split("/")[1]
    if own not in RANK:
        yield 1, f"src/{own} is no layer; the layers are {', '.join(RANK)}"
        return
    for offset, is_system, name in cxx.includes(text):
        line = cxx.line_of(text, offset)
        folder = name.split("/")[0]
        if is_system:
            if own in PURE and IMPURE_HEADERS.fullmatch(name):
                yield line, f"{own} does no I/O and takes no lock: <{name}> does not belong here"
        elif "/" not in name or folder not in RANK:
            yield line, f'"{name}": write includes of weir as "folder/file.hpp"'
        elif folder != own and RANK[folder] >= RANK[own] and (own, folder) not in SIDEWAYS:
            yield line, f"{own} may not include {folder}: only lower layers and its own folder"


def clocks(path, text):
    """Time is a parameter or comes from weir::clock; tests never sleep."""
    if not path.endswith(CXX):
        return
    bare = cxx.strip_literals(text)
    if _in(path, "src") and not path.startswith(CLOCK_HOME):
        yield from _matches(_CLOCKS, bare, "{} reads a clock; take the time from weir::clock")
    if _in(path, "src", "test"):
        yield from _matches(_SLEEPS, bare, "{} sleeps; wait for an event or inject the time")


def detached(path, text):
    """Coroutines are spawned through spawn(), which logs and counts."""
    if _in(path, "src") and path.endswith(CXX) and not path.startswith(SPAWN_HOME):
        bare = cxx.strip_literals(text)
        yield from _matches(_DETACHED, bare, "{}: use spawn() of net/spawn.hpp")


def coroutine_braces(path, text):
    """Name it, then move it: no braced temporary or capturing lambda beside a co_await."""
    if path.endswith(CXX) and path != CANARY:
        bare = cxx.strip_literals(text)
        for offset, what in coroutines.faults(bare):
            yield (
                cxx.line_of(bare, offset),
                f"{what} in an expression with co_await: name it, then move it",
            )


def size(path, text):
    """Files stay under 400 lines of at most 100 columns; what engines say is written out whole."""
    if not path.endswith(CODE) and path != "dev":
        return
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield MAX_LINES + 1, f"{len(lines)} lines, at most {MAX_LINES}: make two files of it"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS and not path.startswith(WIRE_SCRIPTS):
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}"


def opening(path, text):
    """A file opens with a comment that says what it is and what it is not."""
    if not path.endswith(CODE) and path != "dev":
        return
    lines = text.splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    marks = ("//",) if path.endswith(CXX + (".js", ".mjs")) else ("#", '"""')
    if not lines or not lines[0].startswith(marks):
        if text.strip():
            yield 1, f"open the file with 1-{MAX_OPENING} comment lines: what it is, what it is not"
        return
    if path.endswith(CXX):
        length = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
        if length > MAX_OPENING:
            yield 1, f"the opening comment has {length} lines, at most {MAX_OPENING}"


def words(path, text):
    """No notes to self, no using namespace std."""
    yield from _matches(_NOTES, text, "{}: no notes to self; do it or file it")
    if path.endswith(CXX):
        yield from _matches(_USING_STD, cxx.strip_literals(text), "{} hides where names come from")


def places(path, text):
    """Nothing in the tree knows the machine it was written on."""
    if not _in(path, "test"):
        yield from _matches(_MACHINE_PATH, text, "{}... is a path of one machine")
    yield from _matches(_REGISTRY, text, "{}... is a package host; name the package, not the host")


RULES = (layers, clocks, detached, coroutine_braces, size, opening, words, places)
