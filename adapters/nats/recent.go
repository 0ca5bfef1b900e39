package nats

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// doubtful is how long a notice may still be lost after it was sent. It is longer
	// than the time to detect a silent server.
	doubtful = 15 * time.Second
	// maxDoubts is how many projects one generation remembers.
	maxDoubts = 4096
)

// doubts remembers, in two generations, the projects about which this process recently
// published. When the connection is lost, it is unknown which of those notices were
// delivered. While it is lost, nothing is forgotten.
type doubts struct {
	mu         sync.Mutex
	young, old map[core.ID]struct{}
	turned     time.Time
	away       bool
	// crowded means that there were more projects than are remembered, and until when
	// that matters.
	crowded time.Time
}

func newDoubts() *doubts { return &doubts{young: make(map[core.ID]struct{})} }

// add records that a notice about the project is being sent.
func (d *doubts) add(project core.ID, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.away && now.Sub(d.turned) > doubtful {
		d.old, d.young, d.turned = d.young, make(map[core.ID]struct{}), now
	}
	if _, known := d.young[project]; known {
		return
	}
	if len(d.young) >= maxDoubts {
		d.crowded = now
		return
	}
	d.young[project] = struct{}{}
}

// addAll records that every project is affected.
func (d *doubts) addAll(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.crowded = now
}

// keep prevents forgetting until take.
func (d *doubts) keep() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = true
}

// take returns everything and forgets it: some projects, or that it may be any.
func (d *doubts) take(now time.Time) (projects []core.ID, all bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for project := range d.young {
		projects = append(projects, project)
	}
	for project := range d.old {
		if _, known := d.young[project]; !known {
			projects = append(projects, project)
		}
	}
	all = !d.crowded.IsZero() && (d.away || now.Sub(d.crowded) <= 2*doubtful)
	d.young, d.old, d.turned, d.away, d.crowded = make(map[core.ID]struct{}), nil, now, false, time.Time{}
	return projects, all
}
