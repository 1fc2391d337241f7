"""The controller: a pure decision core (`model`, `scheduling`, `planning`) and what stands around it."""
