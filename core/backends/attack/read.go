package attack

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// metaNames are members of records that reveal nothing.
var metaNames = []string{"id", "collectionId", "collectionName", "expand", "created", "updated", "emailVisibility", "verified"}

// read lists and views all collections, and expands the relations of their records.
func (r *reader) read(a *actor) {
	for _, t := range r.targets {
		r.list(a, t)
		r.view(a, t)
	}
}

// list reads the records of a list, and the records that they refer to.
func (r *reader) list(a *actor, t *target) {
	if t.Rules.List == nil {
		return
	}
	query := url.Values{"perPage": {"200"}, "expand": {strings.Join(r.expansions(t), ",")}}
	got := r.send(a.as, http.MethodGet, records(t, ""), query, nil)
	items := r.others(a, got.items())
	if len(items) == 0 {
		r.assume(a, t, core.AttackList, t.Rules.List)
		return
	}
	// Do not count the victim's records if there are others.
	count := max(got.count("totalItems")-len(t.planted)-(len(got.items())-len(items)), 0)
	r.learn(a, t, core.AttackList, items, cmpOr(min(count, t.total), len(items)))
	for _, item := range items {
		r.expanded(a, item)
	}
}

func cmpOr(number, otherwise int) int64 {
	if number == 0 {
		return int64(otherwise)
	}
	return int64(number)
}

// view reads records by their ids.
func (r *reader) view(a *actor, t *target) {
	if t.Rules.View == nil {
		return
	}
	var items []map[string]any
	for _, one := range t.victims() {
		if got := r.send(a.as, http.MethodGet, records(t, one.id), nil, nil); got.ok() {
			items = append(items, got.body)
		}
	}
	if items = r.others(a, items); len(items) > 0 {
		r.learn(a, t, core.AttackView, items, int64(len(items)))
	}
}

// others returns the records that belong to other people.
func (r *reader) others(a *actor, items []map[string]any) []map[string]any {
	return slices.DeleteFunc(slices.Clone(items), func(item map[string]any) bool {
		id := text(item, "id")
		return a.made[id] || r.aside[id] || r.guest.made[id]
	})
}

// expansions returns the relations from and to a collection.
func (r *reader) expansions(t *target) []string {
	var names []string
	for _, f := range t.fields {
		if f.Type == "relation" {
			names = append(names, f.Name)
		}
	}
	for _, from := range r.targets {
		for _, f := range from.fields {
			if f.Type == "relation" && f.options.CollectionID == t.ID {
				names = append(names, from.Name+"_via_"+f.Name)
			}
		}
	}
	return names[:min(len(names), 20)]
}

// expanded processes the records that were expanded in another.
func (r *reader) expanded(a *actor, item map[string]any) {
	along, _ := item["expand"].(map[string]any)
	for _, value := range along {
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, one := range list {
			other, _ := one.(map[string]any)
			if t := r.target(text(other, "collectionId")); t != nil {
				if items := r.others(a, []map[string]any{other}); len(items) > 0 {
					r.learn(a, t, core.AttackExpand, items, 1)
				}
			}
		}
	}
}

// learn records the fields of other people's records that an actor has read, unless the
// actor or a guest could read them in another way.
func (r *reader) learn(a *actor, t *target, action core.AttackAction, items []map[string]any, count int64) {
	r.learnStrayed(a, t, action, items, count)
	fields := make(map[string]bool)
	for _, item := range items {
		for name, value := range item {
			if !slices.Contains(metaNames, name) && !isEmpty(value) {
				fields[name] = true
			}
		}
	}
	var fresh []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !a.knows(t, name) && !(a.kind == core.AttackStranger && r.guest.knows(t, name)) {
			fresh = append(fresh, name)
		}
		a.learns(t, name)
	}
	if len(fresh) > 0 {
		weight, shown := r.weighReading(a, t, fresh, items)
		r.note(a, t, action, weight, shown, count)
	}
}

// learnStrayed records the private values of other fields that an actor has read.
func (r *reader) learnStrayed(a *actor, t *target, action core.AttackAction, items []map[string]any, count int64) {
	fields, from := r.strayed(t, items)
	fields = slices.DeleteFunc(fields, func(name string) bool {
		known := a.knows(t, name+"!") || r.guest.knows(t, name+"!")
		a.learns(t, name)
		a.learns(t, name+"!")
		return known
	})
	if len(fields) > 0 {
		r.noteStrayed(a, t, action, fields, from, count)
	}
}

func (a *actor) knows(t *target, field string) bool { return a.reads[t.Name][field] }

func (a *actor) learns(t *target, field string) {
	if a.reads[t.Name] == nil {
		a.reads[t.Name] = make(map[string]bool)
	}
	a.reads[t.Name][field] = true
}

// assume records what a rule for everybody would show of a collection in which no record
// could be created: it will have records one day.
func (r *reader) assume(a *actor, t *target, action core.AttackAction, rule *string) {
	if len(t.victims()) > 0 || a.kind != core.AttackGuest || rule == nil || *rule != "" || t.Type == backend.View {
		return
	}
	item := make(map[string]any)
	for _, f := range t.fields {
		if !f.hidden && f.Type != "bool" && !(t.Type == backend.Auth && f.Name == "email") {
			item[f.Name] = f.value(0)
		}
	}
	if action == core.AttackList {
		r.learn(a, t, action, []map[string]any{item}, 0)
		return
	}
	r.note(a, t, action, core.FindingHigh, slices.Sorted(maps.Keys(item)), 0)
}

// infer uses filters to guess values that the actor cannot read: hidden fields, and fields
// of related records. A filter that matches only the right value reveals it.
func (r *reader) infer(a *actor) {
	for _, t := range r.targets {
		if t.Rules.List == nil || len(t.planted) == 0 {
			continue
		}
		sent := 0
		for _, q := range r.questions(t) {
			if sent >= maxQuestions || a.knows(q.of, q.field) || a.kind == core.AttackStranger && r.guest.knows(q.of, q.field) {
				continue
			}
			sent++
			if r.tells(a, t, q) {
				a.learns(q.of, q.field)
				weight, shown := r.weighReading(a, q.of, []string{q.field}, nil)
				if weight == core.FindingInfo || weight == "" {
					weight = core.FindingMedium
				}
				r.noteThrough(a, q.of, t, core.AttackFilter, weight, shown, 1)
			}
		}
	}
}

// maxQuestions bounds the filters for a collection.
const maxQuestions = 20

// question is a field whose value a filter may reveal.
type question struct {
	of          *target
	field, path string
	value       string
}

// questions returns the fields that a list's filters may reveal: private-looking and hidden ones.
func (r *reader) questions(t *target) []question {
	var found []question
	ask := func(of *target, prefix string) {
		for _, f := range of.fields {
			// A relation to a collection may give access to all of its records.
			if len(of.planted) == 0 || f.Type == "password" || f.Type == "file" || f.Type == "relation" {
				continue
			}
			value, isText := of.planted[0].values[f.Name].(string)
			if isText && value != "" && (f.hidden || r.privacyIn(of, f.Name, nil) > open) {
				found = append(found, question{of, f.Name, prefix + f.Name, value})
			}
		}
	}
	ask(t, "")
	for _, f := range t.fields {
		if to := r.target(f.options.CollectionID); f.Type == "relation" && to != nil {
			ask(to, f.Name+".")
		}
	}
	for _, from := range r.targets {
		for _, f := range from.fields {
			if f.Type == "relation" && f.options.CollectionID == t.ID {
				ask(from, from.Name+"_via_"+f.Name+".")
			}
		}
	}
	return found
}

// tells reports whether a list answers a question.
func (r *reader) tells(a *actor, t *target, q question) bool {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(q.value)
	ask := func(value string) (int, bool) {
		got := r.send(a.as, http.MethodGet, records(t, ""), url.Values{"perPage": {"200"}, "fields": {"id"}, "filter": {q.path + " ?= '" + value + "'"}}, nil)
		return len(r.others(a, got.items())), got.ok()
	}
	if hits, ok := ask(quoted); !ok || hits == 0 {
		return false
	}
	hits, ok := ask(quoted + "x")
	return ok && hits == 0
}

// download opens the files of the victim's records, with and without a token.
func (r *reader) download(a *actor) {
	query := url.Values{}
	if a.kind == core.AttackStranger {
		if got := r.send(a.as, http.MethodPost, "files/token", nil, map[string]any{}); got.ok() {
			query.Set("token", text(got.body, "token"))
		}
	}
	for _, t := range r.targets {
		for _, f := range t.fields {
			if f.Type != "file" || a.kind == core.AttackStranger && (!f.options.Protected || r.guest.knows(t, f.Name+"/")) {
				continue
			}
			for _, one := range t.victims() {
				name := firstText(one.values[f.Name])
				if name == "" || !r.send(a.as, http.MethodGet, "files/"+t.Name+"/"+one.id+"/"+url.PathEscape(name), query, nil).ok() {
					continue
				}
				if weight := r.weighFile(a, t, f); weight != "" {
					r.note(a, t, core.AttackFile, weight, []string{f.Name}, 1)
				}
				a.learns(t, f.Name+"/")
				break
			}
		}
	}
}

// firstText returns a text, or the first of a list.
func firstText(value any) string {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	name, _ := value.(string)
	return name
}
