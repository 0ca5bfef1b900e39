package preview_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

// label is the first label of the preview's host name.
func (s *studio) label() string {
	s.t.Helper()
	_, host, _ := strings.Cut(s.start().URL, "://")
	label, _, _ := strings.Cut(host, ".")
	return label
}

func TestResolve(t *testing.T) {
	t.Run("finds the project by its label, in any case", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			label := s.label()
			if len(label) != 63 {
				t.Errorf("got a label of %d characters, want 63", len(label))
			}
			for _, spelled := range []string{label, strings.ToUpper(label)} {
				if got, err := s.preview.Resolve(t.Context(), spelled); err != nil || got != (preview.Visit{Project: s.project, Audience: preview.AudienceMembers}) {
					t.Errorf("got %+v, %v for %s, want %s for members", got, err, spelled, s.project)
				}
			}
		})
	})

	t.Run("finds nothing by any other label", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			label := s.label()
			other := s.newProject("other")
			last := "a"
			if strings.HasSuffix(label, "a") {
				last = "b"
			}
			for name, wrong := range map[string]string{
				"empty":                        "",
				"an id alone":                  string(s.project),
				"an id and a hyphen":           string(s.project) + "-",
				"another token":                string(s.project) + "-" + strings.Repeat("a", 26),
				"a token with one other sign":  label[:62] + last,
				"a token cut short":            label[:62],
				"a token with a sign too many": label + "a",
				"another project's token":      string(other) + label[36:],
				"no project":                   string(core.NewID()) + label[36:],
				"no hyphen":                    label[:36] + "x" + label[37:],
				"no id":                        strings.Repeat("x", 63),
			} {
				if got, err := s.preview.Resolve(t.Context(), wrong); !core.IsCode(err, core.CodeNotFound) {
					t.Errorf("%s: got %s, %v, want %s", name, got, err, core.CodeNotFound)
				}
			}
		})
	})

	for name, alter := range map[string]func(s *studio){
		"visibility": func(s *studio) { s.change(func(p *core.Project) { p.Show(core.VisibilityPrivate) }) },
		"workspace's members": func(s *studio) {
			_, err := s.store.Tables().Workspaces.Update(s.t.Context(), s.space, func(w *core.Workspace) error { w.MembersVersion++; return nil })
			s.must(err)
		},
		"workspace": func(s *studio) {
			other := core.NewID()
			s.must(s.store.Tables().Workspaces.Create(s.t.Context(), core.Workspace{ID: other, Slug: "other", Name: "Other"}))
			s.change(func(p *core.Project) { p.WorkspaceID = other })
		},
	} {
		t.Run("refuses the old label when the project's "+name+" changes", func(t *testing.T) {
			play(t, func(t *testing.T, s *studio) {
				before := s.label()
				alter(s)
				if _, err := s.preview.Resolve(t.Context(), before); !core.IsCode(err, core.CodeNotFound) {
					t.Errorf("got %v, want %s", err, core.CodeNotFound)
				}
			})
		})
	}

	t.Run("tells readers of a public project from members", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.change(func(p *core.Project) { p.Show(core.VisibilityPublic) })
			status, err := s.preview.Start(t.Context(), s.person("reader@example.com", core.RoleNone), s.project)
			s.must(err)
			_, host, _ := strings.Cut(status.URL, "://")
			label, _, _ := strings.Cut(host, ".")
			if got, err := s.preview.Resolve(t.Context(), label); err != nil || got != (preview.Visit{Project: s.project, Audience: preview.AudienceGuests}) {
				t.Errorf("got %+v, %v, want %s for guests", got, err, s.project)
			}
			if label == s.label() {
				t.Error("got one label for both, want two")
			}
		})
	})

	for name, alter := range map[string]func(s *studio){
		"visibility": func(s *studio) {
			s.change(func(p *core.Project) { p.Show(core.VisibilityPublic) })
			s.change(func(p *core.Project) { p.Show(core.VisibilityWorkspace) })
		},
		"workspace": func(s *studio) {
			other := core.NewID()
			s.must(s.store.Tables().Workspaces.Create(s.t.Context(), core.Workspace{ID: other, Slug: "other", Name: "Other"}))
			s.change(func(p *core.Project) { p.MoveTo(other) })
			s.change(func(p *core.Project) { p.MoveTo(s.space) })
		},
		"preview, stopped": func(s *studio) { s.must(s.preview.Stop(s.t.Context(), s.owner, s.project)) },
	} {
		t.Run("never finds an old label again: "+name, func(t *testing.T) {
			play(t, func(t *testing.T, s *studio) {
				before := s.label()
				alter(s)
				if s.label() == before {
					t.Error("got the old label, want another")
				}
				if _, err := s.preview.Resolve(t.Context(), before); !core.IsCode(err, core.CodeNotFound) {
					t.Errorf("got %v, want %s", err, core.CodeNotFound)
				}
			})
		})
	}

	t.Run("finds no deleted project", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			label, now := s.label(), core.At(time.Now())
			s.change(func(p *core.Project) { p.DeletedAt = &now })
			if _, err := s.preview.Resolve(t.Context(), label); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("got %v, want %s", err, core.CodeNotFound)
			}
		})
	})
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"", "a", strings.Repeat("0", 63), "018f0000-0000-7000-8000-000000000000-aaaaaaaaaaaaaaaaaaaaaaaaaa"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, label string) {
		s := newStudio(t, fuzzSettings)
		defer s.preview.Close()
		if got, err := s.preview.Resolve(t.Context(), label); !core.IsCode(err, core.CodeNotFound) {
			t.Fatalf("got %s, %v for %q, want %s", got, err, label, core.CodeNotFound)
		}
	})
}
