"""All benchmarks in one run: `make bench`."""

from __future__ import annotations

from benchmarks import decide, purchase, reading, thirty_days


def main() -> int:
    """Run them; 1 if a target of the purchase was missed, or thirty days broke a promise."""
    reading.main()
    decide.main()
    return max(purchase.main(), thirty_days.main())


if __name__ == "__main__":
    raise SystemExit(main())
