package functionworker

import (
	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/ports/functions"
)

// callsAtATime bounds the concurrent calls in one worker.
const callsAtATime = 16

// limits are those of a worker. Its memory holds the isolates, the messages, and the
// engine, whose parsers are recursive.
// parsers are recursive.
var limits = workerprocess.Limits{
	MemoryBytes: callsAtATime*functions.MaxMemoryBytes + 1<<30, HeapBytes: 512 << 20, StackBytes: 128 << 20,
	WritesNoFiles: true, Niceness: 5,
}
