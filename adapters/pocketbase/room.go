package pocketbase

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
)

const (
	// filesOfPlace is the largest number of open files per place: two per connection and one per
	// database. filesBeside are for everything else.
	filesOfPlace = 2*(dataConnections+2+auxConnections+1) + 2
	filesBeside  = 200
)

// openable returns how many places the process's limit of open files allows.
func openable() int {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) != nil {
		return math.MaxInt
	}
	most := min(files.Cur, math.MaxInt32)
	return int(max(most, filesBeside+filesOfPlace)-filesBeside) / filesOfPlace
}

// room limits the number of open places.
type room struct {
	most int

	mu   sync.Mutex
	open int
}

// enter counts an open place, unless there are too many.
func (r *room) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open >= r.most {
		return false
	}
	r.open++
	return true
}

// leave undoes enter.
func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
}

// count returns how many places are open.
func (r *room) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open
}

// admit makes room for one more open place by closing the least recently used one. If
// requests use all of them, it returns core.CodeUnavailable.
func (p *places) admit() error {
	for !p.room.enter() {
		if !p.closeOldest() {
			return core.Errorf(core.CodeUnavailable, "too many applications are in use at the moment (BACKEND_MAX_OPEN): try again")
		}
	}
	return nil
}

// closeOldest closes the least recently used place without users, and reports whether there
// was one. If all have streams, it ends the streams of one, which makes room shortly
// afterwards. Their clients reconnect.
func (p *places) closeOldest() bool {
	var lent *dataSet
	for _, set := range p.byAge() {
		closed, err := set.closeIf(func() bool { return set.borrowed == 0 })
		if err != nil {
			p.config.Log.Warn("could not close a backend", "project", set.place.Project, "error", err)
		}
		if closed {
			return true
		}
		if lent == nil && set.isLent() {
			lent = set
		}
	}
	if lent != nil {
		lent.endStreams()
	}
	return false
}

// byAge returns the open places, least recently used first.
func (p *places) byAge() []*dataSet {
	used := make(map[*dataSet]time.Time)
	for _, set := range p.all() {
		set.mu.Lock()
		if set.app != nil {
			used[set] = set.used
		}
		set.mu.Unlock()
	}
	return slices.SortedFunc(maps.Keys(used), func(a, b *dataSet) int { return used[a].Compare(used[b]) })
}
