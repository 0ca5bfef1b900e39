// Package followers passes notices on to those in this process who follow a project.
package followers

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// backlog is how many notices are queued for a follower before it misses some, as
// broadcast.Bus specifies.
const backlog = 32

// Hub passes notices on to its followers, in the order of Deliver.
type Hub struct {
	mu        sync.Mutex
	followers map[core.ID]map[*follower]struct{}
}

// NewHub returns a hub without followers.
func NewHub() *Hub {
	return &Hub{followers: make(map[core.ID]map[*follower]struct{})}
}

// Deliver passes a notice to the followers of its project and waits for none of them.
func (h *Hub) Deliver(notice *core.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for follower := range h.followers[notice.ProjectID] {
		follower.add(notice)
	}
}

// Interrupt tells every follower of every project that it may have missed something.
func (h *Hub) Interrupt() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for project, followers := range h.followers {
		marker := core.Notice{Kind: core.NoticeLagged, ProjectID: project}
		for follower := range followers {
			follower.add(&marker)
		}
	}
}

// Follow returns a channel of the notices of a project from now on. When ctx ends the
// channel is closed, and then left is called.
func (h *Hub) Follow(ctx context.Context, project core.ID, left func()) <-chan *core.Notice {
	joining := &follower{notices: make(chan *core.Notice, backlog+1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.followers[project] == nil {
		h.followers[project] = make(map[*follower]struct{})
	}
	h.followers[project][joining] = struct{}{}
	context.AfterFunc(ctx, func() {
		h.remove(project, joining)
		left()
	})
	return joining.notices
}

func (h *Hub) remove(project core.ID, leaving *follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.followers[project], leaving)
	if len(h.followers[project]) == 0 {
		delete(h.followers, project)
	}
	close(leaving.notices)
}

// follower is one call of Follow. Its channel has room for the backlog and one marker, so
// adding never blocks. lagging means that the marker is the last notice in the channel.
type follower struct {
	notices chan *core.Notice
	lagging bool
}

// add runs under the hub's lock, so the channel can only get emptier meanwhile.
func (f *follower) add(notice *core.Notice) {
	isMarker := notice.Kind == core.NoticeLagged
	switch {
	case f.lagging && (isMarker || len(f.notices) >= backlog):
		// The marker in the channel already says so.
	case len(f.notices) < backlog:
		f.notices <- notice
		f.lagging = isMarker
	default:
		f.notices <- &core.Notice{Kind: core.NoticeLagged, ProjectID: notice.ProjectID}
		f.lagging = true
	}
}
