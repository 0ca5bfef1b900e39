// Package pubsub distributes notices to the subscribers in this process.
package pubsub

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// backlog is the length of a subscriber's queue. A subscriber that falls further behind
// misses notices, as broadcast.Bus specifies.
const backlog = 32

// Hub distributes notices by project. Every subscriber gets them in the order of Publish.
type Hub struct {
	mu          sync.Mutex
	subscribers map[core.ID]map[*subscriber]struct{}
}

// NewHub returns a hub without subscribers.
func NewHub() *Hub {
	return &Hub{subscribers: make(map[core.ID]map[*subscriber]struct{})}
}

// Publish queues a notice for the subscribers of its project. It never blocks.
func (h *Hub) Publish(notice *core.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for subscriber := range h.subscribers[notice.ProjectID] {
		subscriber.add(notice)
	}
}

// PublishLagged tells every subscriber of every project that it may have missed notices.
func (h *Hub) PublishLagged() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for project, subscribers := range h.subscribers {
		marker := core.Notice{Kind: core.NoticeLagged, ProjectID: project}
		for subscriber := range subscribers {
			subscriber.add(&marker)
		}
	}
}

// Subscribe returns a channel of the project's notices from now on. When ctx ends, the
// channel is closed and then unsubscribed is called.
func (h *Hub) Subscribe(ctx context.Context, project core.ID, unsubscribed func()) <-chan *core.Notice {
	added := &subscriber{notices: make(chan *core.Notice, backlog+1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subscribers[project] == nil {
		h.subscribers[project] = make(map[*subscriber]struct{})
	}
	h.subscribers[project][added] = struct{}{}
	context.AfterFunc(ctx, func() {
		h.remove(project, added)
		unsubscribed()
	})
	return added.notices
}

func (h *Hub) remove(project core.ID, removed *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subscribers[project], removed)
	if len(h.subscribers[project]) == 0 {
		delete(h.subscribers, project)
	}
	close(removed.notices)
}

// subscriber is one call of Subscribe. Its channel has room for the backlog and one
// marker, so adding never blocks. lagging is true while the marker is the last notice in
// the channel.
type subscriber struct {
	notices chan *core.Notice
	lagging bool
}

// add runs under the hub's lock. Meanwhile the channel can only get emptier.
func (s *subscriber) add(notice *core.Notice) {
	isMarker := notice.Kind == core.NoticeLagged
	switch {
	case s.lagging && (isMarker || len(s.notices) >= backlog):
		// The channel already ends with a marker.
	case len(s.notices) < backlog:
		s.notices <- notice
		s.lagging = isMarker
	default:
		s.notices <- &core.Notice{Kind: core.NoticeLagged, ProjectID: notice.ProjectID}
		s.lagging = true
	}
}
