package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestAMessageBeginsWithACommandOrHasNone(t *testing.T) {
	for text, want := range map[string][2]string{
		"/fix":                        {"fix", ""},
		"/fix the  menu\n":            {"fix", "the  menu"},
		"/check\nthat it adds":        {"check", "that it adds"},
		"/a-1 b":                      {"a-1", "b"},
		"/a/b is broken":              {"", ""},
		"/Fix it":                     {"", ""},
		"/-a":                         {"", ""},
		" /fix":                       {"", ""},
		"fix /fix":                    {"", ""},
		"/":                           {"", ""},
		"/" + strings.Repeat("a", 31): {"", ""},
	} {
		if name, arguments := core.SplitCommand(text); name != want[0] || arguments != want[1] {
			t.Errorf("%q: got %q and %q, want %q", text, name, arguments, want)
		}
	}
}
