package bwrap

import (
	"context"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// Sweep removes unused workplaces immediately.
func (t *Tools) Sweep() { t.sweep(unusedTime) }

// CountedBeside is countedBeside.
func CountedBeside(release string) int { return countedBeside(release) }

// Take locks a project's workplace and returns the function that unlocks it.
func (t *Tools) Take(ctx context.Context, project core.ID) (func(), error) {
	return t.take(ctx, project)
}

// DiskUse is diskUse.
type DiskUse struct{ *diskUse }

// NewDiskUse is newDiskUse on a disk with fake free space.
func NewDiskUse(most int64, room func(string) (int64, error), dirs ...string) DiskUse {
	use := newDiskUse(most, dirs...)
	use.room = room
	use.free, _ = room(dirs[0])
	return DiskUse{use}
}

// BeginAfter begins once a file's last change is too old to count, whatever the step of the
// file system's clock.
func (u DiskUse) BeginAfter(name string) error {
	var stat unix.Stat_t
	if err := unix.Stat(name, &stat); err != nil {
		return err
	}
	conformance.Becomes(func() bool { return time.Since(time.Unix(stat.Ctim.Unix())) > 2*clockStep })
	u.begun = time.Now()
	return nil
}

// Exceeded is diskUse.exceeded.
func (u DiskUse) Exceeded(ctx context.Context, pid int) bool { return u.exceeded(ctx, pid) }
