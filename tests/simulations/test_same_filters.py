"""The world's scheduler lets a pod onto a node exactly where the controller's filters do."""

from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.labels import Labels, NodeSelectorTerm, Requirement
from autoscaler.model.nodes import POOL_LABEL, Node, Taint
from autoscaler.model.pods import Pod, PodSpec, Toleration
from autoscaler.model.resources import Axis, amounts
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.fleet import Fleet
from autoscaler.scheduling.rows import Row
from simulations.admission import Admission
from simulations.room import Room

GPU, SHARED = "nvidia.com/gpu", "nvidia.com/gpu.shared"
REFUSES = {"picky": frozenset({SHARED})}
keys, values = st.sampled_from(["zone", "kind"]), st.sampled_from(["a", "b"])
sizes = st.fixed_dictionaries(
    {}, optional={GPU: st.integers(0, 4), SHARED: st.integers(0, 3), "cpu": st.integers(0, 3)}
)
requirements = st.builds(
    Requirement, keys, st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]), values.map(lambda v: (v,))
)
specs = st.builds(
    lambda size, selector, terms, tolerations: PodSpec(
        requests=amounts(size),
        container_peaks=amounts({k: v for k, v in size.items() if "/" in k}),
        node_selector=tuple(sorted(selector.items())),
        node_affinity=tuple(NodeSelectorTerm(expressions=(r,)) for r in terms) or None,
        tolerations=tuple(tolerations),
    ),
    sizes,
    st.dictionaries(keys, values, max_size=1),
    st.lists(requirements, max_size=2),
    st.lists(st.builds(Toleration, keys, st.sampled_from(["Exists", "Equal"]), st.just("")), max_size=1),
)
nodes = st.lists(
    st.builds(
        lambda labels, pool, taints, cordoned, size: Node(
            "n",
            labels=Labels({**labels, POOL_LABEL: pool}),
            taints=tuple(taints),
            unschedulable=cordoned,
            allocatable=amounts({**size, "pods": 2}),
        ),
        st.dictionaries(keys, values),
        st.sampled_from(["plain", "picky"]),
        st.lists(st.builds(Taint, keys, st.just(""), st.sampled_from(["NoSchedule", "PreferNoSchedule"])), max_size=1),
        st.booleans(),
        sizes,
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=150, deadline=None)
@given(specs, nodes)
def test_a_pod_has_room_where_the_filters_of_the_controller_find_some(spec, found):
    pod = Pod("default", "p", spec)
    snapshot = Snapshot.of(pods=[pod])
    table, axis = ClassTable(snapshot, [pod]), Axis.of([GPU, SHARED, "cpu"])
    fleet, room = Fleet(snapshot, table, axis), Room(axis, Admission(REFUSES))
    for i, node in enumerate(found):
        refuses = REFUSES.get(node.labels[POOL_LABEL], frozenset())
        row = Row(f"n{i}", node.labels, node.taints, node.unschedulable, node.allocatable, refuses_above_one=refuses)
        fleet.add(row)
        room.open(
            Node(
                f"n{i}",
                labels=node.labels,
                taints=node.taints,
                unschedulable=node.unschedulable,
                allocatable=node.allocatable,
            )
        )
    admitted = {f"n{i}" for i in range(len(found)) if fleet.why_not(table.class_of(pod), i) is None}
    names = room.place([spec])
    assert (names is None) == (not admitted)
    assert names is None or names[0] in admitted
