package backend

import (
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Bounds of a list, which are PocketBase's.
const (
	presetPerPage  = 30
	maxPerPage     = 1000
	maxFilterBytes = 3500
	maxSorts       = 8
)

// list answers GET …/records.
func (r *request) list(c *collection) (any, error) {
	if c.Rules.List == nil && !r.owner {
		return nil, errMembers()
	}
	page, perPage, err := r.pages()
	if err != nil {
		return nil, err
	}
	skipTotal := false
	if text := r.query["skipTotal"]; text != "" {
		if skipTotal, err = strconv.ParseBool(text); err != nil {
			return nil, refusal(http.StatusBadRequest, "skipTotal must be true or false.")
		}
	}
	found, err := r.matching(c)
	if err != nil {
		return nil, err
	}
	if err := r.sort(c, found); err != nil {
		return nil, err
	}
	answer := map[string]any{"page": page, "perPage": perPage, "totalItems": len(found), "totalPages": (len(found) + perPage - 1) / perPage}
	if skipTotal {
		answer["totalItems"], answer["totalPages"] = -1, -1
	}
	from := len(found)
	if page-1 <= len(found)/perPage {
		from = min((page-1)*perPage, len(found))
	}
	items := []any{}
	for _, one := range found[from:min(from+perPage, len(found))] {
		items = append(items, r.present(one))
	}
	answer["items"] = items
	return answer, nil
}

// pages reads which page is wanted.
func (r *request) pages() (page, perPage int, err error) {
	page, perPage = 1, presetPerPage
	for name, to := range map[string]*int{"page": &page, "perPage": &perPage} {
		text := r.query[name]
		if text == "" {
			continue
		}
		preset := *to
		if *to, err = strconv.Atoi(text); err != nil {
			return 0, 0, refusal(http.StatusBadRequest, name+" must be a number.")
		}
		if *to <= 0 {
			*to = preset
		}
	}
	return min(page, math.MaxInt32), min(perPage, maxPerPage), nil
}

// matching returns the records that the list rule and the filter of a request let through.
func (r *request) matching(c *collection) ([]row, error) {
	var conditions []*condition
	if rule := c.Rules.List; !r.owner && *rule != "" {
		made, err := (&compiler{state: r.state, base: c, request: r, trusted: true}).compile(*rule)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, made)
	}
	if text := r.query["filter"]; text != "" {
		if err := r.checkStranger(text); err != nil {
			return nil, err
		}
		made, err := (&compiler{state: r.state, base: c, request: r, trusted: r.owner}).compile(text)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, made)
	}
	var found []row
	for _, one := range r.state.rows(c) {
		holds := true
		for _, made := range conditions {
			var err error
			if holds, err = made.holds(one); err != nil {
				return nil, err
			}
			if !holds {
				break
			}
		}
		if holds {
			found = append(found, one)
		}
	}
	return found, nil
}

// checkStranger keeps names that only rules may use from strangers.
func (r *request) checkStranger(text string) error {
	if len(text) > maxFilterBytes {
		return refusal(http.StatusBadRequest, "The filter is too long.")
	}
	if !r.owner && (strings.Contains(text, "@collection.") || strings.Contains(text, "@request.")) {
		return refusal(http.StatusForbidden, "Only superusers can filter by @collection and @request.")
	}
	return nil
}

// sort orders records as a request wants, the oldest first without a wish.
func (r *request) sort(c *collection, rows []row) error {
	wishes := names(r.query["sort"])
	if len(wishes) > maxSorts {
		return refusal(http.StatusBadRequest, "There are too many fields to sort by.")
	}
	if err := r.checkStranger(r.query["sort"]); err != nil {
		return err
	}
	type sorted struct {
		row
		by []any
	}
	all := make([]sorted, len(rows))
	for i, one := range rows {
		all[i].row = one
	}
	var signs []int
	for _, wish := range wishes {
		name, sign := strings.TrimPrefix(wish, "+"), 1
		if strings.HasPrefix(wish, "-") {
			name, sign = wish[1:], -1
		}
		value, err := r.sortValue(c, name)
		if err != nil {
			return err
		}
		signs = append(signs, sign)
		for i := range all {
			all[i].by = append(all[i].by, value(all[i].row))
		}
	}
	slices.SortStableFunc(all, func(a, b sorted) int {
		for i, sign := range signs {
			if order := compare(a.by[i], b.by[i]); order != 0 {
				return sign * order
			}
		}
		return 0
	})
	for i := range all {
		rows[i] = all[i].row
	}
	return nil
}

// sortValue returns a function for what records are sorted by.
func (r *request) sortValue(c *collection, name string) (func(row) any, error) {
	switch name {
	case "@random":
		return func(row) any { return rand.Float64() }, nil
	case "@rowid":
		return func(one row) any { return float64(one.number) }, nil
	}
	k := &compiler{state: r.state, base: c, request: r, trusted: r.owner}
	made, err := k.compile("id = id")
	if err != nil {
		return nil, err
	}
	path, modifier, _ := strings.Cut(name, ":")
	found, err := k.name(strings.Split(path, "."), modifier)
	if err != nil || strings.HasPrefix(name, "@") {
		return nil, refusal(http.StatusBadRequest, "The field to sort by is unknown.")
	}
	return func(one row) any {
		made.rows = make([]cell, len(made.joins)+1)
		made.rows[0] = cell{row: one}
		for i, j := range made.joins {
			if cells := j.cells(made, made.rows[j.parent]); len(cells) > 0 && j.admits(cells[0]) {
				made.rows[i+1] = cells[0]
			}
		}
		if found.visible != nil && !found.visible() {
			return nil
		}
		return found.value()
	}, nil
}

// view answers GET …/records/:id.
func (r *request) view(c *collection, id string) (any, error) {
	one, err := r.reach(c, id, c.Rules.View)
	if err != nil {
		return nil, err
	}
	return r.present(one), nil
}

// reach returns a record that a rule lets the request reach.
func (r *request) reach(c *collection, id string, rule *string) (row, error) {
	if rule == nil && !r.owner {
		return row{}, errMembers()
	}
	one, ok := r.state.find(c, id)
	if !ok {
		return row{}, errMissing()
	}
	may, err := r.allowed(rule, one)
	if err != nil || !may {
		return row{}, errMissing()
	}
	return one, nil
}

var errReadOnly = refusal(http.StatusBadRequest, "Unsupported collection type.")

// create answers POST …/records.
func (r *request) create(c *collection) (any, error) {
	if c.Type == port.View {
		return nil, errReadOnly
	}
	if c.Rules.Create == nil && !r.owner {
		return nil, errMembers()
	}
	var made row
	err := r.commit(func(tx *transaction) error {
		blank := row{c, &record{values: make(map[string]any)}}
		loaded, err := r.fill(blank, tx)
		if err != nil {
			return err
		}
		made = loaded
		may, err := r.allowed(c.Rules.Create, asCreated(made))
		if err != nil || !may {
			return refusal(http.StatusBadRequest, "Failed to create record.")
		}
		return tx.put(made, "create")
	})
	if err != nil {
		return nil, err
	}
	return r.present(made), nil
}

// asCreated is a new record as its create rule sees it: nobody is verified yet.
func asCreated(made row) row {
	made = changed(made)
	if made.collection.Type == port.Auth {
		made.values["verified"] = false
	}
	return made
}

// update answers PATCH …/records/:id.
func (r *request) update(c *collection, id string) (any, error) {
	if c.Type == port.View {
		return nil, errReadOnly
	}
	var made row
	err := r.commit(func(tx *transaction) error {
		one, ok := tx.find(c, id)
		if !ok {
			return errMissing()
		}
		if c.Rules.Update == nil && !r.owner {
			return errMembers()
		}
		r.body = r.resolve(one)
		one, err := r.reach(c, id, c.Rules.Update)
		if err != nil {
			return err
		}
		if made, err = r.fill(changed(one), tx); err != nil {
			return err
		}
		return tx.put(made, "update")
	})
	if err != nil {
		return nil, err
	}
	return r.present(made), nil
}

// remove answers DELETE …/records/:id.
func (r *request) remove(c *collection, id string) error {
	if c.Type == port.View {
		return errReadOnly
	}
	return r.commit(func(tx *transaction) error {
		one, err := r.reach(c, id, c.Rules.Delete)
		if err != nil {
			return err
		}
		return tx.remove(one)
	})
}

// asRefusal turns what is wrong with a request's words into an answer.
func asRefusal(err error) error {
	if core.IsCode(err, core.CodeValidationFailed) {
		return refusal(http.StatusBadRequest, "Something went wrong while processing your request. "+sentence(err))
	}
	return err
}
