package bwrap

import "fmt"

// Limits bound what one command may use. A zero is the default.
type Limits struct {
	// Processes is how many may run at once.
	Processes int
	// MemoryBytes bounds the memory that all of them have to themselves, and the
	// data segment of each.
	MemoryBytes int64
	// FileBytes is the largest file that a command can write.
	FileBytes int64
	// DiskBytes is by how much the projects' disk may become fuller while a
	// command runs.
	DiskBytes int64
	// OutputBytes is how much a command may say, most of which is left out.
	OutputBytes int64
	// ScratchBytes is the size of the command's temporary directory, which is
	// memory.
	ScratchBytes int64
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Processes:    orDefault(l.Processes, 256),
		MemoryBytes:  orDefault(l.MemoryBytes, 1<<30),
		FileBytes:    orDefault(l.FileBytes, 256<<20),
		DiskBytes:    orDefault(l.DiskBytes, 2<<30),
		OutputBytes:  orDefault(l.OutputBytes, 16<<20),
		ScratchBytes: orDefault(l.ScratchBytes, 256<<20),
	}
}

func orDefault[T int | int64](given, preset T) T {
	if given == 0 {
		return preset
	}
	return given
}

// Bounds that nobody needs to change.
const (
	maxOpenFiles = 1024
	// maxCPUSeconds ends a process that got away from its command.
	maxCPUSeconds = 600
)

// script is the shell program that limits itself and becomes the command, which
// is its first argument. sh counts the size of files in blocks of 512 bytes and
// memory in KiB. The address space is not limited: engines reserve far more of it
// than they use.
//
// The number of processes is limited only in a user namespace, where the kernel
// counts nobody else's. It counts none at all for root of the host, whom watching
// the processes has to do for.
//
// The command yields the processor to the service, and goes first when memory is
// short.
func (l Limits) script(isolated bool) string {
	limits := fmt.Sprintf("ulimit -c 0 && ulimit -n %d && ulimit -t %d && ulimit -f %d && ulimit -d %d",
		maxOpenFiles, maxCPUSeconds, l.FileBytes/512, l.MemoryBytes/1024)
	if isolated {
		// bash calls it -u, dash and busybox -p.
		limits += fmt.Sprintf(" && { ulimit -u %d 2>/dev/null || ulimit -p %d; }", l.Processes, l.Processes)
	}
	return limits + ` || exit 125
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
exec nice -n 10 /bin/sh -c "$1"`
}
