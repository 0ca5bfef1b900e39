package credentials

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"
)

// HashCommand is the argument that makes a program that calls ServeHashes a worker of
// Passwords.
const HashCommand = "hash-worker"

// ServeHashes computes the requested hashes until in ends, with the lowest priority: a
// sign-in can wait a little longer, so that everything else need not.
func ServeHashes(in io.Reader, out io.Writer) error {
	standBack()
	jobs, sums := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var wanted job
		if err := jobs.Decode(&wanted); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := sums.Encode(wanted.sum()); err != nil {
			return err
		}
	}
}

// standBack gives all threads of the process the lowest priority; threads that they start
// inherit it. If the kernel refuses, only the speed of other work suffers.
func standBack() {
	const lowest = 19
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, lowest)
		}
	}
}
