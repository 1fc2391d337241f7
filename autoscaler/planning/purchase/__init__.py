"""The purchase of new nodes, as arithmetic: see `docs/design/purchase.md`."""

from autoscaler.planning.purchase.market import Bought, Limit, Market, Purchase
from autoscaler.planning.purchase.portfolio import Effort
from autoscaler.planning.purchase.tiers import NODE_OVERHEAD_USD, purchase

__all__ = ["NODE_OVERHEAD_USD", "Bought", "Effort", "Limit", "Market", "Purchase", "purchase"]
