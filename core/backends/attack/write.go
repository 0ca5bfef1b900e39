package attack

import (
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// create creates records in the actor's name and in the victim's. They stay, because they
// may give access to other records.
func (r *writer) create(a *actor) {
	for _, t := range r.targets {
		if t.Type != backend.Base || t.Rules.Create == nil {
			continue
		}
		people := r.people(t)
		if id := r.tryCreate(a, t, r.inNameOf(t, a)); id != "" && a.kind == core.AttackGuest {
			r.note(a, t, core.AttackCreate, core.FindingInfo, nil, 1)
		}
		if len(people) == 0 {
			continue
		}
		if id := r.tryCreate(a, t, r.body(t, 0)); id != "" && r.isVictims(t, id, people) {
			r.note(a, t, core.AttackCreate, core.FindingMedium, slices.Sorted(maps.Keys(people)), 1)
		}
	}
}

// inNameOf returns the values of a record that belongs to an actor.
func (r *writer) inNameOf(t *target, a *actor) map[string]any {
	body := r.body(t, 0)
	for _, f := range t.fields {
		home := r.people(t)[f.Name]
		switch {
		case home == nil:
		case home == a.home && f.many():
			body[f.Name] = []string{a.id}
		case home == a.home:
			body[f.Name] = a.id
		case a.kind == core.AttackGuest:
			delete(body, f.Name)
		}
	}
	return body
}

// tryCreate creates a record in one of the forms that the rule may require, and returns its id.
func (r *writer) tryCreate(a *actor, t *target, body map[string]any) string {
	asked := wishOf(t.Rules.Create)
	body = without(body, asked.absent...)
	needed := make(map[string]any)
	for _, f := range t.fields {
		if value, ok := body[f.Name]; ok && (f.options.Required || r.people(t)[f.Name] != nil) {
			needed[f.Name] = value
		}
	}
	wished := maps.Clone(body)
	maps.Copy(wished, asked.values)
	files := make(map[string]upload)
	for _, f := range t.fields {
		if f.Type == "file" && f.options.Required {
			files[f.Name] = f.file()
		}
	}
	for _, attempt := range []map[string]any{body, wished, needed} {
		var got answer
		if len(files) > 0 {
			got = r.upload(a.as, records(t, ""), attempt, files)
		} else {
			got = r.send(a.as, http.MethodPost, records(t, ""), nil, attempt)
		}
		if id := text(got.body, "id"); got.ok() && id != "" {
			a.made[id] = true
			r.aside[id] = true
			return id
		}
	}
	return ""
}

// isVictims reports whether all relations of a record to end users refer to the victim.
func (r *writer) isVictims(t *target, id string, people map[string]*target) bool {
	got := r.send(owner, http.MethodGet, records(t, id), nil, nil)
	for name, home := range people {
		if len(home.planted) == 0 || firstText(got.body[name]) != home.planted[0].id {
			return false
		}
	}
	return got.ok()
}

// change changes records that are not the actor's.
func (r *writer) change(a *actor) {
	for _, t := range r.targets {
		if t.Type == backend.View || t.Rules.Update == nil {
			continue
		}
		if r.guest.knows(t, changed) || a.knows(t, changed) {
			continue
		}
		if len(t.victims()) == 0 {
			r.assume(a, t, core.AttackChange, t.Rules.Update)
		}
		for i, victim := range t.victims() {
			if fields := r.changeOne(a, t, victim, i == 0); len(fields) > 0 {
				a.learns(t, changed)
				r.note(a, t, core.AttackChange, r.weighChange(a, t, fields), fields, 1)
				break
			}
		}
	}
}

// Marks for what an actor has read besides fields.
const (
	changed = "\x00changed"
	removed = "\x00removed"
)

// changeOne changes a record and returns the fields that were accepted. If thorough, it
// also tries each field alone after a rejection.
func (r *writer) changeOne(a *actor, t *target, victim record, thorough bool) []string {
	asked := wishOf(t.Rules.Update)
	body := without(r.another(a, t), asked.absent...)
	wished := maps.Clone(asked.values)
	attempts := []map[string]any{{}, body}
	if len(wished) > 0 {
		attempts = append(attempts, wished)
	}
	let := false
	for _, attempt := range attempts {
		if r.send(a.as, http.MethodPatch, records(t, victim.id), nil, attempt).ok() {
			let = true
			if fields := r.differences(t, victim, attempt); len(fields) > 0 {
				r.restore(t, victim)
				return fields
			}
		}
	}
	if !let && !thorough {
		return nil
	}
	var fields []string
	for _, f := range t.fields {
		value, ok := body[f.Name]
		if !ok {
			continue
		}
		one := map[string]any{f.Name: value}
		maps.Copy(one, wished)
		if f.Type == "password" {
			one["passwordConfirm"] = value
		}
		if r.send(a.as, http.MethodPatch, records(t, victim.id), nil, one).ok() {
			if f.Type == "password" {
				fields = append(fields, f.Name)
			}
			fields = append(fields, r.differences(t, victim, one)...)
			r.restore(t, victim)
		}
	}
	return sorted(fields)
}

// another returns values that differ from those of the victim's first record, with the
// actor as owner.
func (r *writer) another(a *actor, t *target) map[string]any {
	body := without(r.inNameOf(t, a), "passwordConfirm")
	for _, f := range t.fields {
		if f.Type != "relation" && f.Type != "file" {
			body[f.Name] = f.value(1)
		}
	}
	return body
}

// differences returns the fields of a body that a record has adopted.
func (r *writer) differences(t *target, before record, body map[string]any) []string {
	got := r.send(owner, http.MethodGet, records(t, before.id), nil, nil)
	var fields []string
	for name := range body {
		if !reflect.DeepEqual(got.body[name], before.values[name]) {
			fields = append(fields, name)
		}
	}
	return sorted(fields)
}

// restore restores a record's former values.
func (r *writer) restore(t *target, before record) {
	body := make(map[string]any)
	for _, f := range t.fields {
		if value, ok := before.values[f.Name]; ok && f.Type != "file" && f.Type != "password" {
			body[f.Name] = value
		}
	}
	r.send(owner, http.MethodPatch, records(t, before.id), nil, body)
}

// remove deletes records of other people. End users come last, because much is deleted with them.
func (r *writer) remove(a *actor) {
	for _, last := range []bool{false, true} {
		for _, t := range r.targets {
			if t.Type == backend.View || t.Rules.Delete == nil || (t.Type == backend.Auth) != last {
				continue
			}
			if r.guest.knows(t, removed) || a.knows(t, removed) {
				continue
			}
			if len(t.victims()) == 0 {
				r.assume(a, t, core.AttackDelete, t.Rules.Delete)
			}
			for _, victim := range t.victims() {
				if r.send(a.as, http.MethodDelete, records(t, victim.id), nil, nil).ok() {
					a.learns(t, removed)
					r.note(a, t, core.AttackDelete, r.weighChange(a, t, nil), nil, 1)
					break
				}
			}
		}
	}
}
