#!/usr/bin/env bash
# What ./dev lint runs once its tools are installed: every check, each with one line; fails at the
# end if any did. LINT_BASE=REVISION limits clang-tidy to the files changed since.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

failed=()
check() {
  local name=$1
  shift
  printf '==> %s\n' "$name"
  "$@" </dev/null || failed+=("${name%%:*}")
}

mapfile -t sources < <(find src test bench fuzz cmake -name '*.[ch]pp' | sort)
mapfile -t scripts < <(
  find dev .ci/run tools test bench -type f \( -name '*.sh' -o -path dev -o -path .ci/run \) | sort
)
mapfile -t pythons < <(find tools test bench -name '*.py' -not -path '*/node_modules/*' | sort)

check "format: ${#sources[@]} files" clang-format-19 --dry-run -Werror "${sources[@]}"
check "source rules" python3 -B tools/check_sources.py
check "shell: ${#scripts[@]} files" shellcheck -x "${scripts[@]}"
check "python: ${#pythons[@]} files" pyflakes3 "${pythons[@]}"
check "clang-tidy" python3 -B tools/tidy.py

if [[ ${#failed[@]} -gt 0 ]]; then
  printf 'lint failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "==> done: lint is clean"
