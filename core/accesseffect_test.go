package core_test

import (
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestEveryTokenReachesTheTools(t *testing.T) {
	for name, caller := range callers(core.ScopeNone) {
		if err := core.RuleOf(core.ActionTools).Authorize(caller.actor, core.Standing{}); err != nil {
			t.Errorf("by a %s: got %v, want nil", name, err)
		}
	}
	for action, rule := range core.Rules() {
		if rule.AnyScope != (action == core.ActionTools) || rule.AnyScope && rule.Scope != core.ScopeNone {
			t.Errorf("%s has the rule %+v, want any scope for the tools alone", action, rule)
		}
	}
}

// TestEveryRuleHasItsEffect: what a read scope opens changes nothing.
func TestEveryRuleHasItsEffect(t *testing.T) {
	reading := []core.Scope{core.ScopeProjectsRead, core.ScopeFilesRead, core.ScopeWorkspacesRead}
	for action, rule := range core.Rules() {
		switch {
		case !slices.Contains([]core.Effect{core.EffectRead, core.EffectAdd, core.EffectReplace}, rule.Effect):
			t.Errorf("%s has the effect %q, want a known one", action, rule.Effect)
		case slices.Contains(reading, rule.Scope) && rule.Effect != core.EffectRead:
			t.Errorf("%s has the effect %q, want %q as its scope is %s", action, rule.Effect, core.EffectRead, rule.Scope)
		}
	}
}
