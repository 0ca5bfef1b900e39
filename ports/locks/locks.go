// Package locks is the port to the lock that serialises those who change one
// thing, such as the writers of a project.
package locks

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Locker gives out one lock a record: a project, or whatever else has an id.
type Locker interface {
	// Lock waits until the caller alone holds the record's lock. It returns the context
	// of the work under the lock, which is ctx for Check to know the lock by, and what
	// gives the lock back; calling that again does nothing. It returns ctx's error when
	// ctx ends first; a lock that is held stays held when ctx ends. Locks that cannot
	// be asked for have code core.CodeUnavailable. A lock is not reentrant, and nobody
	// takes another under it; a process that dies gives back what it held, and one that
	// shows no life for 10 seconds may lose it.
	Lock(ctx context.Context, record core.ID) (held context.Context, unlock func(), err error)
}

// Check reports whether the lock that the work of ctx is done under is still the
// caller's. Code that changes what others see asks right before each step, because a
// process that stood still does not know that others have gone on meanwhile. A lock that
// was lost has code core.CodeUnavailable, now and ever after. Work that is under no lock,
// or under one that cannot be lost, passes.
//
// Check is cheap while the holder has had signs of life; it may be called from many
// goroutines.
func Check(ctx context.Context) error {
	if check, under := ctx.Value(key{}).(func() error); under {
		return check()
	}
	return nil
}

// With returns ctx for work under a lock, of which check knows what Check tells.
func With(ctx context.Context, check func() error) context.Context {
	return context.WithValue(ctx, key{}, check)
}

type key struct{}
