package backend

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	port "github.com/atelierhq/atelier/ports/backend"
)

// resource is a collection whose records a request reads and writes one by one.
type resource struct {
	*request
	c *records.Collection
}

// answer carries out the request for the record with an id, which a new one does not have.
func (s resource) answer(id string) (any, error) {
	switch s.Method {
	case http.MethodPost:
		return s.create()
	case http.MethodPatch:
		return s.update(id)
	case http.MethodDelete:
		return nil, s.remove(id)
	}
	return s.view(id)
}

// view answers GET …/records/:id.
func (s resource) view(id string) (any, error) {
	one, err := s.reach(id, s.c.Rules.View)
	if err != nil {
		return nil, err
	}
	return presenter{s.request}.present(one), nil
}

// reach returns a record that a rule lets the request reach.
func (s resource) reach(id string, rule *string) (records.Row, error) {
	if rule == nil && !s.owner {
		return records.Row{}, errMembers()
	}
	one, ok := s.state.Find(s.c, id)
	if !ok {
		return records.Row{}, errMissing()
	}
	may, err := s.allowed(rule, one)
	if err != nil || !may {
		return records.Row{}, errMissing()
	}
	return one, nil
}

// create answers POST …/records.
func (s resource) create() (any, error) {
	if s.c.Type == port.View {
		return nil, errReadOnly()
	}
	if s.c.Rules.Create == nil && !s.owner {
		return nil, errMembers()
	}
	d := &draft{request: s.request, row: records.NewRow(s.c), isNew: true}
	err := s.commit(func(tx *records.Transaction) error {
		if err := d.fill(tx); err != nil {
			return err
		}
		may, err := s.allowed(s.c.Rules.Create, asCreated(d.row))
		if err != nil || !may {
			return refusal(http.StatusBadRequest, "Failed to create record.")
		}
		return tx.Put(d.row, records.Create)
	})
	if err != nil {
		return nil, err
	}
	return presenter{s.request}.present(d.row), nil
}

// asCreated is a new record as its create rule sees it: nobody is verified yet.
func asCreated(made records.Row) records.Row {
	made = made.Clone()
	if made.Collection.Type == port.Auth {
		made.Values["verified"] = false
	}
	return made
}

// update answers PATCH …/records/:id.
func (s resource) update(id string) (any, error) {
	if s.c.Type == port.View {
		return nil, errReadOnly()
	}
	var made records.Row
	err := s.commit(func(tx *records.Transaction) error {
		one, ok := tx.Find(s.c, id)
		if !ok {
			return errMissing()
		}
		if s.c.Rules.Update == nil && !s.owner {
			return errMembers()
		}
		d := &draft{request: s.request, row: one.Clone()}
		d.resolve() // rules see the values that the body leads to
		if _, err := s.reach(id, s.c.Rules.Update); err != nil {
			return err
		}
		if err := d.fill(tx); err != nil {
			return err
		}
		made = d.row
		return tx.Put(made, records.Update)
	})
	if err != nil {
		return nil, err
	}
	return presenter{s.request}.present(made), nil
}

// remove answers DELETE …/records/:id.
func (s resource) remove(id string) error {
	if s.c.Type == port.View {
		return errReadOnly()
	}
	return s.commit(func(tx *records.Transaction) error {
		one, err := s.reach(id, s.c.Rules.Delete)
		if err != nil {
			return err
		}
		return tx.Remove(one)
	})
}
