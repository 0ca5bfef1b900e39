package preview

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/broadcast"
)

// announcer tells people the status of one preview: the watchers of its feed, and over the
// bus those who follow the project.
type announcer struct {
	project  core.ID
	statuses *statuses
	bus      broadcast.Bus
	feed     *feed
	results  *results
	log      *slog.Logger

	// mu is held while a status is read and sent, so that the last one sent is the latest.
	mu sync.Mutex
	// told is the address that was last sent to all watchers.
	told string
}

// announce sends the status to one watcher, or to all that are not pages. Its address is a
// key that changes with the project's members, so a new address goes only to watchers that
// have access at that moment.
func (a *announcer) announce(ctx context.Context, only *watcher) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	status, err := a.statuses.of(ctx, a.project, AudienceMembers, a.results.latest())
	if err != nil {
		return err
	}
	if only != nil {
		if err := only.allowed(ctx); err != nil {
			return err
		}
	} else if status.URL != a.told {
		a.dismiss(ctx)
		a.told = status.URL
	}
	a.feed.status(status, only)
	return nil
}

// dismiss cuts off the watchers that have lost access, and those whose access cannot be
// checked.
func (a *announcer) dismiss(ctx context.Context) {
	for _, w := range a.feed.all() {
		if w.who.page == "" && w.allowed(ctx) != nil {
			a.feed.drop(w)
		}
	}
}

// conclude stores the outcome of a build of the files at a revision, and tells of it.
func (a *announcer) conclude(ctx context.Context, revision int64, next func(outcome) outcome) {
	before, after := a.results.record(revision, next)
	if before.tried && before.state() == after.state() && slices.Equal(before.shown(), after.shown()) && slices.Equal(before.warnings, after.warnings) {
		return
	}
	if err := a.announce(ctx, nil); err != nil {
		a.log.WarnContext(ctx, "could not notify followers of a preview's status", "project", a.project, "error", err)
		return
	}
	a.publish(ctx, after)
}

// progress stores and announces the progress until a development server answers.
func (a *announcer) progress(ctx context.Context, note string) {
	a.results.progress(note)
	if err := a.announce(ctx, nil); err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "could not notify followers of a preview's status", "project", a.project, "error", err)
	}
}

// publish sends the state of the preview to the project's followers.
func (a *announcer) publish(ctx context.Context, at outcome) {
	notice := core.Notice{
		Kind: core.NoticePreview, ProjectID: a.project,
		Preview: &core.PreviewState{Status: string(at.state()), Progress: at.note, Diagnostics: at.shown(), Warnings: at.warnings},
	}
	if err := a.bus.Publish(ctx, notice); err != nil {
		a.log.WarnContext(ctx, "could not publish a preview's status", "project", a.project, "error", err)
	}
}
