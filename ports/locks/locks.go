// Package locks is the port to the lock that serialises the writers of a project.
package locks

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Locker gives out one lock a project.
type Locker interface {
	// Lock waits until the caller alone holds the project's lock, and returns what
	// gives it back. It returns ctx's error when ctx ends first. A lock is not
	// reentrant; a process that dies gives back what it held.
	Lock(ctx context.Context, project core.ID) (unlock func(), err error)
}
