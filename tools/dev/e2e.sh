#!/usr/bin/env bash
# Runs the end-to-end tests, test/e2e, against the program $WEIR_BIN; ctest's test e2e. Arguments
# go to pytest. Prepared by ./dev test; not a way to install anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
export WEIR_BIN=${WEIR_BIN:-$PWD/build/release/weir}
export WEIR_NODE_MODULES=${WEIR_NODE_MODULES:-$PWD/build/node/node_modules}
[[ -x build/venv/bin/pytest && -d $WEIR_NODE_MODULES ]] ||
  { echo "build/venv or build/node is missing: run ./dev test once, it prepares both" >&2; exit 2; }
exec build/venv/bin/pytest -q -p no:cacheprovider test/e2e "$@" </dev/null
