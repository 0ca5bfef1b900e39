package core_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestParseRole(t *testing.T) {
	for _, text := range []string{"member", "admin", "owner"} {
		if role, err := core.ParseRole(text); err != nil || string(role) != text {
			t.Errorf("%s: got %q, %v", text, role, err)
		}
	}
	for _, text := range []string{"", "Owner", "member ", "root"} {
		if role, err := core.ParseRole(text); !core.IsCode(err, core.CodeValidationFailed) || role != core.RoleNone {
			t.Errorf("%q: got %q, %v, want validation_failed", text, role, err)
		}
	}
}

func TestFoundersJoinedWhenTheWorkspaceWasMade(t *testing.T) {
	space := core.NewWorkspace("x", true, nil, 1000)
	if !(core.Member{JoinedAt: 1000}).Founded(space) || (core.Member{JoinedAt: 1001}).Founded(space) {
		t.Error("want the founder told from a later member")
	}
}

func TestBuiltInModes(t *testing.T) {
	for name, want := range map[string]bool{"build": true, "plan": true, "chat": true, "Build": false, "": false, "review": false} {
		if got := core.IsBuiltInMode(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}
