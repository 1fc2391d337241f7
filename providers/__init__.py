"""Clouds and what is known of them: instance catalog, prices, MIG profiles."""
