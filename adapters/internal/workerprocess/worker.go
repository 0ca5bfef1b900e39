package workerprocess

import (
	"errors"
	"net"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/seccomp"
)

// Connection returns the worker's end of a connection, which are counted from 0. It fails in a
// process that Start did not start.
func Connection(n int) (net.Conn, error) {
	file := os.Stdin
	if n > 0 {
		file = os.NewFile(uintptr(2+n), "service") // 3 is the first after the standard error
	}
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, errors.New("this command is internal: the service starts it itself")
	}
	return conn, nil
}

// Limits are what a worker limits itself to.
type Limits struct {
	// MemoryBytes bounds all writable memory; HeapBytes is what Go's heap is kept below.
	MemoryBytes, HeapBytes int64
	// StackBytes bounds the stack of one goroutine.
	StackBytes int
	// WritesNoFiles says that it may not write to files.
	WritesNoFiles bool
	// Niceness lowers its priority, in favour of the service.
	Niceness int
}

// noNiceness is the kernel's priority of a process with niceness 0 (getpriority(2)).
const noNiceness = 20

// Apply limits this process. If the kernel can filter system calls, it also gives up rights that no
// worker needs. All of this is permanent.
func (l Limits) Apply() error {
	debug.SetMaxStack(l.StackBytes)
	debug.SetMemoryLimit(l.HeapBytes)
	limits := map[int]uint64{unix.RLIMIT_DATA: uint64(l.MemoryBytes), unix.RLIMIT_CORE: 0}
	if l.WritesNoFiles {
		limits[unix.RLIMIT_FSIZE] = 0
	}
	for resource, most := range limits {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	// The priority applies to the whole process group, because each thread has a niceness of its
	// own. Nobody may lower a niceness that the service itself was started with.
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return os.NewSyscallError("getpriority", err)
	}
	if niceness := noNiceness - priority; niceness < l.Niceness {
		if err := unix.Setpriority(unix.PRIO_PGRP, 0, l.Niceness); err != nil {
			return os.NewSyscallError("setpriority", err)
		}
	}
	if !seccomp.Supported() {
		return nil // the report of build workers (buildworker.Pool.Report) says so
	}
	return seccomp.ConfineWorker()
}
