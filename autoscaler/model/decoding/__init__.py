"""Kubernetes objects, cloud state and controller state, from bytes to the values of `autoscaler.model`.

`objects.decode_objects` reads what `kubectl get ... -o json` (or yaml) prints, `cloud.decode_cloud` a CloudState,
`memory.decode_memory` a ControllerState. Wrong input raises `errors.InputError`: one sentence with place and fix.

JSON is decoded by msgspec into structs of the few fields that decisions read; what is unknown is skipped. Equal
pod specs become one object: the bytes of the relevant fields are looked up, and only a new shape is read in full.
"""
