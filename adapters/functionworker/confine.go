package functionworker

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/seccomp"
	"github.com/atelierhq/atelier/ports/functions"
)

// Limits of a worker.
const (
	// callsAtATime is how many functions one worker runs at the same time.
	callsAtATime = 16
	// maxMemoryBytes bounds all writable memory: that of the isolates, what travels, and the
	// engine; the heap of Go is kept below softMemory.
	maxMemoryBytes = callsAtATime*functions.MaxMemoryBytes + 1<<30
	softMemory     = 512 << 20
	// maxStackBytes bounds the stack of one goroutine: the engine's parsers are recursive.
	maxStackBytes = 128 << 20
	// niceness gives the service priority.
	niceness = 5
)

// confine limits this process, and permanently gives up rights that it does not need.
func confine() error {
	debug.SetMaxStack(maxStackBytes)
	debug.SetMemoryLimit(softMemory)
	for resource, most := range map[int]uint64{unix.RLIMIT_DATA: maxMemoryBytes, unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	// The priority applies to the whole process group, because each thread has a niceness of
	// its own.
	if err := unix.Setpriority(unix.PRIO_PGRP, 0, niceness); err != nil {
		return os.NewSyscallError("setpriority", err)
	}
	if !seccomp.Supported() {
		return nil // the report of build workers says so
	}
	return seccomp.ConfineWorker()
}
