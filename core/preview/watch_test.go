package preview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/preview"
)

// heard receives the events that have arrived, and returns their types.
func heard(events <-chan preview.Event) (types []preview.EventType, last preview.Event) {
	synctest.Wait()
	for {
		select {
		case event, open := <-events:
			if !open {
				return append(types, "closed"), last
			}
			types, last = append(types, event.Type), event
		default:
			return types, last
		}
	}
}

func expect(t *testing.T, got []preview.EventType, want ...preview.EventType) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got events %v, want %v", got, want)
	}
}

func (s *studio) watch(ctx context.Context) <-chan preview.Event {
	s.t.Helper()
	events, err := s.preview.Watch(ctx, s.owner, s.project)
	s.must(err)
	return events
}

func TestWatch(t *testing.T) {
	t.Run("tells the status first, then what becomes of every build", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			events := s.watch(t.Context())
			got, status := heard(events)
			expect(t, got, preview.EventStatus)
			if status.Status != preview.StateReady || status.URL == "" || status.Diagnostics == nil {
				t.Errorf("got %+v, want the whole status", status)
			}
			s.write("app.js", "(")
			idle(time.Second)
			got, _ = heard(events)
			expect(t, got, preview.EventBuildError, preview.EventStatus)
			s.write("app.js", "()")
			idle(time.Second)
			got, _ = heard(events)
			expect(t, got, preview.EventBuildOK, preview.EventStatus)
			s.write("app.js", "(1)")
			idle(time.Second)
			got, _ = heard(events)
			expect(t, got, preview.EventBuildOK)
		})
	})

	t.Run("tells pages of builds only", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			events, err := s.preview.WatchBuilds(t.Context(), s.label())
			s.must(err)
			got, event := heard(events)
			expect(t, got, preview.EventBuildOK)
			s.must(s.preview.Report(s.project, preview.ConsoleEntry{Level: "log", Message: "hello"}))
			s.write("index.html", "two")
			idle(time.Second)
			got, next := heard(events)
			expect(t, got, preview.EventBuildOK)
			if event.Build == "" || event.Build == next.Build {
				t.Errorf("got builds %q and %q, want two names", event.Build, next.Build)
			}
		})
	})

	t.Run("tells the new address when the visibility changes", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			events := s.watch(t.Context())
			_, before := heard(events)
			s.change(func(p *core.Project) { p.Visibility = core.VisibilityPublic })
			got, after := heard(events)
			expect(t, got, preview.EventStatus)
			if before.URL == after.URL {
				t.Errorf("got %q twice, want another address", before.URL)
			}
		})
	})

	t.Run("ends with its context", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			ctx, cancel := context.WithCancel(t.Context())
			events := s.watch(ctx)
			cancel()
			got, _ := heard(events)
			expect(t, got, preview.EventStatus, "closed")
		})
	})

	t.Run("ends within ten seconds after a member was removed, also without a notice", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			member := s.person("member@example.com", core.RoleMember)
			events, err := s.preview.Watch(t.Context(), member, s.project)
			s.must(err)
			s.must(s.store.Tables().Members.Remove(t.Context(), s.space, member.UserID))
			idle(10 * time.Second)
			got, _ := heard(events)
			expect(t, got, preview.EventStatus, "closed")
		})
	})

	t.Run("tells the new address to nobody who may not have it any more", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			member := s.person("member@example.com", core.RoleMember)
			events, err := s.preview.Watch(t.Context(), member, s.project)
			s.must(err)
			stays := s.watch(t.Context())
			s.change(func(p *core.Project) { p.Visibility = core.VisibilityPrivate })
			got, _ := heard(events)
			expect(t, got, preview.EventStatus, "closed")
			got, _ = heard(stays)
			expect(t, got, preview.EventStatus, preview.EventStatus)
		})
	})

	t.Run("tells the new address of a build to nobody who was removed meanwhile", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			member := s.person("member@example.com", core.RoleMember)
			events, err := s.preview.Watch(t.Context(), member, s.project)
			s.must(err)
			s.must(s.store.Tables().Members.Remove(t.Context(), s.space, member.UserID))
			s.raise()
			s.write("app.js", "(")
			idle(time.Second)
			got, _ := heard(events)
			expect(t, got, preview.EventStatus, preview.EventBuildError, "closed")
		})
	})

	t.Run("ends within ten seconds for a page whose label has changed", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			events, err := s.preview.WatchBuilds(t.Context(), s.label())
			s.must(err)
			s.change(func(p *core.Project) { p.Visibility = core.VisibilityPrivate })
			idle(10 * time.Second)
			got, _ := heard(events)
			expect(t, got, preview.EventBuildOK, "closed")
		})
	})

	t.Run("ends for a watcher that does not read", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			slow := s.watch(t.Context())
			for i := range 100 {
				s.write("index.html", fmt.Sprint(i))
				s.shown()
			}
			got, _ := heard(slow)
			if len(got) != 65 || got[64] != "closed" {
				t.Errorf("got %d events, the last %q, want 64 and the end", len(got), got[len(got)-1])
			}
		})
	})

	t.Run("ends when the preview is stopped", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			events := s.watch(t.Context())
			s.must(s.preview.Stop(t.Context(), s.owner, s.project))
			got, _ := heard(events)
			expect(t, got, preview.EventStatus, "closed")
		})
	})

	t.Run("is refused to too many", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			for i := range 200 {
				if i%10 == 0 {
					s.owner = s.person(fmt.Sprintf("member%d@example.com", i), core.RoleMember)
				}
				s.watch(t.Context())
			}
			late := s.person("late@example.com", core.RoleMember)
			if _, err := s.preview.Watch(t.Context(), late, s.project); !core.IsCode(err, core.CodeRateLimited) {
				t.Errorf("got %v, want %s", err, core.CodeRateLimited)
			}
		})
	})

	t.Run("tells the project's followers the status when one asks", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			notices, err := s.bus.Follow(t.Context(), s.project)
			s.must(err)
			s.must(s.bus.Publish(t.Context(), core.Notice{Kind: core.NoticePreview, ProjectID: s.project}))
			<-notices // the question
			if told := <-notices; told.Kind != core.NoticePreview || told.Preview == nil || told.Preview.Status != "ready" {
				t.Errorf("got %+v, want that the preview is ready", told)
			}
		})
	})

	t.Run("tells the project's followers when the status changes, not at every build", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			notices, err := s.bus.Follow(t.Context(), s.project)
			s.must(err)
			for _, content := range []string{"1", "(", "( 1", "2", "3"} {
				s.write("app.js", content)
				s.shown()
				synctest.Wait()
			}
			told := 0
			for len(notices) > 0 {
				if (<-notices).Kind == core.NoticePreview {
					told++
				}
			}
			if told != 2 {
				t.Errorf("got %d notices, want 2: broken and mended", told)
			}
		})
	})
}

func TestEventJSON(t *testing.T) {
	for want, event := range map[string]preview.Event{
		`{"type":"preview.status","url":"u","status":"ready","runtime":"go","diagnostics":[]}`: {
			Type: preview.EventStatus, URL: "u", Status: preview.StateReady, Runtime: builds.RuntimeGo, Diagnostics: []core.Diagnostic{},
		},
		`{"type":"build.ok","build":"b"}`: {Type: preview.EventBuildOK, Build: "b"},
		`{"type":"build.error","diagnostics":[{"path":"a.js","line":1,"column":2,"message":"m"}]}`: {
			Type: preview.EventBuildError, Diagnostics: []core.Diagnostic{{Path: "a.js", Line: 1, Column: 2, Message: "m"}},
		},
		`{"type":"console","level":"error","message":"m","source":"","line":0,"column":0,"createdAt":"1970-01-01T00:00:00.000Z"}`: {
			Type: preview.EventConsole, ConsoleEntry: &preview.ConsoleEntry{Level: "error", Message: "m"},
		},
	} {
		got, err := json.Marshal(event)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}
