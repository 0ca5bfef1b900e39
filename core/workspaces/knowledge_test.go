package workspaces_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

func TestAdminsWriteTheKnowledgeThatMembersRead(t *testing.T) {
	s := newSpaces(t)
	long := strings.Repeat("é", core.MaxKnowledgeBytes/2)
	for name, c := range map[string]struct {
		by   core.Actor
		text string
		code core.Code
	}{
		"an owner":            {s.owner, "Write German.", ""},
		"an admin":            {s.admin, "Write German.", ""},
		"as long as it may":   {s.admin, long, ""},
		"a member":            {s.member, "x", core.CodeForbidden},
		"a stranger":          {s.nobody, "x", core.CodeNotFound},
		"too long":            {s.admin, long + "x", core.CodeValidationFailed},
		"a NUL":               {s.admin, "a\x00", core.CodeValidationFailed},
		"no text in UTF-8":    {s.admin, "\xff", core.CodeValidationFailed},
		"removed by an admin": {s.admin, "", ""},
	} {
		got, err := s.SetKnowledge(t.Context(), c.by, s.team.ID, workspaces.Knowledge{Text: c.text})
		wantSpaceCode(t, name, err, c.code)
		if c.code != "" {
			continue
		}
		read, err := s.Knowledge(t.Context(), s.member, s.team.ID)
		if err != nil || got.Text != c.text || read.Text != c.text {
			t.Errorf("%s: got %.20q, %.20q, %v, want %.20q", name, got.Text, read.Text, err, c.text)
		}
	}
	_, err := s.Knowledge(t.Context(), s.nobody, s.team.ID)
	wantSpaceCode(t, "a stranger reads", err, core.CodeNotFound)
	s = newSpaces(t)
	for range 2 {
		if _, err := s.SetKnowledge(t.Context(), s.admin, s.team.ID, workspaces.Knowledge{Text: "a secret of ours"}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := s.store.Tables().Audit.List(t.Context(), s.team.ID, core.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, entry := range entries {
		if strings.Contains(entry.Target, "secret") {
			t.Errorf("got %+v, want no word of the text in the log", entry)
		}
		if strings.Contains(entry.Target, "knowledge: 16 bytes") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("got %d entries of %+v, want one for the one change", told, entries)
	}
}
