package preview

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// watcher is a subscriber of a feed. Its channel closes when it is cut off or the session
// ends; gone closes with it.
type watcher struct {
	events chan Event
	gone   chan struct{}
	who    viewer
	// allowed returns an error if the watcher may no longer watch.
	allowed func(context.Context) error
}

// viewer identifies a watcher: a member, or a page of the preview with its audience, which
// only gets events of builds.
type viewer struct {
	member core.ID
	page   Audience
}

// feed delivers the events of one preview to its watchers (publish/subscribe with a bounded
// queue for each). It also has the console of the build that is served, because a build and
// the entries of its pages reach the watchers in order.
type feed struct {
	// mu guards the fields below.
	mu       sync.Mutex
	watchers watchers
	console  console
	over     bool
}

// subscribe adds a watcher, whose queue begins with first.
func (f *feed) subscribe(who viewer, allowed func(context.Context) error, first ...Event) (*watcher, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, errEnded
	}
	if err := f.watchers.check(who); err != nil {
		return nil, err
	}
	w := &watcher{events: make(chan Event, watcherBacklog), gone: make(chan struct{}), who: who, allowed: allowed}
	f.watchers[w] = struct{}{}
	for _, event := range first {
		w.events <- event
	}
	return w, nil
}

// drop cuts a watcher off; it is idempotent.
func (f *feed) drop(w *watcher) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers.drop(w)
}

// build sends the event of a build. A build that is served from now on begins with an empty
// console.
func (f *feed) build(event Event, served bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if served {
		f.console.clear()
	}
	f.watchers.send(event)
}

// status sends a status to one watcher, or to all that are not pages.
func (f *feed) status(status Status, only *watcher) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if only == nil {
		f.watchers.send(statusEvent(status))
		return
	}
	f.watchers.sendTo(only, statusEvent(status))
}

// report adds an entry to the console and sends it, within the limits of its rate.
func (f *feed) report(entry ConsoleEntry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.console.admit(entry, time.Now()) {
		refused := core.Errorf(core.CodeRateLimited, "the preview's pages write too much to the console: try again in a moment")
		refused.RetryAfter = time.Second
		return refused
	}
	f.console.add(entry)
	f.watchers.send(Event{Type: EventConsole, ConsoleEntry: &entry})
	return nil
}

// entries returns the console's entries as lines, the oldest first.
func (f *feed) entries() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines := make([]string, 0, len(f.console.entries))
	for _, entry := range f.console.entries {
		lines = append(lines, entry.String())
	}
	return lines
}

// all returns the watchers of the moment.
func (f *feed) all() []*watcher {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.watchers))
}

// isWatched reports whether there are watchers.
func (f *feed) isWatched() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.watchers) > 0
}

// end cuts all watchers off. No watcher remains.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	for w := range f.watchers {
		f.watchers.drop(w)
	}
}

// watchers are the subscribers of a feed.
type watchers map[*watcher]struct{}

// check returns an error if there are too many watchers of a kind.
func (all watchers) check(who viewer) error {
	alike, own := 0, 0
	for other := range all {
		if other.who.page == who.page {
			alike++
		}
		if other.who == who {
			own++
		}
	}
	var full *core.Error
	switch {
	case who.page != "" && alike >= maxPages:
		full = core.Errorf(core.CodeRateLimited, "%d pages of this preview are already open: close some", maxPages)
	case who.page == "" && own >= maxOwn:
		full = core.Errorf(core.CodeRateLimited, "you already have %d streams of this preview open: close some", maxOwn)
	case who.page == "" && alike >= maxWatchers:
		full = core.Errorf(core.CodeRateLimited, "%d streams of this preview are already open: try again later", maxWatchers)
	default:
		return nil
	}
	full.RetryAfter = recheck
	return full
}

// drop cuts a watcher off; it is idempotent.
func (all watchers) drop(w *watcher) {
	if _, there := all[w]; !there {
		return
	}
	delete(all, w)
	close(w.events)
	close(w.gone)
}

// send sends an event to all watchers that it is for.
func (all watchers) send(event Event) {
	for w := range all {
		if w.who.page == "" || event.Type == EventBuildOK || event.Type == EventBuildError {
			all.sendTo(w, event)
		}
	}
}

// sendTo never waits: a watcher without room is cut off, and starts with the current state
// when it watches again.
func (all watchers) sendTo(w *watcher, event Event) {
	if _, there := all[w]; !there {
		return
	}
	select {
	case w.events <- event:
	default:
		all.drop(w)
	}
}
