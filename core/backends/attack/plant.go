package attack

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/ports/backend"
)

// look reads the contents of the collections.
func (r *world) look() {
	for _, t := range r.targets {
		got := r.send(owner, http.MethodGet, records(t, ""), url.Values{"perPage": {strconv.Itoa(maxReal)}}, nil)
		t.total = got.count("totalItems")
		for _, item := range got.items() {
			t.real = append(t.real, record{text(item, "id"), item})
		}
	}
}

// plant adds the victim's records to all collections. End users come first, because most
// records belong to one. Relations that form a circle are filled in at the end.
func (r *world) plant() {
	for _, first := range []backend.CollectionType{backend.Auth, backend.Base} {
		for _, t := range r.targets {
			if t.Type == first {
				r.plantIn(t, make(map[*target]bool))
			}
		}
	}
	for _, t := range r.targets {
		for i := range t.planted {
			r.complete(t, &t.planted[i])
		}
	}
	for _, t := range r.targets {
		if t.Type == backend.View {
			got := r.send(owner, http.MethodGet, records(t, ""), url.Values{"perPage": {strconv.Itoa(maxVariants)}}, nil)
			for _, item := range got.items() {
				t.planted = append(t.planted, record{text(item, "id"), item})
			}
		}
	}
}

// replant restores the victim's records that were deleted.
func (r *world) replant() {
	for _, t := range r.targets {
		if t.Type == backend.View || len(t.planted) > 0 && !r.send(owner, http.MethodGet, records(t, t.planted[0].id), nil, nil).ok() {
			t.planted = nil
		}
	}
	r.plant()
}

// plantIn adds the victim's records to a collection, after the collections that it refers to.
func (r *world) plantIn(t *target, under map[*target]bool) {
	if under[t] || len(t.planted) > 0 || t.Type == backend.View {
		return
	}
	under[t] = true
	for _, f := range t.fields {
		if to := r.target(f.options.CollectionID); f.Type == "relation" && to != nil {
			r.plantIn(to, under)
		}
	}
	for n := range t.variants() {
		body := r.body(t, n)
		if made, ok := r.insert(t, body); ok {
			t.planted = append(t.planted, made)
			r.mark(t, body)
		}
	}
	delete(under, t)
}

// variants returns how many records are needed to show all values that the collection's
// rules depend on.
func (t *target) variants() int {
	if t.Type == backend.Auth {
		return 1
	}
	most := 2
	rules := strings.Join([]string{ruleText(t.Rules.List), ruleText(t.Rules.View), ruleText(t.Rules.Update), ruleText(t.Rules.Delete)}, " ")
	for _, f := range t.fields {
		if strings.Contains(rules, f.Name) {
			most = max(most, len(f.options.Values))
		}
	}
	return min(most, maxVariants)
}

// body returns the values of the victim's nth record.
func (r *world) body(t *target, n int) map[string]any {
	body := make(map[string]any)
	for _, f := range t.fields {
		switch f.Type {
		case "file":
		case "relation":
			if ids := r.related(f, n); ids != nil {
				body[f.Name] = ids
			}
		default:
			body[f.Name] = f.value(n)
		}
	}
	if t.Type == backend.Auth {
		body["emailVisibility"], body["verified"] = false, true
		body["passwordConfirm"], body[tokenKey] = body["password"], random(50)
	}
	return body
}

// related returns the value of a relation to the victim's records, or nil before the first.
func (r *world) related(f field, n int) any {
	to := r.target(f.options.CollectionID)
	if to == nil || len(to.planted) == 0 {
		return nil
	}
	if !f.many() {
		return to.planted[n%len(to.planted)].id
	}
	var ids []string
	for _, one := range to.planted[:min(len(to.planted), max(f.options.MinSelect, 1))] {
		ids = append(ids, one.id)
	}
	return ids
}

// insert creates a record, to which rules do not apply. It omits optional values that are rejected.
func (r *world) insert(t *target, body map[string]any) (record, bool) {
	files := make(map[string]upload)
	for _, f := range t.fields {
		if f.Type == "file" {
			files[f.Name] = f.file()
		}
	}
	for range 4 {
		var got answer
		if len(files) > 0 {
			got = r.upload(owner, records(t, ""), body, files)
		} else {
			got = r.send(owner, http.MethodPost, records(t, ""), nil, body)
		}
		if got.ok() {
			return record{text(got.body, "id"), got.body}, true
		}
		flaws, _ := got.body["data"].(map[string]any)
		for name := range flaws {
			if name != "password" {
				delete(body, name)
			}
			delete(files, name)
		}
		if len(flaws) == 0 {
			break
		}
	}
	return record{}, false
}

// complete fills in relations of a record that had no target before.
func (r *world) complete(t *target, one *record) {
	missing := make(map[string]any)
	for _, f := range t.fields {
		if f.Type != "relation" || f.options.CollectionID == t.ID || !isEmpty(one.values[f.Name]) {
			continue
		}
		if ids := r.related(f, 0); ids != nil {
			missing[f.Name] = ids
		}
	}
	if len(missing) == 0 {
		return
	}
	if got := r.send(owner, http.MethodPatch, records(t, one.id), nil, missing); got.ok() {
		one.values = got.body
	}
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	case float64:
		return value == 0
	case bool:
		return !value
	}
	return false
}

// ownersOf returns filters that are true for the end user who owns a record, the most direct first.
func (r *world) ownersOf(t *target) []string {
	if t.Type == backend.Auth {
		return []string{"id = @request.auth.id"}
	}
	var owners []string
	for depth := range 3 {
		owners = append(owners, r.pathsTo(t, depth, "", false)...)
	}
	return owners
}

// pathsTo returns the filters over a number of relations in between.
func (r *world) pathsTo(t *target, between int, prefix string, many bool) []string {
	var found []string
	for _, f := range slices.SortedStableFunc(slices.Values(t.fields), func(a, b field) int { return ownerRank(a) - ownerRank(b) }) {
		to := r.target(f.options.CollectionID)
		if f.Type != "relation" || to == nil {
			continue
		}
		path, many := prefix+f.Name, many || f.many()
		switch {
		case to.Type == backend.Auth && between == 0 && many:
			found = append(found, path+".id ?= @request.auth.id")
		case to.Type == backend.Auth && between == 0:
			found = append(found, path+" = @request.auth.id")
		case to.Type != backend.Auth && between > 0:
			found = append(found, r.pathsTo(to, between-1, path+".", many)...)
		}
	}
	return found
}

// ownerRank puts relations first whose name suggests an owner.
func ownerRank(f field) int {
	ranks := []string{"owner", "user", "author", "creator", "created", "customer", "besitzer", "benutzer", "verfasser", "kunde"}
	for i, word := range ranks {
		if isAny(wordsOf(f.Name), []string{word}) {
			return i
		}
	}
	return len(ranks)
}

// people returns the fields of a collection that refer to end users.
func (r *world) people(t *target) map[string]*target {
	people := make(map[string]*target)
	for _, f := range t.fields {
		if to := r.target(f.options.CollectionID); f.Type == "relation" && to != nil && to.Type == backend.Auth {
			people[f.Name] = to
		}
	}
	return people
}

// without returns a body without some members.
func without(body map[string]any, names ...string) map[string]any {
	rest := maps.Clone(body)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}
