package preview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

// membersChange changes the addresses of the workspace's previews, as a join or a removal does.
func (s *studio) membersChange() {
	s.t.Helper()
	_, err := s.store.Tables().Workspaces.Update(s.t.Context(), s.space, func(w *core.Workspace) error { w.MembersVersion++; return nil })
	s.must(err)
}

// left is the code of a page at a label.
func (s *studio) left(label string) string {
	s.t.Helper()
	project, code, err := s.preview.Leave(s.t.Context(), label)
	s.must(err)
	if !strings.HasPrefix(strings.ToLower(label), string(project)) {
		s.t.Errorf("got project %s for the label %s", project, label)
	}
	return code
}

// moves lets a caller follow to the preview of a project.
func (s *studio) moves(by core.Actor, project core.ID, code string) preview.Move {
	s.t.Helper()
	move, err := s.preview.Move(s.t.Context(), by, project, code)
	s.must(err)
	return move
}

func TestAPageFollowsItsPreview(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		before := s.label()
		s.membersChange()
		s.membersChange()
		move := s.moves(s.owner, s.project, s.left(strings.ToUpper(before)))
		if !strings.Contains(move.URL, s.label()) || move.Code == "" {
			t.Fatalf("got %+v, want the present address and a code", move)
		}
		s.must(s.preview.Arrive(t.Context(), s.label(), move.Code))
		if err := s.preview.Arrive(t.Context(), s.label(), move.Code); !core.IsCode(err, core.CodeInvalidToken) {
			t.Errorf("got %v for the second arrival, want %s", err, core.CodeInvalidToken)
		}
	})
}

// TestWhoMayNotSeeAPreviewDoesNotFollowIt: the code is a right to nothing.
func TestWhoMayNotSeeAPreviewDoesNotFollowIt(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		before, removed := s.label(), s.person("removed@example.com", core.RoleMember)
		s.must(s.store.Tables().Members.Remove(t.Context(), s.space, removed.UserID))
		s.membersChange()
		code := s.left(before)
		for name, by := range map[string]core.Actor{"a removed member": removed, "a stranger": s.person("stranger@example.com", core.RoleNone)} {
			if move, err := s.preview.Move(t.Context(), by, s.project, code); !core.IsCode(err, core.CodeNotFound) || move.URL != "" {
				t.Errorf("%s: got %+v, %v, want %s", name, move, err, core.CodeNotFound)
			}
		}
		if move := s.moves(s.owner, s.project, code); move.Code == "" {
			t.Error("the refusals have used the code up")
		}
	})
}

// TestACodeIsWorthNothingElsewhere: replayed, late, forged, of another project or of another audience,
// it lets nobody bring an end user's session.
func TestACodeIsWorthNothingElsewhere(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		s.change(func(p *core.Project) { p.Show(core.VisibilityPublic) })
		other := s.newProject("other")
		reader := s.person("reader@example.com", core.RoleNone)
		before := s.label()
		used := ""
		for name, c := range map[string]struct {
			by      core.Actor
			project core.ID
			code    func() string
			after   time.Duration
		}{
			"a forged code":            {s.owner, s.project, func() string { return "x" }, 0},
			"no code":                  {s.owner, s.project, func() string { return "" }, 0},
			"another project's":        {s.owner, other, func() string { return s.left(before) }, 0},
			"another audience's":       {reader, s.project, func() string { return s.left(before) }, 0},
			"one that was used before": {s.owner, s.project, func() string { return used }, 0},
			"one that is too old":      {s.owner, s.project, func() string { return s.left(before) }, 2 * time.Minute},
		} {
			before = s.label()
			s.membersChange()
			used = s.left(before)
			s.moves(s.owner, s.project, used)
			code := c.code()
			time.Sleep(c.after)
			if move := s.moves(c.by, c.project, code); move.Code != "" || move.URL == "" {
				t.Errorf("%s: got %+v, want the address alone", name, move)
			}
		}

		before = s.label()
		s.membersChange()
		move := s.moves(s.owner, s.project, s.left(before))
		elsewhere, err := s.preview.Start(t.Context(), s.owner, other)
		s.must(err)
		_, host, _ := strings.Cut(elsewhere.URL, "://")
		label, _, _ := strings.Cut(host, ".")
		for name, at := range map[string]string{"another project's host": label, "the former host": before} {
			if err := s.preview.Arrive(t.Context(), at, move.Code); !core.IsCode(err, core.CodeInvalidToken) {
				t.Errorf("%s: got %v, want %s", name, err, core.CodeInvalidToken)
			}
		}
		time.Sleep(2 * time.Minute)
		if err := s.preview.Arrive(t.Context(), s.label(), move.Code); !core.IsCode(err, core.CodeInvalidToken) {
			t.Errorf("late: got %v, want %s", err, core.CodeInvalidToken)
		}
	})
}

// TestOnlyAFormerAddressIsLeft: not a present one, nor one that somebody has closed.
func TestOnlyAFormerAddressIsLeft(t *testing.T) {
	for name, change := range map[string]func(s *studio){
		"the present address": func(*studio) {},
		"a stopped preview":   func(s *studio) { s.must(s.preview.Stop(s.t.Context(), s.owner, s.project)); s.membersChange() },
		"another visibility":  func(s *studio) { s.change(func(p *core.Project) { p.Show(core.VisibilityPrivate) }); s.membersChange() },
		"a deleted project":   func(s *studio) { s.membersChange(); s.change(func(p *core.Project) { p.DeletedAt = new(core.Time) }) },
		"an address of long ago": func(s *studio) {
			for range 40 {
				s.membersChange()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(t *testing.T, s *studio) {
				label := s.label()
				change(s)
				if _, code, err := s.preview.Leave(t.Context(), label); !core.IsCode(err, core.CodeNotFound) || code != "" {
					t.Errorf("got %q, %v, want %s", code, err, core.CodeNotFound)
				}
			})
		})
	}
	play(t, func(t *testing.T, s *studio) {
		for _, label := range []string{"", "x", string(s.project) + "-" + strings.Repeat("a", 26), strings.Repeat("x", 63)} {
			if _, _, err := s.preview.Leave(t.Context(), label); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("%q: got %v, want %s", label, err, core.CodeNotFound)
			}
		}
	})
}
