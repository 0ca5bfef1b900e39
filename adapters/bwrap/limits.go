package bwrap

import (
	"fmt"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
)

// Limits bound what one command may use. Zero means the default.
type Limits struct {
	// Processes is how many processes may run at the same time.
	Processes int
	// MemoryBytes bounds the private memory of all processes together, and that of temporary
	// files. Memory that is charged to no process is refused (see seccomp).
	MemoryBytes int64
	// DataBytes bounds what each process may allocate, used or not; 0 is MemoryBytes.
	DataBytes int64
	// FileBytes is the largest file that a command can write.
	FileBytes int64
	// DiskBytes is how much a command may add to the disk of its project.
	DiskBytes int64
	// OutputBytes is how much a command may print. Most of it is left out.
	OutputBytes int64
	// NetworkBytes is how much a command may send and receive.
	NetworkBytes int64
	// ScratchBytes is the size of each of the command's two temporary directories, which are
	// memory.
	ScratchBytes int64
	// CPUSeconds ends a process that has used this much processor time, in seconds.
	CPUSeconds int
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Processes:    orDefault(l.Processes, 256),
		MemoryBytes:  orDefault(l.MemoryBytes, 1<<30),
		DataBytes:    orDefault(l.DataBytes, orDefault(l.MemoryBytes, 1<<30)),
		FileBytes:    orDefault(l.FileBytes, 256<<20),
		DiskBytes:    orDefault(l.DiskBytes, 2<<30),
		OutputBytes:  orDefault(l.OutputBytes, 16<<20),
		NetworkBytes: orDefault(l.NetworkBytes, 200<<20),
		ScratchBytes: orDefault(l.ScratchBytes, 256<<20),
		CPUSeconds:   orDefault(l.CPUSeconds, 600),
	}
}

func orDefault[T int | int64](given, preset T) T {
	if given == 0 {
		return preset
	}
	return given
}

// maxOpenFiles is how many files a process may have open.
const maxOpenFiles = 1024

// outer is the shell program that limits itself and then becomes its arguments. sh counts file
// sizes in blocks of 512 bytes.
//
// The command runs at a lower priority than the service, so the watching goroutines run however
// many processes it has. It is also the first to be killed when memory is short.
func (l Limits) outer() string {
	return fmt.Sprintf("ulimit -c 0 && ulimit -n %d && ulimit -t %d && ulimit -f %d || exit 125\n",
		maxOpenFiles, l.CPUSeconds, l.FileBytes/512) + `
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
exec nice -n 19 "$@"`
}

// inner is the shell program that limits memory and the number of processes, waits at the gate
// and becomes the command, which is its first argument. It runs in the command's user
// namespace, where the kernel counts nobody else's processes (see kernelProcesses). For root of
// the host the kernel counts none at all, and only watchProcesses limits them.
//
// sh counts memory in KiB. The address space is not limited: JavaScript engines reserve far
// more of it than they use.
func (l Limits) inner() string {
	// bash calls it -u, dash and busybox -p.
	most := kernelProcesses(l.Processes)
	return fmt.Sprintf("ulimit -u %d 2>/dev/null || ulimit -p %d || exit 125\n", most, most) + bubblewrap.AskAtGate(gateFD) + l.memoryOnly()
}

// memoryOnly is inner without the limit of processes, which outside a namespace would count all
// of the user's.
func (l Limits) memoryOnly() string {
	return fmt.Sprintf("ulimit -d %d || exit 125\n", l.DataBytes/1024) + `exec /bin/sh -c "$1"`
}
