"""numpy, loaded when the first array is made.

It is a third of the start of `plan`, and a lint, a help text, an empty or a small cluster never need an array.
(`importlib.util.LazyLoader` does not help: the import statement itself looks at the module.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _OnFirstUse:
        """Stands for the module; every attribute is fetched once and kept."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = _OnFirstUse()

__all__ = ["np"]
