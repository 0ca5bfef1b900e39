package dataworker

import "github.com/atelierhq/atelier/adapters/internal/workerprocess"

// limits are those of a worker. 2,000 open places fit into its heap. The stack is limited
// because filters are parsed recursively.
var limits = workerprocess.Limits{MemoryBytes: 4 << 30, HeapBytes: 5 << 29, StackBytes: 64 << 20, Niceness: 2}
