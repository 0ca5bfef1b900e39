package preview_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/preview"
)

func TestStart(t *testing.T) {
	t.Run("answers the whole status of a static project", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			got := s.start()
			if got.Status != preview.StateReady || got.Runtime != builds.RuntimeStatic || got.Diagnostics == nil || len(got.Diagnostics) != 0 {
				t.Errorf("got %+v, want a ready static preview without diagnostics", got)
			}
			if !strings.HasPrefix(got.URL, "http://"+string(s.project)+"-") || !strings.HasSuffix(got.URL, ".preview.test:8080") {
				t.Errorf("got URL %q, want the project's host below the preview domain", got.URL)
			}
		})
	})

	t.Run("says starting when the first build takes long, and ready later", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.maker.delay.Store(int64(5 * time.Second))
			if got := s.start(); got.Status != preview.StateStarting {
				t.Errorf("got %s, want starting", got.Status)
			}
			time.Sleep(4 * time.Second)
			synctest.Wait()
			if got := s.start(); got.Status != preview.StateReady {
				t.Errorf("got %s, want ready", got.Status)
			}
			if n := s.maker.builds.Load(); n != 1 {
				t.Errorf("got %d builds, want 1", n)
			}
		})
	})

	t.Run("names the runtime of a project with a package.json", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.write("package.json", `{}`)
			if got := s.start(); got.Runtime != builds.RuntimeGo {
				t.Errorf("got %s, want go", got.Runtime)
			}
		})
	})

	t.Run("is for members, and for readers of a public project", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			stranger := s.person("stranger@example.com", core.RoleNone)
			_, err := s.preview.Start(t.Context(), stranger, s.project)
			if !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("got %v for a stranger, want %s", err, core.CodeNotFound)
			}
			s.change(func(p *core.Project) { p.Visibility = core.VisibilityPublic })
			if _, err := s.preview.Start(t.Context(), stranger, s.project); err != nil {
				t.Errorf("got %v for a reader, want no error", err)
			}
			if err := s.preview.Stop(t.Context(), stranger, s.project); !core.IsCode(err, core.CodeForbidden) {
				t.Errorf("got %v for a reader who stops, want %s", err, core.CodeForbidden)
			}
			if _, err := s.preview.Watch(t.Context(), stranger, s.project); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("got %v for a reader who watches, want %s", err, core.CodeNotFound)
			}
		})
	})

	t.Run("finds no deleted project", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			now := core.At(time.Now())
			s.change(func(p *core.Project) { p.DeletedAt = &now })
			if _, err := s.preview.Start(t.Context(), s.owner, s.project); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("got %v, want %s", err, core.CodeNotFound)
			}
		})
	})
}

func TestBuilds(t *testing.T) {
	t.Run("shows what was written before the page was asked for", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.maker.delay.Store(int64(300 * time.Millisecond))
			for _, want := range []string{"two", "three", "four"} {
				s.write("index.html", want)
				if got := s.shown(); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	})

	t.Run("does not build again when nothing changed", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			for range 5 {
				s.shown()
			}
			time.Sleep(time.Minute)
			s.shown()
			if n := s.maker.builds.Load(); n != 1 {
				t.Errorf("got %d builds, want 1", n)
			}
		})
	})

	t.Run("gathers a burst of changes into few builds", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.maker.delay.Store(int64(100 * time.Millisecond))
			for i := range 400 {
				s.write("index.html", page+strings.Repeat("x", i))
				time.Sleep(100 * time.Microsecond)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if n := s.maker.builds.Load(); n < 2 || n > 4 {
				t.Errorf("got %d builds for 400 changes in 40 ms, want 2 to 4", n)
			}
			if got := s.shown(); got != page+strings.Repeat("x", 399) {
				t.Errorf("got a page of %d bytes, want the last one", len(got))
			}
		})
	})

	t.Run("builds by itself, so that the next page need not wait", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.write("index.html", "two")
			time.Sleep(time.Second)
			synctest.Wait()
			if n := s.maker.builds.Load(); n != 2 {
				t.Errorf("got %d builds, want 2", n)
			}
		})
	})

	t.Run("keeps the last good build up while the sources are broken", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.write("broken.js", "function (")
			got, err := s.preview.Page(t.Context(), s.project)
			s.must(err)
			if got.Build == nil || len(got.Diagnostics) == 0 || got.Diagnostics[0].Path != "broken.js" {
				t.Errorf("got %+v, want the old build and a diagnostic of broken.js", got)
			}
			if status := s.start(); status.Status != preview.StateError || len(status.Diagnostics) == 0 {
				t.Errorf("got %+v, want an error with diagnostics", status)
			}
			s.write("broken.js", "function a() {}")
			if status := s.start(); status.Status != preview.StateReady || len(status.Diagnostics) != 0 {
				t.Errorf("got %+v, want ready", status)
			}
		})
	})

	t.Run("gives equal files the same name", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			name := func() string {
				got, err := s.preview.Page(t.Context(), s.project)
				s.must(err)
				return got.Build.ID
			}
			first := name()
			s.write("index.html", "two")
			second := name()
			s.write("index.html", page)
			if third := name(); first == second || first != third {
				t.Errorf("got %s, %s, %s, want the first and the third equal, the second other", first, second, third)
			}
		})
	})

	t.Run("says where package.json asks for what does not exist", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.must(s.packages.Publish(memory.PublishedPackage{Name: "react", Version: "19.0.0"}))
			s.write("package.json", "{\n  \"dependencies\": {\n    \"reakt\": \"^19.0.0\"\n  }\n}")
			got := s.start()
			if got.Status != preview.StateError || len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "package.json" || got.Diagnostics[0].Line != 3 {
				t.Errorf("got %+v, want one diagnostic at package.json:3", got)
			}
		})
	})

	t.Run("tries again when the registry could not be reached", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.packages.SetOffline(true)
			s.write("package.json", `{"dependencies": {"react": "^19.0.0"}}`)
			if got := s.start(); got.Status != preview.StateError || len(got.Diagnostics) != 1 {
				t.Fatalf("got %+v, want an error with a diagnostic", got)
			}
			if _, _, err := s.preview.Check(t.Context(), s.project); !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v from Check, want %s", err, core.CodeUnavailable)
			}
			s.packages.SetOffline(false)
			if n := s.maker.builds.Load(); n != 1 {
				t.Errorf("got %d builds at once, want 1", n)
			}
			time.Sleep(5 * time.Second)
			if got := s.start(); got.Status != preview.StateReady {
				t.Errorf("got %+v, want ready", got)
			}
		})
	})

	t.Run("serves what there is when a build takes too long", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.maker.delay.Store(int64(time.Minute))
			s.write("index.html", "two")
			before := time.Now()
			if got := s.shown(); got != page {
				t.Errorf("got %q, want the page of the last build", got)
			}
			if waited := time.Since(before); waited != 10*time.Second {
				t.Errorf("got an answer after %v, want 10s", waited)
			}
		})
	})

	t.Run("ends a build that takes longer than its limit", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.maker.delay.Store(int64(time.Hour))
			s.start()
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			got, err := s.preview.Page(t.Context(), s.project)
			s.must(err)
			if len(got.Diagnostics) != 1 || !strings.Contains(got.Diagnostics[0].Message, "longer than 2m0s") {
				t.Errorf("got %+v, want the limit as a diagnostic", got.Diagnostics)
			}
		})
	})
}

func TestCheck(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		got, _, err := s.preview.Check(t.Context(), s.project)
		if err != nil || len(got) != 0 {
			t.Errorf("got %v, %v, want no diagnostics", got, err)
		}
		s.write("app.js", "(")
		got, _, err = s.preview.Check(t.Context(), s.project)
		if err != nil || len(got) != 1 || got[0].Path != "app.js" {
			t.Errorf("got %v, %v, want one diagnostic of app.js", got, err)
		}
		s.write("app.js", "1")
		s.write("index.html", `<link rel="stylesheet" href="/index.css">`)
		got, warnings, err := s.preview.Check(t.Context(), s.project)
		if err != nil || len(got) != 0 || len(warnings) != 1 || warnings[0].Path != "index.html" {
			t.Errorf("got %v, %v, %v, want one warning of index.html", got, warnings, err)
		}
		if status := s.start(); status.Status != preview.StateReady || !slices.Equal(status.Warnings, warnings) {
			t.Errorf("got %+v, want a preview that is ready, with the warning", status)
		}
	})
}

// TestWhoeverLosesAccessDuringABuildDoesNotGetTheNewAddress removes a member while
// the answer waits for a build.
func TestWhoeverLosesAccessDuringABuildDoesNotGetTheNewAddress(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		member := s.person("member@example.com", core.RoleMember)
		s.maker.delay.Store(int64(time.Second / 2))
		answered := make(chan error, 1)
		go func() {
			_, err := s.preview.Start(t.Context(), member, s.project)
			answered <- err
		}()
		synctest.Wait()
		s.must(s.store.Tables().Members.Remove(t.Context(), s.space, member.UserID))
		s.raise()
		if err := <-answered; !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want %s", err, core.CodeNotFound)
		}
	})
}

// TestASaveReadsTheProjectOnce counts how often an open preview reads the project's
// files after a change. Each read has unsaved edits saved first.
func TestASaveReadsTheProjectOnce(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		s.shown()
		for _, content := range []string{"two", "three"} {
			// The session reads the project once more to announce the build.
			synctest.Wait()
			views, builds := len(s.sources.ViewCalls()), s.maker.builds.Load()
			s.write("index.html", content)
			idle(time.Second)
			if got := len(s.sources.ViewCalls()) - views; got != 1 || s.maker.builds.Load() != builds+1 {
				t.Errorf("got %d views for %d builds, want one for one", got, s.maker.builds.Load()-builds)
			}
			if got := s.shown(); got != content {
				t.Errorf("got %q, want %q", got, content)
			}
		}
	})
}
