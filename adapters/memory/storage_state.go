package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// storeState is everything that a Store holds. A committed state never changes.
type storeState struct {
	users       storeTable[core.ID, core.User]
	workspaces  storeTable[core.ID, core.Workspace]
	members     storeTable[storeMember, core.Membership]
	folders     storeTable[core.ID, core.Folder]
	projects    storeTable[core.ID, core.Project]
	files       storeTable[core.ID, storeFileList]
	chats       storeTable[core.ID, core.Chat]
	events      storeTable[core.ID, []storedEvent]
	runs        storeTable[core.ID, core.Run]
	busy        storeTable[core.ID, core.ID]
	attachments storeTable[core.ID, storedImage]
	providers   storeTable[core.ID, core.Provider]
	usage       storeTable[storeUsageKey, core.UsageRow]
	charged     storeTable[core.ID, float64]
	deployments storeTable[core.ID, core.Deployment]
	variables   storeTable[storeVariable, core.Variable]
	domains     storeTable[core.ID, core.Domain]
	thumbnails  storeTable[core.ID, core.Thumbnail]
	rooms       storeTable[core.ID, storedRoom]
	slugHolds   storeTable[string, storedSlugHold]
	modes       storeTable[core.ID, core.Mode]
	mails       storeTable[core.ID, core.MailJob]
	mailCounts  storeTable[storeMailCount, int]
	audit       storeTable[core.ID, core.AuditEntry]
	owner       *storeOwner

	identities    storeTable[storeIdentity, core.Identity]
	tickets       storeTable[storeTicket, core.Ticket]
	sessions      storeTable[core.ID, core.Session]
	tokens        storeTable[core.ID, core.APIToken]
	subscriptions storeTable[core.ID, core.Subscription]
	invites       storeTable[core.ID, core.Invite]
}

// storeOwner tells states apart. It has a size, so that no two share an address.
type storeOwner struct{ _ byte }

func (s *storeState) fork() *storeState {
	next := *s
	next.owner = new(storeOwner)
	return &next
}

// storeTable is a map that forks of a state share until one of them writes.
type storeTable[K comparable, V any] struct {
	rows  map[K]V
	owner *storeOwner
}

func (t *storeTable[K, V]) edit(by *storeState) map[K]V {
	if t.owner != by.owner {
		t.rows, t.owner = maps.Clone(t.rows), by.owner
	}
	if t.rows == nil {
		t.rows = map[K]V{}
	}
	return t.rows
}

// drop removes the rows that match and returns them.
func (t *storeTable[K, V]) drop(by *storeState, match func(V) bool) []V {
	var dropped []V
	for key, row := range t.rows {
		if match(row) {
			dropped = append(dropped, row)
			delete(t.edit(by), key)
		}
	}
	return dropped
}

func (t *storeTable[K, V]) has(key K) bool {
	_, found := t.rows[key]
	return found
}

// storeRecords is what all repositories of records with an id have in common.
type storeRecords[V any] struct {
	session storeSession
	noun    string
	table   func(*storeState) *storeTable[core.ID, V]
	id      func(V) core.ID
	copy    func(V) V
	// pin gives the changed record back what cannot change.
	pin func(changed *V, before V)
	// check holds a record to the rules between records: what must be unique, and
	// what it belongs to.
	check func(*storeState, V) error
}

func (r storeRecords[V]) create(ctx context.Context, record V) error {
	if err := storage.CheckText(record); err != nil {
		return err
	}
	return r.session.change(ctx, func(state *storeState) error {
		if r.table(state).has(r.id(record)) {
			return core.Errorf(core.CodeConflict, "this %s exists already", r.noun)
		}
		return r.put(state, record)
	})
}

func (r storeRecords[V]) put(state *storeState, record V) error {
	if err := r.check(state, record); err != nil {
		return err
	}
	r.table(state).edit(state)[r.id(record)] = r.copy(record)
	return nil
}

func (r storeRecords[V]) byID(ctx context.Context, id core.ID) (record V, err error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return record, err
	}
	return r.in(state, id)
}

func (r storeRecords[V]) in(state *storeState, id core.ID) (record V, err error) {
	found, ok := r.table(state).rows[id]
	if !ok {
		return record, core.NotFound(r.noun)
	}
	return r.copy(found), nil
}

// first returns a record that matches.
func (r storeRecords[V]) first(ctx context.Context, match func(V) bool) (record V, err error) {
	found, err := r.list(ctx, match, nil)
	if err == nil && len(found) == 0 {
		return record, core.NotFound(r.noun)
	}
	if err != nil {
		return record, err
	}
	return found[0], nil
}

func (r storeRecords[V]) list(ctx context.Context, match func(V) bool, order func(a, b V) int) ([]V, error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return nil, err
	}
	return r.listIn(state, match, order), nil
}

// listIn leaves the order open when order is nil.
func (r storeRecords[V]) listIn(state *storeState, match func(V) bool, order func(a, b V) int) []V {
	var found []V
	for _, record := range r.table(state).rows {
		if match(record) {
			found = append(found, r.copy(record))
		}
	}
	if order != nil {
		slices.SortFunc(found, order)
	}
	return found
}

func (r storeRecords[V]) update(ctx context.Context, id core.ID, change func(*V) error) (record V, err error) {
	err = r.session.change(ctx, func(state *storeState) error {
		before, err := r.in(state, id)
		if err != nil {
			return err
		}
		changed := r.copy(before)
		if err := change(&changed); err != nil {
			return err
		}
		r.pin(&changed, before)
		if err := storage.CheckText(changed); err != nil {
			return err
		}
		if err := r.put(state, changed); err != nil {
			return err
		}
		record = r.copy(changed)
		return nil
	})
	return record, err
}

func (r storeRecords[V]) delete(ctx context.Context, id core.ID, remove func(*storeState, core.ID)) error {
	return r.session.change(ctx, func(state *storeState) error {
		if !r.table(state).has(id) {
			return core.NotFound(r.noun)
		}
		remove(state, id)
		return nil
	})
}

// copyOf returns a pointer to a copy, nil for nil.
func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
