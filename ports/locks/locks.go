// Package locks is the port to the lock that serialises the writers of a project.
package locks

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Locker gives out one lock a project.
type Locker interface {
	// Lock waits until the caller alone holds the project's lock, and returns what
	// gives it back; calling that again does nothing. It returns ctx's error when
	// ctx ends first; a lock that is held stays held when ctx ends. A lock is not
	// reentrant; a process that dies gives back what it held.
	Lock(ctx context.Context, project core.ID) (unlock func(), err error)
}
