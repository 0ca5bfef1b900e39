package models

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core/dialect"
)

// refusalTime is how long a model counts as one without tools after its server refused them: an endpoint
// behind a router may have been the wrong one.
const refusalTime = 10 * time.Minute

// toolMemory is what this process knows of how models call tools, so that not every run has to find it
// out again.
type toolMemory struct {
	now    func() time.Time
	mu     sync.Mutex
	models map[string]toolRecord
}

// toolRecord is about one model.
type toolRecord struct {
	// worked says that it has called a tool, refused is when its server refused them.
	worked  bool
	refused time.Time
}

func newToolMemory(now func() time.Time) *toolMemory {
	return &toolMemory{now: now, models: map[string]toolRecord{}}
}

// refuses reports whether a model's server has refused tools lately.
func (m *toolMemory) refuses(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	refused := m.models[name].refused
	return !refused.IsZero() && m.now().Sub(refused) < refusalTime
}

// of is what is known of one model.
func (m *toolMemory) of(name string) dialect.Memory { return modelMemory{m, name} }

type modelMemory struct {
	*toolMemory
	name string
}

// Worked implements dialect.Memory.
func (m modelMemory) Worked() { m.change(func(r *toolRecord) { *r = toolRecord{worked: true} }) }

// Refused implements dialect.Memory.
func (m modelMemory) Refused() (believed bool) {
	m.change(func(r *toolRecord) {
		if believed = !r.worked; believed {
			r.refused = m.now()
		}
	})
	return believed
}

func (m modelMemory) change(change func(*toolRecord)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.models) >= maxLists {
		clear(m.models)
	}
	record := m.models[m.name]
	change(&record)
	m.models[m.name] = record
}
