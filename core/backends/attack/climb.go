package attack

import (
	"fmt"
	"net/http"
	"reflect"
)

// maxClimbs bounds the values that a stranger tries.
const maxClimbs = 8

// climb lets a stranger write values that rules ask for into their account, and attacks
// with each value that is accepted. It uses another stranger, independent of the first.
func (r *run) climb(from *actor) {
	wanted := r.climbings(from.home)
	if len(wanted) == 0 {
		return
	}
	var a *actor
	for _, one := range wanted[:min(len(wanted), maxClimbs)] {
		if a == nil {
			if a = r.hire(from.home); a == nil {
				return
			}
		}
		climber := a
		if !r.raise(a, one) {
			if !from.home.open {
				continue
			}
			if climber = r.signUp(from.home, map[string]any{one.field: one.value}); climber == nil || !r.has(climber, one) {
				continue
			}
			r.send(owner, http.MethodPatch, records(climber.home, climber.id), nil, map[string]any{"verified": true})
		}
		r.replant()
		// The first stranger's reads are reported already.
		climber.reads = from.reads
		climber.climbed = fmt.Sprintf("%s = %s", one.field, shown(one.value))
		r.create(climber)
		r.read(climber)
		r.download(climber)
		r.change(climber)
		r.remove(climber)
	}
}

// raise changes a field of the actor's own account.
func (r *run) raise(a *actor, to escalation) bool {
	if a.home.Rules.Update == nil || !r.send(a.as, http.MethodPatch, records(a.home, a.id), nil, map[string]any{to.field: to.value}).ok() {
		return false
	}
	return r.has(a, to)
}

// has reports whether an account has a value.
func (r *run) has(a *actor, wanted escalation) bool {
	got := r.send(owner, http.MethodGet, records(a.home, a.id), nil, nil)
	return got.ok() && sameValue(got.body[wanted.field], wanted.value)
}

// sameValue compares JSON values. A list with one element equals that element.
func sameValue(a, b any) bool {
	return reflect.DeepEqual(single(a), single(b))
}

func single(value any) any {
	switch list := value.(type) {
	case []any:
		if len(list) == 1 {
			return list[0]
		}
	case []string:
		if len(list) == 1 {
			return list[0]
		}
	}
	return value
}

// shown formats a value for people. Values of relations mean nothing to them, and change.
func shown(value any) string {
	switch value := single(value).(type) {
	case bool, float64:
		return fmt.Sprint(value)
	case string:
		if len(value) == 15 {
			return "another's"
		}
		return value
	}
	return "another's"
}
