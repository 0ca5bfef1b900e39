package preview

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// watcher is a subscriber of a session. Its channel closes when it is cut off or the
// session ends; gone closes with it.
type watcher struct {
	events chan Event
	gone   chan struct{}
	who    watching
	// allowed returns an error if the watcher may no longer watch.
	allowed func(context.Context) error
}

// watching identifies a watcher: a member, or a page of the preview with its audience,
// which only gets events of builds.
type watching struct {
	member core.ID
	page   Audience
}

// watchers are the subscribers of a session.
type watchers map[*watcher]struct{}

// check returns an error if there are too many watchers of a kind.
func (all watchers) check(who watching) error {
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
		full = core.Errorf(core.CodeRateLimited, "%d pages of this preview are open already: close some", maxPages)
	case who.page == "" && own >= maxOwn:
		full = core.Errorf(core.CodeRateLimited, "you watch this preview with %d streams already: close some", maxOwn)
	case who.page == "" && alike >= maxWatchers:
		full = core.Errorf(core.CodeRateLimited, "%d streams watch this preview already", maxWatchers)
	default:
		return nil
	}
	full.RetryAfter = recheck
	return full
}

// drop cuts a watcher off; it is idempotent.
func (all watchers) drop(watching *watcher) {
	if _, there := all[watching]; !there {
		return
	}
	delete(all, watching)
	close(watching.events)
	close(watching.gone)
}

// send sends an event to all watchers that it is for.
func (all watchers) send(event Event) {
	for watching := range all {
		if watching.who.page == "" || event.Type == EventBuildOK || event.Type == EventBuildError {
			all.sendTo(watching, event)
		}
	}
}

// sendTo never waits: a watcher without room is cut off, and starts with the current state
// when it watches again.
func (all watchers) sendTo(watching *watcher, event Event) {
	if _, there := all[watching]; !there {
		return
	}
	select {
	case watching.events <- event:
	default:
		all.drop(watching)
	}
}
