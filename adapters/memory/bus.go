package memory

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/broadcast"
)

// busBacklog is how many notices wait for a follower before it misses some, as
// broadcast.Bus says.
const busBacklog = 32

// Bus carries notices between the goroutines of one process.
type Bus struct {
	mu        sync.Mutex
	followers map[core.ID]map[*busFollower]struct{}
}

var _ broadcast.Bus = (*Bus)(nil)

// NewBus returns a bus without followers.
func NewBus() *Bus {
	return &Bus{followers: make(map[core.ID]map[*busFollower]struct{})}
}

// Publish implements broadcast.Bus. It never fails.
func (b *Bus) Publish(_ context.Context, notice core.Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for follower := range b.followers[notice.ProjectID] {
		follower.add(&notice)
	}
	return nil
}

// Follow implements broadcast.Bus. It never fails.
func (b *Bus) Follow(ctx context.Context, project core.ID) (<-chan *core.Notice, error) {
	follower := &busFollower{notices: make(chan *core.Notice, busBacklog+1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.followers[project] == nil {
		b.followers[project] = make(map[*busFollower]struct{})
	}
	b.followers[project][follower] = struct{}{}
	context.AfterFunc(ctx, func() { b.remove(project, follower) })
	return follower.notices, nil
}

// Check implements broadcast.Bus: memory always works.
func (b *Bus) Check(context.Context) error { return nil }

func (b *Bus) remove(project core.ID, follower *busFollower) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.followers[project], follower)
	if len(b.followers[project]) == 0 {
		delete(b.followers, project)
	}
	close(follower.notices)
}

// busFollower is one call of Follow. Its channel has room for the backlog and
// the marker behind it, so adding never waits. lagging says that the marker is
// the last notice in the channel.
type busFollower struct {
	notices chan *core.Notice
	lagging bool
}

// add runs under the bus's lock, so the channel only becomes emptier meanwhile.
func (f *busFollower) add(notice *core.Notice) {
	switch {
	case len(f.notices) < busBacklog:
		f.notices <- notice
		f.lagging = false
	case !f.lagging:
		f.notices <- &core.Notice{Kind: core.NoticeLagged, ProjectID: notice.ProjectID}
		f.lagging = true
	}
}
