package preview_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

var fuzzSettings = preview.Settings{Scheme: "https", Domain: "preview.test"}

// idle lets time pass while nobody uses the preview.
func idle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestSessions(t *testing.T) {
	t.Run("start with the first page, without anybody's asking for a preview", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			if n := s.maker.builds.Load(); n != 0 {
				t.Errorf("got %d builds before the first page, want 0", n)
			}
			if got := s.shown(); got != page {
				t.Errorf("got %q, want the page", got)
			}
		})
	})

	t.Run("end after 15 minutes without interest", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.shown()
			idle(14 * time.Minute)
			s.shown()
			idle(14 * time.Minute)
			if s.preview.Kept(s.project) == nil {
				t.Error("got no session 14 minutes after the last page, want one")
			}
			idle(15*time.Minute + time.Second)
			if s.preview.Kept(s.project) != nil {
				t.Error("got a session 15 minutes after the last page, want none")
			}
			if got := s.shown(); got != page {
				t.Errorf("got %q after that, want the page", got)
			}
		})
	})

	t.Run("stay up while somebody watches", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			events, err := s.preview.Watch(t.Context(), s.owner, s.project)
			s.must(err)
			idle(3 * time.Hour)
			if s.preview.Kept(s.project) == nil {
				t.Error("got no session, want one")
			}
			for len(events) > 0 {
				<-events
			}
		})
	})

	t.Run("end when they are stopped, and start again when somebody looks", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.must(s.preview.Stop(t.Context(), s.owner, s.project))
			s.must(s.preview.Stop(t.Context(), s.owner, s.project))
			if s.preview.Kept(s.project) != nil {
				t.Error("got a session, want none")
			}
			if got := s.start(); got.Status != preview.StateReady {
				t.Errorf("got %s, want ready", got.Status)
			}
		})
	})

	t.Run("end with the project", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			now := core.At(time.Now())
			s.change(func(p *core.Project) { p.DeletedAt = &now })
			synctest.Wait()
			if s.preview.Kept(s.project) != nil {
				t.Error("got a session of a deleted project, want none")
			}
		})
	})

	t.Run("give way to others when there are too many, those that are watched last", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStudio(t, preview.Settings{Scheme: "http", Domain: "p.test", MaxSessions: 2})
			defer s.preview.Close()
			watched, unwatched := s.project, s.newProject("unwatched")
			_, err := s.preview.Watch(t.Context(), s.owner, watched)
			s.must(err)
			idle(time.Second)
			_, err = s.preview.Page(t.Context(), unwatched)
			s.must(err)
			_, err = s.preview.Page(t.Context(), s.newProject("third"))
			s.must(err)
			synctest.Wait()
			if s.preview.Kept(watched) == nil || s.preview.Kept(unwatched) != nil {
				t.Error("got the watched session ended, want the other")
			}
		})
	})

	t.Run("answer those who wait when they are stopped", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.maker.delay.Store(int64(2 * time.Second))
			var waiting sync.WaitGroup
			for range 10 {
				waiting.Go(func() {
					if got := s.shown(); got != page {
						t.Errorf("got %q, want the page of the next session", got)
					}
				})
			}
			idle(time.Second)
			s.must(s.preview.Stop(t.Context(), s.owner, s.project))
			waiting.Wait()
		})
	})

	t.Run("follow a bus that broke off", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.breakBus()
			s.write("index.html", "two")
			if got := s.shown(); got != "two" {
				t.Errorf("got %q while the bus is broken, want two", got)
			}
			s.write("index.html", "three")
			idle(2 * time.Second)
			if n := s.maker.builds.Load(); n < 3 {
				t.Errorf("got %d builds, want one for what changed in the gap", n)
			}
		})
	})

	t.Run("refuse to start when the service has been closed", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.preview.Close()
			if _, err := s.preview.Page(t.Context(), s.project); !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v, want %s", err, core.CodeUnavailable)
			}
		})
	})
}
