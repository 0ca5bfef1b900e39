package bootstrap

import (
	"syscall"

	"github.com/atelierhq/atelier/core/streams"
)

// mostStreams bounds the streams of people and pages if the process may open more files
// than its memory suffices for.
const mostStreams = 50_000

// newStreams leaves half of the files that the process may open to everything else. Go
// raises the soft limit to the hard one before main begins.
func newStreams(perPerson int) *streams.Budget {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		files.Cur = 1024
	}
	return streams.New(int64(min(files.Cur/2, mostStreams)), int64(perPerson))
}
