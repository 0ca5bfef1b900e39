// Package locks is the port to the lock that serialises those who change one
// thing, such as the writers of a project.
package locks

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Locker gives out one lock a record: a project, or whatever else has an id.
type Locker interface {
	// Lock waits until the caller alone holds the record's lock, and returns what
	// gives it back; calling that again does nothing. It returns ctx's error when
	// ctx ends first; a lock that is held stays held when ctx ends. Locks that cannot
	// be asked for have code core.CodeUnavailable. A lock is not reentrant, and nobody
	// takes another under it; a process that dies gives back what it held.
	Lock(ctx context.Context, record core.ID) (unlock func(), err error)
}
