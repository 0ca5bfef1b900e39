package dataworker

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/seccomp"
)

// Limits of a worker.
const (
	// maxMemoryBytes bounds all writable memory; the heap is kept below softMemory.
	maxMemoryBytes = 4 << 30
	softMemory     = 1 << 30
	// maxStackBytes bounds the stack of one goroutine: filters are parsed recursively.
	maxStackBytes = 64 << 20
	// niceness gives the service priority.
	niceness = 2
)

// confine limits this process, and permanently gives up rights that it does not need.
func confine() error {
	debug.SetMaxStack(maxStackBytes)
	debug.SetMemoryLimit(softMemory)
	for resource, most := range map[int]uint64{unix.RLIMIT_DATA: maxMemoryBytes, unix.RLIMIT_CORE: 0} {
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
