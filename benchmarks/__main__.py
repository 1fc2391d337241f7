"""All benchmarks in one run: `make bench`."""

from __future__ import annotations

from benchmarks import decide, purchase, reading


def main() -> int:
    """Run them; 1 if a target of the purchase was missed."""
    reading.main()
    decide.main()
    return purchase.main()


if __name__ == "__main__":
    raise SystemExit(main())
