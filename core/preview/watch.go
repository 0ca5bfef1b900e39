package preview

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
)

// EventType discriminates the events of a preview.
type EventType string

// The types of preview events.
const (
	EventStatus     EventType = "preview.status"
	EventBuildOK    EventType = "build.ok"
	EventBuildError EventType = "build.error"
	EventConsole    EventType = "console"
)

// Event is an event of a preview. A status has URL, Status, Runtime, Progress, Diagnostics
// and Warnings. build.ok and build.error have Build, the ID of the build that is served (""
// before the first good one). build.error also has Diagnostics. console has an entry's
// members.
type Event struct {
	Type        EventType         `json:"type"`
	URL         string            `json:"url,omitzero"`
	Status      State             `json:"status,omitzero"`
	Runtime     Runtime           `json:"runtime,omitzero"`
	Progress    string            `json:"progress,omitzero"`
	Build       string            `json:"build,omitzero"`
	Diagnostics []core.Diagnostic `json:"diagnostics,omitzero"`
	Warnings    []core.Diagnostic `json:"warnings,omitempty"`
	*ConsoleEntry
}

func statusEvent(status Status) Event {
	return Event{
		Type: EventStatus, URL: status.URL, Status: status.Status,
		Runtime: status.Runtime, Progress: status.Progress, Diagnostics: status.Diagnostics, Warnings: status.Warnings,
	}
}

// event returns the event for the last build.
func (o outcome) event() Event {
	event := Event{Type: EventBuildOK, Build: o.served()}
	if wrong := o.shown(); len(wrong) > 0 {
		event.Type, event.Diagnostics = EventBuildError, wrong
	}
	return event
}

const (
	// watcherBacklog is how many events wait for a watcher before it is cut off.
	watcherBacklog = 64
	// maxWatchers bounds the members' streams of one preview, and maxOwn those of one
	// member. maxPages bounds the open pages of each audience, so that guests take no
	// places from members.
	maxWatchers = 200
	maxOwn      = 16
	maxPages    = 200
	// recheck is how often a watcher's access is checked, so that it loses its stream soon
	// after its access.
	recheck = 10 * time.Second
)

// Watch starts the project's preview if need be and delivers its events, the status first,
// until ctx ends; then the channel is closed. It is closed earlier if the watcher falls 64
// events behind, if the preview's session ends, and within 10 seconds of losing access. A
// caller with access may watch again.
//
// Errors are those of access.Gate.Project, and core.CodeRateLimited if the caller, or all
// members together, already have too many streams.
func (s *Service) Watch(ctx context.Context, by core.Actor, project core.ID) (<-chan Event, error) {
	allowed := func(ctx context.Context) error {
		_, err := s.deps.Gate.Project(ctx, by, core.ActionPreviewWatch, project)
		return err
	}
	if err := allowed(ctx); err != nil {
		return nil, err
	}
	return s.subscribe(ctx, project, viewer{member: by.UserID}, allowed)
}

// WatchBuilds is Watch for a page of the preview, identified by the label of its host name
// (Resolve). It delivers only events of builds, the last one first.
func (s *Service) WatchBuilds(ctx context.Context, label string) (<-chan Event, error) {
	visit, err := s.Resolve(ctx, label)
	if err != nil {
		return nil, err
	}
	return s.subscribe(ctx, visit.Project, viewer{page: visit.Audience}, func(ctx context.Context) error {
		_, err := s.Resolve(ctx, label)
		return err
	})
}

func (s *Service) subscribe(ctx context.Context, project core.ID, who viewer, allowed func(context.Context) error) (<-chan Event, error) {
	for {
		running, err := s.sessions.open(ctx, project)
		if err != nil {
			return nil, err
		}
		w, err := running.results.subscribe(who, allowed)
		if errors.Is(err, errEnded) {
			<-running.gone
			continue
		}
		if err != nil {
			return nil, err
		}
		if who.page == "" {
			if err := running.announcer.announce(ctx, w); err != nil {
				running.leave(w)
				return nil, err
			}
		}
		return w.events, s.sessions.spawn(func() { running.guard(ctx, w) })
	}
}

// guard cuts a watcher off when ctx ends or when it is no longer allowed. It stays while
// the database does not answer.
func (s *session) guard(ctx context.Context, w *watcher) {
	defer s.leave(w)
	ticks := time.NewTicker(recheck)
	defer ticks.Stop()
	for {
		select {
		case <-w.gone:
			return
		case <-ctx.Done():
			return
		case <-ticks.C:
			if err := w.allowed(ctx); err != nil && !core.IsCode(err, core.CodeUnavailable) {
				return
			}
		}
	}
}

// leave cuts a watcher off. The session was in use until then.
func (s *session) leave(w *watcher) {
	s.lastUse.touch()
	s.feed.drop(w)
}
