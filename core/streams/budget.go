// Package streams bounds what holds a connection for hours: streams of events, the
// WebSockets of rooms, and what pages of previews keep open. All of a process come out of
// one Budget, so that they never use up the files that it may have open: nobody would get
// a connection then.
package streams

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// Again is when a caller without a place may ask again.
const Again = 10 * time.Second

// fewest is how many places a budget has at least.
const fewest = 8

// Budget has places for streams. An eighth of them, beside those that all can have, is
// kept for people and previews with none. Pages of previews, whose visitors nobody knows,
// have no more than half of the places together, and those of one preview a quarter.
//
// Many goroutines may use a Budget. A nil one has a place for everybody.
type Budget struct {
	places *fair.Semaphore
	// ofPerson, ofPages and ofPreview bound what one person has, all pages together, and
	// those of one preview.
	ofPerson, ofPages, ofPreview int64

	// mu is held while a place is given, so that the bounds hold.
	mu sync.Mutex
	// people and pages are how many places they have.
	people, pages int64
}

// New returns a budget of places, 8 at least, of which one person has perPerson at most,
// over all of their tabs and programs; 0 is all that there are.
func New(places, perPerson int64) *Budget {
	places = max(places, fewest)
	if perPerson <= 0 || perPerson > places {
		perPerson = places
	}
	return &Budget{
		places:   fair.New(fair.Bounds{Places: places, Kept: places / 8}),
		ofPerson: perPerson, ofPages: places / 2, ofPreview: places / 4,
	}
}

// Open takes a place for a person, and returns what gives it back; calling that again
// does nothing. One too many of their own has code core.CodeRateLimited, and
// core.CodeUnavailable says that everybody's are taken. Both say when to try again.
func (b *Budget) Open(person core.ID) (done func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.places.Held(person) >= b.ofPerson {
		return nil, refused(core.CodeRateLimited, "you have %d streams open, which is all that one person may: close some first", b.ofPerson)
	}
	return b.take(person, &b.people)
}

// OpenPage is Open for a page of a project's preview.
func (b *Budget) OpenPage(project core.ID) (done func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.places.Held(project) >= b.ofPreview {
		return nil, refused(core.CodeRateLimited, "too many pages of this preview are open: close some first")
	}
	if b.pages >= b.ofPages {
		return nil, full()
	}
	return b.take(project, &b.pages)
}

// take takes a place, under mu, and counts it.
func (b *Budget) take(tenant core.ID, kind *int64) (func(), error) {
	if !b.places.TryAcquire(tenant, 1) {
		return nil, full()
	}
	*kind++
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		*kind--
		b.places.Release(tenant, 1)
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
	err.RetryAfter = Again
	return err
}
