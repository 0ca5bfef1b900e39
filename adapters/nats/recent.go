package nats

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// lossTime is how long a notice may still be lost after it was sent. It is longer
	// than the time to detect a silent server.
	lossTime = 15 * time.Second
	// maxRecent is how many projects one generation remembers.
	maxRecent = 4096
)

// recentNotices remembers, in two generations, the projects about which this process recently
// published. When the connection is lost, it is unknown which of those notices were
// delivered. While it is lost, nothing is forgotten.
type recentNotices struct {
	mu         sync.Mutex
	young, old map[core.ID]struct{}
	turned     time.Time
	away       bool
	// crowded means that there were more projects than are remembered, and until when
	// that matters.
	crowded time.Time
}

func newRecentNotices() *recentNotices { return &recentNotices{young: make(map[core.ID]struct{})} }

// add records that a notice about the project is being sent.
func (r *recentNotices) add(project core.ID, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.away && now.Sub(r.turned) > lossTime {
		r.old, r.young, r.turned = r.young, make(map[core.ID]struct{}), now
	}
	if _, known := r.young[project]; known {
		return
	}
	if len(r.young) >= maxRecent {
		r.crowded = now
		return
	}
	r.young[project] = struct{}{}
}

// addAll records that every project is affected.
func (r *recentNotices) addAll(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.crowded = now
}

// keep prevents forgetting until take.
func (r *recentNotices) keep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = true
}

// take returns everything and forgets it: some projects, or that it may be any.
func (r *recentNotices) take(now time.Time) (projects []core.ID, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for project := range r.young {
		projects = append(projects, project)
	}
	for project := range r.old {
		if _, known := r.young[project]; !known {
			projects = append(projects, project)
		}
	}
	all = !r.crowded.IsZero() && (r.away || now.Sub(r.crowded) <= 2*lossTime)
	r.young, r.old, r.turned, r.away, r.crowded = make(map[core.ID]struct{}), nil, now, false, time.Time{}
	return projects, all
}
