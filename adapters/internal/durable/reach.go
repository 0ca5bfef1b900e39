package durable

import (
	"context"
	"io/fs"
	"os"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// maxLooking bounds the callers of one Reach that access their disk at the same time.
	maxLooking = 64
	// reachPatience is how long further callers wait.
	reachPatience = 5 * time.Second
)

// Reach is a semaphore before a disk. A disk that does not answer, such as one of an
// unreachable file server, blocks a thread of the system for every call, and a Go process
// with 10,000 threads ends. So only a few callers at the same time may find that out.
type Reach struct {
	semaphore chan struct{}
	lstat     func(path string) (fs.FileInfo, error)
}

// NewReach returns the semaphore of one disk.
func NewReach() *Reach { return &Reach{make(chan struct{}, maxLooking), os.Lstat} }

// Lstat is os.Lstat, for callers that are about to work on the disk. It returns
// core.CodeUnavailable if it has waited for too long.
func (r *Reach) Lstat(ctx context.Context, path string) (fs.FileInfo, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer func() { <-r.semaphore }()
	return r.lstat(path)
}

func (r *Reach) enter(ctx context.Context) error {
	select {
	case r.semaphore <- struct{}{}:
		return nil
	default:
	}
	patience := time.NewTimer(reachPatience)
	defer patience.Stop()
	select {
	case r.semaphore <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return core.Errorf(core.CodeUnavailable, "the disk does not answer: try again in a moment")
	}
}
