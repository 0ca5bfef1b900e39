package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestCheckMessage(t *testing.T) {
	for text, ok := range map[string]bool{
		"a": true, "two\nlines\t": true, "👍": true, strings.Repeat("é", core.MaxMessageChars): true,
		"": false, " \n": false, "\u2003": false, "a\x00": false, "a\xff": false, strings.Repeat("a", core.MaxMessageChars+1): false,
	} {
		err := core.CheckMessage(text)
		if (err == nil) != ok || err != nil && core.CodeOf(err) != core.CodeValidationFailed {
			t.Errorf("%.20q: got %v, want accepted %v", text, err, ok)
		}
	}
}

func TestRunIsBusyUntilItEnds(t *testing.T) {
	busy := map[core.RunStatus]bool{core.RunHeld: false, core.RunQueued: true, core.RunRunning: true, core.RunEnded: false}
	for _, status := range constantsOf(t, "chat.go", "RunStatus") {
		want, known := busy[core.RunStatus(status)]
		if got := (core.Run{Status: core.RunStatus(status)}).Busy(); got != want || !known {
			t.Errorf("%q: got %v, want %v (known %v)", status, got, want, known)
		}
	}
}

func TestRolesAreOrdered(t *testing.T) {
	ordered := constantsOf(t, "workspace.go", "Role")
	for i, role := range ordered {
		for k, least := range ordered {
			if got := core.Role(role).AtLeast(core.Role(least)); got != (i >= k) {
				t.Errorf("%q at least %q: got %v, want %v", role, least, got, i >= k)
			}
		}
	}
	if core.Role("superuser").AtLeast(core.RoleMember) {
		t.Error("an unknown role counts as a member's, want none")
	}
}
