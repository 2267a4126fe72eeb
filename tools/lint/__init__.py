"""The rules behind ./dev lint that no compiler knows; tools/check_sources.py runs them."""
