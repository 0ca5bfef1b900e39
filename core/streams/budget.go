// Package streams bounds long-lived connections: streams of events, the WebSockets of
// rooms, and the connections of preview pages. All those of a process count against one
// Budget, so that they never use up its open files, which new connections need.
package streams

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// RetryAfter is when a caller without a place may try again.
const RetryAfter = 10 * time.Second

// fewest is the least number of places of a budget.
const fewest = 8

// Budget is a semaphore with places for streams. An eighth of them is additionally kept
// for people and previews without any. Pages of previews, whose visitors are anonymous,
// have at most half of the places together, and those of one preview a quarter.
//
// Many goroutines may use a Budget. A nil Budget has no bounds.
type Budget struct {
	semaphore *fair.Semaphore
	// ofPerson, ofPages and ofPreview bound the places of one person, of all pages
	// together, and of the pages of one preview.
	ofPerson, ofPages, ofPreview int64

	// mu is held while a place is taken, so that the bounds hold.
	mu sync.Mutex
	// people and pages are how many places they have.
	people, pages int64
}

// New returns a budget of places, at least 8. One person has at most perPerson of them,
// over all of their tabs and programs; 0 means no bound per person.
func New(places, perPerson int64) *Budget {
	places = max(places, fewest)
	if perPerson <= 0 || perPerson > places {
		perPerson = places
	}
	return &Budget{
		semaphore: fair.New(fair.Bounds{Capacity: places, Reserve: places / 8}),
		ofPerson:  perPerson, ofPages: places / 2, ofPreview: places / 4,
	}
}

// Open takes a place for a person, and returns an idempotent function that releases it.
// It returns core.CodeRateLimited if the person has too many, and core.CodeUnavailable
// if all places are taken. Both say when to try again.
func (b *Budget) Open(person core.ID) (done func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.semaphore.Held(person) >= b.ofPerson {
		return nil, refused(core.CodeRateLimited, "you already have %d streams open, the maximum: close some first", b.ofPerson)
	}
	return b.takeLocked(person, &b.people)
}

// OpenPage is Open for a page of a project's preview.
func (b *Budget) OpenPage(project core.ID) (done func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.semaphore.Held(project) >= b.ofPreview {
		return nil, refused(core.CodeRateLimited, "too many pages of this preview are open: close some first")
	}
	if b.pages >= b.ofPages {
		return nil, full()
	}
	return b.takeLocked(project, &b.pages)
}

// takeLocked takes a place and counts it.
func (b *Budget) takeLocked(tenant core.ID, kind *int64) (func(), error) {
	if !b.semaphore.TryAcquire(tenant, 1) {
		return nil, full()
	}
	*kind++
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		*kind--
		b.semaphore.Release(tenant, 1)
	}), nil
}

// Count returns how many places people and pages of previews have.
func (b *Budget) Count() (people, pages int64) {
	if b == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.people, b.pages
}

func full() error {
	return refused(core.CodeUnavailable, "too many streams are open at the moment: try again later")
}

func refused(code core.Code, format string, args ...any) error {
	err := core.Errorf(code, format, args...)
	err.RetryAfter = RetryAfter
	return err
}
