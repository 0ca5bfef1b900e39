package locks

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Locker has one lock per record: a project, or anything else with an id.
type Locker interface {
	// Lock waits until the caller alone holds the record's lock. It returns the context
	// for the work under the lock, with which Check identifies the lock, and an
	// idempotent function that releases it. It returns ctx's error if ctx ends first; the
	// end of ctx does not release a lock that is held. If the lock service cannot be
	// reached, the code is core.CodeUnavailable.
	//
	// A lock is not reentrant, and callers must not take another under it. The death of a
	// process releases its locks, and a process without a sign of life for 10 seconds may
	// lose them.
	Lock(ctx context.Context, record core.ID) (held context.Context, unlock func(), err error)
}

// Check checks that the caller still holds the lock of the work in ctx. Code that changes
// shared state calls it right before each step, because a process that hung does not know
// that others have taken over. A lost lock has code core.CodeUnavailable, permanently.
// Work without a lock, or under one that cannot be lost, passes.
//
// Check is cheap while the holder shows signs of life; it may be called from many
// goroutines.
func Check(ctx context.Context) error {
	if check, under := ctx.Value(key{}).(func() error); under {
		return check()
	}
	return nil
}

// With returns ctx for work under a lock; Check then calls check.
func With(ctx context.Context, check func() error) context.Context {
	return context.WithValue(ctx, key{}, check)
}

type key struct{}
