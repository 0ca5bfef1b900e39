package preview

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
)

// Rehearse returns an address of a project's preview at which the pages get a copy of test data
// instead of the data that people see. It ends with end, and is known to this process only. The
// caller has checked access.
func (s *Service) Rehearse(ctx context.Context, project, dataCopy core.ID) (url string, end func(), err error) {
	a := s.addresses
	if _, err := a.stateOf(ctx, project); err != nil {
		return "", nil, err
	}
	// The id makes the label one that nobody has had before.
	label := a.label(project, AudienceRehearsal, []string{string(dataCopy), string(core.NewID())})
	a.rehearsals.add(label, Visit{Project: project, Audience: AudienceRehearsal, Copy: dataCopy})
	return a.scheme + "://" + label + "." + a.domain, func() { a.rehearsals.remove(label) }, nil
}

// rehearsals are the visits at addresses of their own, by label.
type rehearsals struct {
	mu     sync.Mutex
	visits map[string]Visit
}

func newRehearsals() *rehearsals { return &rehearsals{visits: make(map[string]Visit)} }

func (r *rehearsals) at(label string) (Visit, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	visit, found := r.visits[label]
	return visit, found
}

func (r *rehearsals) add(label string, visit Visit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.visits[label] = visit
}

func (r *rehearsals) remove(label string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.visits, label)
}
