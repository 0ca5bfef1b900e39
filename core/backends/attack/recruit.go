package attack

import (
	"maps"
	"net/http"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// staffWords are those of collections whose end users are no strangers, and of what makes one of
// them.
var staffWords = []string{"admin", "administrator", "staff", "moderator", "mod", "manager", "employee", "mitarbeiter", "operator", "superuser", "root", "owner", "editor", "redakteur", "team", "chef", "leitung"}

// recruit makes a stranger in each collection in which a guest can sign up. If there is none, it
// makes one in each that is not of the application's own staff.
func (r *run) recruit() {
	var closed []*target
	for _, t := range r.targets {
		if t.Type != backend.Auth {
			continue
		}
		if a := r.signUp(t, nil); a != nil {
			t.open = true
			r.verify(a)
			r.strangers = append(r.strangers, a)
		} else if !isAny(wordsOf(t.Name), staffWords) {
			closed = append(closed, t)
		}
	}
	for _, t := range closed {
		if a := r.hire(t); a != nil && len(r.strangers) < len(closed) {
			r.strangers = append(r.strangers, a)
		}
	}
	if slices.ContainsFunc(r.targets, func(t *target) bool { return t.open }) {
		r.strangers = slices.DeleteFunc(r.strangers, func(a *actor) bool { return !a.home.open })
	}
}

// signUp signs up as a guest, with some values of the guest's choice, and returns nil if that is
// refused.
func (r *run) signUp(t *target, chosen map[string]any) *actor {
	if t.Rules.Create == nil {
		return nil
	}
	full := r.plain(t)
	small := make(map[string]any)
	for _, f := range t.fields {
		if value, ok := full[f.Name]; ok && (f.options.Required || f.Type == "password" || f.Name == "email") {
			small[f.Name] = value
		}
	}
	small["passwordConfirm"] = full["passwordConfirm"]
	for _, body := range []map[string]any{small, full} {
		body = without(body, "verified")
		maps.Copy(body, chosen)
		if got := r.send(backend.Identity{}, http.MethodPost, records(t, ""), nil, body); got.ok() {
			return r.become(t, text(got.body, "id"), text(body, "email"))
		}
	}
	return nil
}

// hire makes a stranger, rules aside.
func (r *run) hire(t *target) *actor {
	body := r.plain(t)
	made, ok := r.insert(t, body)
	if !ok {
		return nil
	}
	return r.become(t, made.id, text(body, "email"))
}

// become returns the actor for an end user.
func (r *run) become(t *target, id, email string) *actor {
	a := newActor(core.AttackStranger)
	a.home, a.id = t, id
	a.as = backend.Identity{Collection: t.Name, Email: email}
	a.made[id] = true
	r.aside[id] = true
	return a
}

// plain returns the values of an end user without any privilege: no bool is true, no choice is
// made that need not be, and no relation leads to the victim's records.
func (r *world) plain(t *target) map[string]any {
	body := make(map[string]any)
	for _, f := range t.fields {
		switch f.Type {
		case "file", "bool":
		case "number":
			if low, ok := f.number(f.options.Min); f.options.Required || ok && low > 0 {
				body[f.Name] = max(low, 1)
			}
		case "select":
			if f.options.Required || f.options.MinSelect > 0 {
				body[f.Name] = f.least()
			}
		case "relation":
			if f.options.Required || f.options.MinSelect > 0 {
				body[f.Name] = r.elsewhere(f, 3)
			}
		default:
			body[f.Name] = f.value(0)
		}
	}
	body["emailVisibility"], body["verified"] = false, true
	body["passwordConfirm"] = body["password"]
	return body
}

// least returns the choice with the fewest privileges.
func (f field) least() any {
	values := f.options.Values
	if len(values) == 0 {
		return nil
	}
	one := values[len(values)-1]
	for _, value := range slices.Backward(values) {
		if !isAny(wordsOf(value), staffWords) {
			one = value
			if isAny(wordsOf(value), []string{"user", "member", "guest", "customer", "student", "reader", "viewer", "kunde", "mitglied", "gast", "leser", "free"}) {
				break
			}
		}
	}
	if f.many() {
		return []string{one}
	}
	return one
}

// elsewhere returns a relation to records that do not belong to the victim.
func (r *world) elsewhere(f field, depth int) any {
	to := r.target(f.options.CollectionID)
	if to == nil || to.Type == backend.View {
		return nil
	}
	if to.Type == backend.Auth || depth == 0 {
		return r.related(f, 0)
	}
	body := make(map[string]any)
	for _, other := range to.fields {
		switch {
		case other.Type == "file":
		case other.Type == "relation" && (other.options.Required || other.options.MinSelect > 0):
			body[other.Name] = r.elsewhere(other, depth-1)
		case other.Type != "relation":
			body[other.Name] = other.value(0)
		}
	}
	made, ok := r.insert(to, body)
	if !ok {
		return nil
	}
	r.aside[made.id] = true
	if f.many() {
		return []string{made.id}
	}
	return made.id
}

// verify has a stranger mark the own address as verified, and then has it verified: everybody can
// do that with an address of their own.
func (r *run) verify(a *actor) {
	got := r.send(a.as, http.MethodPatch, records(a.home, a.id), nil, map[string]any{"verified": true})
	if got.ok() && got.body["verified"] == true {
		r.note(a, a.home, core.AttackVerify, core.FindingMedium, []string{"verified"}, 1)
	}
	rest := without(r.plain(a.home), "email", "password", "passwordConfirm")
	for _, f := range a.home.fields {
		if f.Type == "relation" || f.Type == "select" {
			delete(rest, f.Name)
		}
	}
	if got = r.send(owner, http.MethodPatch, records(a.home, a.id), nil, rest); !got.ok() {
		r.send(owner, http.MethodPatch, records(a.home, a.id), nil, map[string]any{"verified": true})
	}
}
