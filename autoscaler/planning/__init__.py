"""From a snapshot to a plan: demand, coming capacity, purchase, buffers, removal, and a reason for each."""
