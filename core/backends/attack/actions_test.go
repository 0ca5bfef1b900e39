package attack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	memory "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/attack"
	"github.com/atelierhq/atelier/ports/backend"
)

// door is a schema that lets strangers in by one way, and the finding of that.
type door struct {
	collections []backend.Collection
	collection  string
	as          core.Attacker
	action      core.AttackAction
	severity    core.FindingWeight
	fields      []string
}

// doors has one for each action of an attack.
func doors() map[string]door {
	people := func(rules [5]string, fields ...backend.Field) backend.Collection {
		return col("users", backend.Auth, rules, fields...)
	}
	closed, mine := [5]string{"-", "-", "", "id = " + me, "-"}, own("owner")
	owner, phone := rel("owner", "users", nil), fld("phone", "text", nil)
	paper := func(protected bool) backend.Field {
		return fld("paper", "file", opts{"protected": protected, "required": true, "maxSelect": 1})
	}
	realtime := "@request.context = 'realtime'"
	managed := people(closed)
	rule, _ := json.Marshal("id = " + me)
	managed.Options = map[string]json.RawMessage{"manageRule": rule}
	return map[string]door{
		"a list": {
			[]backend.Collection{people(closed), col("orders", backend.Base, [5]string{signed, mine, mine, "-", "-"}, phone, owner)},
			"orders", core.AttackStranger, core.AttackList, core.FindingHigh, []string{"phone"},
		},
		"a record by its id": {
			[]backend.Collection{col("orders", backend.Base, [5]string{"-", "", "-", "-", "-"}, phone)},
			"orders", core.AttackGuest, core.AttackView, core.FindingHigh, []string{"phone"},
		},
		"what a list refers to": {
			[]backend.Collection{col("orders", backend.Base, [5]string{"", "-", "-", "-", "-"}, rel("customer", "customers", nil)), col("customers", backend.Base, [5]string{"-", "", "-", "-", "-"}, phone)},
			"customers", core.AttackGuest, core.AttackExpand, core.FindingHigh, []string{"phone"},
		},
		"what is sent to listeners": {
			[]backend.Collection{col("orders", backend.Base, [5]string{realtime, realtime, "-", "-", "-"}, phone)},
			"orders", core.AttackGuest, core.AttackSubscribe, core.FindingHigh, []string{"phone"},
		},
		"a protected file": {
			[]backend.Collection{people(closed), col("papers", backend.Base, [5]string{mine, signed, mine, "-", "-"}, paper(true), owner)},
			"papers", core.AttackStranger, core.AttackFile, core.FindingHigh, []string{"paper"},
		},
		"a file whose record is closed": {
			[]backend.Collection{col("papers", backend.Base, [5]string{"-", "-", "-", "-", "-"}, paper(false))},
			"papers", core.AttackGuest, core.AttackFile, core.FindingMedium, []string{"paper"},
		},
		"a record in somebody else's name": {
			[]backend.Collection{people(closed), col("orders", backend.Base, [5]string{mine, mine, signed, mine, mine}, phone, owner)},
			"orders", core.AttackStranger, core.AttackCreate, core.FindingMedium, []string{"owner"},
		},
		"a change": {
			[]backend.Collection{people([5]string{"-", "-", "", signed, "-"}, fld("motto", "text", nil))},
			"users", core.AttackStranger, core.AttackChange, core.FindingHigh, []string{"motto"},
		},
		"a removal": {
			[]backend.Collection{people(closed), col("orders", backend.Base, [5]string{mine, mine, mine, mine, signed}, phone, owner)},
			"orders", core.AttackStranger, core.AttackDelete, core.FindingHigh, nil,
		},
		"one's own proof of an address": {
			[]backend.Collection{managed}, "users", core.AttackStranger, core.AttackVerify, core.FindingMedium, []string{"verified"},
		},
		"users' own fields": {
			[]backend.Collection{people([5]string{"", "-", "", "id = " + me, "-"}, phone)},
			"users", core.AttackGuest, core.AttackList, core.FindingHigh, []string{"phone"},
		},
	}
}

// in reports whether the finding is among those that were made.
func (d door) in(found []core.Finding) bool {
	return slices.ContainsFunc(found, func(f core.Finding) bool {
		return f.Collection == d.collection && f.As == d.as && f.Action == d.action && f.Severity == d.severity && slices.Equal(f.Fields, d.fields) && f.Text != ""
	})
}

// TestEachWayInIsTried: no action of the attack is missing, with either engine.
func TestEachWayInIsTried(t *testing.T) {
	t.Parallel()
	for name, engine := range map[string]attack.Engine{"memory": memory.New(memory.Config{}), "PocketBase": newPocketBase(t)} {
		for way, d := range doors() {
			found, err := attack.Run(t.Context(), engine, place(), backend.Schema{Collections: d.collections})
			if err != nil || !d.in(found) {
				t.Errorf("%s, %s: got %+v, %v, want a finding that is %s: %s in %s of %v as %s", name, way, found, err, d.severity, d.action, d.collection, d.fields, d.as)
			}
		}
	}
}

// talkativeEngine is an engine whose filters see what their caller may not: a fault that PocketBase had,
// and that the attack looks for in the one of the day.
type talkativeEngine struct{ *memory.Engine }

func (e talkativeEngine) Serve(w http.ResponseWriter, r *http.Request, at backend.Place, as backend.Identity) {
	if query := r.URL.Query(); query.Get("filter") != "" && query.Get("fields") == "id" {
		as = backend.Identity{Owner: true}
	}
	e.Engine.Serve(w, r, at, as)
}

// TestFiltersThatTellAreFound: a value that a filter confirms is as good as read.
func TestFiltersThatTellAreFound(t *testing.T) {
	t.Parallel()
	schema := backend.Schema{Collections: []backend.Collection{
		col("customers", backend.Base, [5]string{"-", "-", "-", "-", "-"}, fld("phone", "text", nil)),
		col("orders", backend.Base, [5]string{"", "-", "-", "-", "-"}, rel("customer", "customers", nil)),
	}}
	want := door{collection: "customers", as: core.AttackGuest, action: core.AttackFilter, severity: core.FindingHigh, fields: []string{"phone"}}
	found, err := attack.Run(t.Context(), talkativeEngine{memory.New(memory.Config{})}, place(), schema)
	if err != nil || !want.in(found) {
		t.Errorf("got %+v, %v, want the phone numbers found out", found, err)
	}
	for name, engine := range map[string]attack.Engine{"memory": memory.New(memory.Config{}), "PocketBase": newPocketBase(t)} {
		if found, err := attack.Run(t.Context(), engine, place(), schema); err != nil || len(highs(found)) > 0 {
			t.Errorf("%s: got %s, %v, want nothing told", name, fmt.Sprint(found), err)
		}
	}
}
