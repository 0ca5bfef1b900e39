package buildworker

import (
	"os"
	"os/signal"
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
)

const (
	// maxMemoryBytes bounds all writable memory of a worker.
	maxMemoryBytes = 1 << 30
	// heavyBytes is how much memory it may hold between calls.
	heavyBytes = maxMemoryBytes / 2
	// maxStackBytes suffices for some ten thousand levels of nesting, and endless recursion soon
	// uses it up.
	maxStackBytes = 256 << 20
)

// limits are those of a worker.
var limits = workerprocess.Limits{
	MemoryBytes: maxMemoryBytes, HeapBytes: maxMemoryBytes - maxMemoryBytes/8, StackBytes: maxStackBytes, Niceness: 5,
}

// endWhenOverdue ends this process when a call has used up its processor time.
func endWhenOverdue() {
	overdue := make(chan os.Signal, 1)
	signal.Notify(overdue, unix.SIGXCPU)
	go func() {
		<-overdue
		_, _ = os.Stderr.WriteString("a call has used up its processor time\n")
		os.Exit(1)
	}()
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
