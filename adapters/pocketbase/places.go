package pocketbase

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// places has the data sets of an engine. Unused ones are closed after a while, and the
// least recently used one is closed for another if too many are open (room.go).
type places struct {
	config Config
	room   room

	mu     sync.Mutex
	sets   map[backend.Place]*dataSet
	closed bool
	// sweep stops the goroutine that closes idle places; done is closed at its end.
	sweep context.CancelFunc
	done  chan struct{}
}

// newPlaces returns the places below config.Dir. The caller closes them.
func newPlaces(config Config) *places {
	ctx, cancel := context.WithCancel(context.Background())
	p := &places{config: config, sets: make(map[backend.Place]*dataSet), sweep: cancel, done: make(chan struct{})}
	p.room.most = config.MaxOpen
	go p.closeIdle(ctx)
	return p
}

// close closes all places. None can be opened afterwards.
func (p *places) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.sweep()
	<-p.done
	var errs []error
	for _, set := range p.all() {
		errs = append(errs, set.close())
	}
	return errors.Join(errs...)
}

// read calls work with an open place, concurrently with requests. It waits for the end of a switch.
func (p *places) read(ctx context.Context, place backend.Place, work func(app *application) error) error {
	set, done, err := p.use(place)
	if err != nil {
		return err
	}
	defer done()
	set.owner.note(ctx)
	return onceOpen(ctx, set, func(app *application) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return work(app)
	})
}

// closeIdle closes unused places, until ctx ends.
func (p *places) closeIdle(ctx context.Context) {
	defer close(p.done)
	ticker := time.NewTicker(max(p.config.Idle/10, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			p.closeUnused(time.Now().Add(-p.config.Idle))
		}
	}
}

// closeUnused closes and forgets the places that have not been used since a time.
func (p *places) closeUnused(before time.Time) {
	any := false
	for _, set := range p.all() {
		closed, err := set.closeIf(func() bool { return set.borrowed == 0 && set.used.Before(before) })
		if err != nil {
			p.config.Log.Warn("could not close a backend", "project", set.place.Project, "error", err)
		}
		any = any || closed
		p.forget(set, before)
	}
	if any {
		// Without this, an idle process would keep the memory.
		debug.FreeOSMemory()
	}
}

// forget drops a closed data set that has no holders and has not been used since a time.
func (p *places) forget(set *dataSet, before time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Without a holder, nothing can open it meanwhile.
	if set.holders == 0 && set.restsSince(before) && p.sets[set.place] == set {
		delete(p.sets, set.place)
	}
}

// all returns the data sets that are open or were used recently.
func (p *places) all() []*dataSet {
	p.mu.Lock()
	defer p.mu.Unlock()
	sets := make([]*dataSet, 0, len(p.sets))
	for _, set := range p.sets {
		sets = append(sets, set)
	}
	return sets
}

// use returns the data set of a place, which need not exist on the disk, and a function to
// release it. Until then, the place has no other data set.
func (p *places) use(place backend.Place) (*dataSet, func(), error) {
	if !isPlace(place) {
		return nil, nil, core.NotFound("backend")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, core.Errorf(core.CodeUnavailable, "the service is shutting down")
	}
	set := p.sets[place]
	if set == nil {
		dir, err := p.dirOf(place)
		if err != nil {
			return nil, nil, err
		}
		set = newDataSet(place, dir, p)
		p.sets[place] = set
	}
	set.holders++
	return set, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		set.holders--
	}, nil
}

// isPlace reports whether the parts of a place are valid names of directories.
func isPlace(place backend.Place) bool {
	if _, err := core.ParseID(string(place.Project)); err != nil {
		return false
	}
	if place.Copy != "" {
		if _, err := core.ParseID(string(place.Copy)); err != nil {
			return false
		}
	}
	_, err := core.ParseDataEnv(string(place.Env))
	return err == nil
}

// removeCopies removes the scratch copies of an earlier engine that crashed.
func (p *places) removeCopies() error {
	left, err := filepath.Glob(filepath.Join(escape(p.config.Dir), "*", copiesDir))
	if err != nil {
		return err
	}
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return errors.Join(err, p.removeSharedCopies())
}

// escape makes a path a pattern that matches only that path.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// copiesDir is the directory of a project's scratch copies.
const copiesDir = "copies"
