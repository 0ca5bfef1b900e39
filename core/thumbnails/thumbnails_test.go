package thumbnails_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	membrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/ports/storage"
)

// studio is a project whose preview shows what a test says.
type studio struct {
	t       *testing.T
	store   *memory.Store
	bus     *memory.Bus
	browser *membrowser.Browser
	service *thumbnails.Service
	space   core.ID
	owner   core.Actor
	project core.ID

	page  atomic.Pointer[string]
	looks atomic.Int64
}

// Status implements thumbnails.Previews.
func (s *studio) Status(ctx context.Context, project core.ID) (preview.Status, error) {
	return preview.Status{URL: "http://" + string(project) + ".preview.test"}, ctx.Err()
}

// ServeHTTP is the preview's host.
func (s *studio) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.looks.Add(1)
	page := *s.page.Load()
	if page == "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte(page))
}

func play(t *testing.T, story func(t *testing.T, s *studio)) {
	synctest.Test(t, func(t *testing.T) {
		s := &studio{t: t, store: memory.NewStore(), bus: memory.NewBus(), space: core.NewID(), project: core.NewID()}
		s.show("one")
		s.browser = membrowser.New(s)
		s.service = thumbnails.New(thumbnails.Deps{
			Store: s.store, Gate: access.NewGate(s.store), Bus: s.bus, Enabled: true, Browser: s.browser, Previews: s,
			Origin: "https://app.test", Now: time.Now, Log: slog.New(slog.DiscardHandler),
		})
		defer s.service.Close()
		tables := s.store.Tables()
		must(t, tables.Workspaces.Create(t.Context(), core.Workspace{ID: s.space, Slug: "space", Name: "Space"}))
		s.owner = s.person("owner@example.com", core.RoleOwner)
		must(t, tables.Projects.Create(t.Context(), core.Project{
			ID: s.project, WorkspaceID: s.space, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: s.owner.UserID,
		}))
		story(t, s)
	})
}

func (s *studio) show(page string) { s.page.Store(&page) }

func (s *studio) person(email string, role core.Role) core.Actor {
	s.t.Helper()
	actor := core.Actor{UserID: core.NewID()}
	must(s.t, s.store.Tables().Users.Create(s.t.Context(), core.User{ID: actor.UserID, Email: email}))
	if role != core.RoleNone {
		must(s.t, s.store.Tables().Workspaces.PutMember(s.t.Context(), core.Membership{WorkspaceID: s.space, UserID: actor.UserID, Role: role}))
	}
	return actor
}

// settled lets time pass until the queue is empty.
func (s *studio) settled() {
	time.Sleep(time.Minute)
	synctest.Wait()
}

func (s *studio) url() *string {
	s.t.Helper()
	project, err := s.store.Tables().Projects.ByID(s.t.Context(), s.project)
	must(s.t, err)
	return project.ThumbnailURL
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestThumbnails(t *testing.T) {
	t.Run("are not there before the first", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			if _, err := s.service.Get(t.Context(), s.owner, s.project); !core.IsCode(err, core.CodeNotFound) || s.url() != nil {
				t.Errorf("got %v and %v, want %s and no address", err, s.url(), core.CodeNotFound)
			}
		})
	})

	t.Run("are taken soon, and tell the project's followers", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			notices, err := s.bus.Follow(t.Context(), s.project)
			must(t, err)
			must(t, s.service.Renew(t.Context(), s.owner, s.project))
			s.settled()
			got, err := s.service.Get(t.Context(), s.owner, s.project)
			if err != nil || !bytes.HasPrefix(got.PNG, []byte("\x89PNG")) || got.TakenAt == 0 {
				t.Errorf("got %d bytes, %v, want a picture with its time", len(got.PNG), err)
			}
			if url := s.url(); url == nil || !strings.HasPrefix(*url, "https://app.test/projects/"+string(s.project)+"/thumbnail?v=") {
				t.Errorf("got %v, want the picture's address", url)
			}
			if notice := <-notices; notice.Kind != core.NoticeProject {
				t.Errorf("got %+v, want a notice of the project", notice)
			}
		})
	})

	t.Run("have another address when they show something else", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.service.Refresh(s.project)
			s.settled()
			first, before := s.picture(), *s.url()
			s.show("two")
			s.service.Refresh(s.project)
			s.settled()
			if bytes.Equal(first, s.picture()) || before == *s.url() {
				t.Error("got the same picture or address, want others")
			}
		})
	})

	t.Run("are taken once for many wishes", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			for range 100 {
				s.service.Refresh(s.project)
			}
			s.settled()
			if looks := s.looks.Load(); looks != 1 {
				t.Errorf("got %d pictures, want 1", looks)
			}
		})
	})

	t.Run("stay as they are when the page does not answer", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.service.Refresh(s.project)
			s.settled()
			before := s.picture()
			s.show("")
			s.service.Refresh(s.project)
			s.settled()
			if !bytes.Equal(before, s.picture()) {
				t.Error("got another picture, want the last good one")
			}
		})
	})

	t.Run("are no failure where there is no browser", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.browser.SetAvailable(false)
			must(t, s.service.Renew(t.Context(), s.owner, s.project))
			s.settled()
			if s.url() != nil || s.looks.Load() != 0 {
				t.Errorf("got %v after %d looks, want nothing", s.url(), s.looks.Load())
			}
		})
	})

	t.Run("are for members, and for readers of a public project", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.service.Refresh(s.project)
			s.settled()
			stranger := s.person("stranger@example.com", core.RoleNone)
			if _, err := s.service.Get(t.Context(), stranger, s.project); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("got %v for a stranger, want %s", err, core.CodeNotFound)
			}
			_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(p *core.Project) error { p.Visibility = core.VisibilityPublic; return nil })
			must(t, err)
			if _, err := s.service.Get(t.Context(), stranger, s.project); err != nil {
				t.Errorf("got %v for a reader, want the picture", err)
			}
			if err := s.service.Renew(t.Context(), stranger, s.project); !core.IsCode(err, core.CodeForbidden) {
				t.Errorf("got %v for a reader who wants another, want %s", err, core.CodeForbidden)
			}
		})
	})

	t.Run("of a project that is gone are not kept", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.service.Refresh(s.project)
			must(t, s.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
				return tables.Projects.Delete(ctx, s.project)
			}))
			s.settled()
			if _, err := s.store.Tables().Thumbnails.ByProject(t.Context(), s.project); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("got %v, want %s", err, core.CodeNotFound)
			}
		})
	})
}

// picture is the project's.
func (s *studio) picture() []byte {
	s.t.Helper()
	thumbnail, err := s.service.Get(s.t.Context(), s.owner, s.project)
	must(s.t, err)
	return thumbnail.PNG
}
