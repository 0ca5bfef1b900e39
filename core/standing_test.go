package core_test

import (
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// lacking are callers of a member without the second factor that the workspace requires, and
// whether it is asked of them.
func lacking(need core.Scope) map[string]struct {
	actor core.Actor
	asked bool
} {
	type row = struct {
		actor core.Actor
		asked bool
	}
	return map[string]row{
		"session":               {core.Actor{UserID: "u", SessionID: "s"}, true},
		"session from before":   {core.Actor{UserID: "u"}, true},
		"API token or program":  {core.Actor{UserID: "u", Token: true, Scopes: []core.Scope{need}}, false},
		"the service, for them": {core.Unattended("u"), false},
	}
}

func TestMembersWithoutTheRequiredFactorMayDoNothing(t *testing.T) {
	for action, spec := range otherActions() {
		for _, role := range roles[slices.Index(roles[:], core.RoleMember):] {
			for name, caller := range lacking(spec.scope) {
				want := core.CodeOf(core.RuleOf(action).Authorize(caller.actor, core.Standing{Role: role}))
				if caller.asked {
					want = core.CodeMFASetupRequired
				}
				if got := core.CodeOf(core.RuleOf(action).Authorize(caller.actor, core.Standing{Role: role, LacksFactor: true})); got != want {
					t.Errorf("%s as %q by a %s: got %q, want %q", action, role, name, got, want)
				}
			}
		}
	}
}

func TestMembersWithoutTheRequiredFactorMayDoNothingWithProjects(t *testing.T) {
	for action, spec := range projectActions() {
		for _, project := range projectStates() {
			for _, role := range roles[slices.Index(roles[:], core.RoleMember):] {
				for name, caller := range lacking(spec.scope) {
					want := core.CodeOf(core.RuleOf(action).AuthorizeProject(caller.actor, core.Standing{Role: role}, project.Access()))
					if caller.asked && isInsider(project, role) {
						want = core.CodeMFASetupRequired
					}
					got := core.CodeOf(core.RuleOf(action).AuthorizeProject(caller.actor, core.Standing{Role: role, LacksFactor: true}, project.Access()))
					if got != want {
						t.Errorf("%s as %q by a %s on %s: got %q, want %q", action, role, name, describe(project), got, want)
					}
				}
			}
		}
	}
}
