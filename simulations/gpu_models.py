"""Which pools have a GPU model that a trace names: by the policy, the instance type, or a label of the nodes."""

from __future__ import annotations

from autoscaler.model.catalog import Catalog
from policies.loading import PolicyFile
from policies.schema_pool import NodePool
from simulations.demand import PRODUCT_LABEL, ModelPlaces


def places_of_model(model: str, file: PolicyFile, catalog: Catalog) -> ModelPlaces:
    """Pools and product labels of a GPU model, given by any name that the catalog knows, or by the label itself."""
    names = names_of(model, catalog)
    pools = tuple(pool.name for pool in file.pools if names & _models_of(pool, catalog))
    return ModelPlaces(pools, tuple(sorted(names)))


def names_of(model: str, catalog: Catalog) -> frozenset[str]:
    """The names under which a model is known, as label values (a label has no spaces)."""
    found = catalog.gpu_model(model)
    known = (found.id, *found.product_names) if found is not None else ()
    return frozenset(name.replace(" ", "-") for name in (model, *known))


def _models_of(pool: NodePool, catalog: Catalog) -> frozenset[str]:
    """The names of the GPU model of a pool's nodes."""
    template = pool.spec.template
    machine = catalog.instance_type(template.instance_type) if template.instance_type else None
    given = (
        template.labels.get(PRODUCT_LABEL),
        template.gpu.model if template.gpu is not None else None,
        machine.gpu_model if machine is not None else None,
    )
    return frozenset().union(*(names_of(name, catalog) for name in given if name))
