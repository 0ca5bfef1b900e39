package rules

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var auditAction = regexp.MustCompile(`AuditAction = "([^"]+)"`)

// TestTheStudioHasWordsForEachAuditedAction in each of its languages, so that nobody reads a code.
func TestTheStudioHasWordsForEachAuditedAction(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../core/audit.go")
	if err != nil {
		t.Fatal(err)
	}
	actions := auditAction.FindAllStringSubmatch(string(source), -1)
	if len(actions) < 90 {
		t.Fatalf("got %d actions, want them all", len(actions))
	}
	for _, language := range []string{"en", "de", "es"} {
		words, err := os.ReadFile("../../adapters/studio/web/text/" + language + "/workspace.ts")
		if err != nil {
			t.Fatal(err)
		}
		for _, action := range actions {
			if !strings.Contains(string(words), "'"+action[1]+"':") {
				t.Errorf("%s has no words for %s", language, action[1])
			}
		}
	}
}
