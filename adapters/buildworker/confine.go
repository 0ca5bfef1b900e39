package buildworker

import (
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/seccomp"
)

// Limits of a worker.
const (
	// maxMemoryBytes bounds all writable memory. The heap is kept below softMemory.
	maxMemoryBytes = 1 << 30
	softMemory     = maxMemoryBytes - maxMemoryBytes/8
	// maxStackBytes bounds the stack of one goroutine. It suffices for some ten thousand
	// levels of nesting, and endless recursion soon uses it up.
	maxStackBytes = 256 << 20
	// heavyBytes is how much memory it may hold between calls.
	heavyBytes = maxMemoryBytes / 2
	// niceness gives the service priority.
	niceness = 5
)

// confine limits this process, and permanently gives up rights that builds do not need.
func confine() error {
	debug.SetMaxStack(maxStackBytes)
	debug.SetMemoryLimit(softMemory)
	for resource, most := range map[int]uint64{unix.RLIMIT_DATA: maxMemoryBytes, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	// The priority applies to the whole process group, because each thread has a niceness
	// of its own.
	if err := unix.Setpriority(unix.PRIO_PGRP, 0, niceness); err != nil {
		return os.NewSyscallError("setpriority", err)
	}
	overdue := make(chan os.Signal, 1)
	signal.Notify(overdue, unix.SIGXCPU)
	go func() {
		<-overdue
		_, _ = os.Stderr.WriteString("a call has used up its processor time\n")
		os.Exit(1)
	}()
	if !seccomp.Supported() {
		return nil // Pool.Report reports it
	}
	return seccomp.ConfineWorker()
}

// limitCPU allows this process an additional amount of processor time. The kernel counts
// whole seconds.
func limitCPU(most time.Duration) error {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return os.NewSyscallError("getrusage", err)
	}
	before := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CPU, &limit); err != nil {
		return os.NewSyscallError("getrlimit", err)
	}
	limit.Cur = min(uint64((before+most+time.Second-1)/time.Second), limit.Max)
	return os.NewSyscallError("setrlimit", unix.Setrlimit(unix.RLIMIT_CPU, &limit))
}

// heavy reports whether this process holds so much memory that the next call may not have
// enough.
func heavy() bool {
	held := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(held)
	return held[0].Value.Uint64() > heavyBytes
}
