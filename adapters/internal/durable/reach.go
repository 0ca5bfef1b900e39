package durable

import (
	"context"
	"io/fs"
	"os"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// maxLooking is how many callers of one Reach look at their disk at once.
	maxLooking = 64
	// reachPatience is how long others wait until they may.
	reachPatience = 5 * time.Second
)

// Reach is how callers come to a disk. One that does not answer, as on a file server that
// is away, keeps a thread of the system for every call until it does, and a process that
// has 10,000 of them ends. So few may find that out at once.
type Reach struct {
	places chan struct{}
	lstat  func(path string) (fs.FileInfo, error)
}

// NewReach returns the way to one disk.
func NewReach() *Reach { return &Reach{make(chan struct{}, maxLooking), os.Lstat} }

// Lstat is os.Lstat, for whoever is about to work on the disk. It has code
// core.CodeUnavailable when others have been waiting for the disk for too long.
func (r *Reach) Lstat(ctx context.Context, path string) (fs.FileInfo, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer func() { <-r.places }()
	return r.lstat(path)
}

func (r *Reach) enter(ctx context.Context) error {
	select {
	case r.places <- struct{}{}:
		return nil
	default:
	}
	patience := time.NewTimer(reachPatience)
	defer patience.Stop()
	select {
	case r.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return core.Errorf(core.CodeUnavailable, "the disk does not answer: try again in a moment")
	}
}
