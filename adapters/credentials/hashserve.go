package credentials

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"
)

// HashCommand is the argument with which a program that calls ServeHashes is a worker of
// Passwords.
const HashCommand = "hash-worker"

// ServeHashes computes the hashes that it is asked for until in ends, with the lowest
// priority: a sign-in can wait a little longer, so that everybody else need not.
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

// standBack gives all threads of the process the lowest priority, which those that they
// start inherit. A kernel that refuses changes nothing but the others' speed.
func standBack() {
	const lowest = 19
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, lowest)
		}
	}
}
