package publish_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
)

// play runs a test in a synctest bubble.
func play(t *testing.T, test func(t *testing.T, s *studio)) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t)
		test(t, s)
		s.publish.Close()
	})
}

func TestSite(t *testing.T) {
	t.Run("is off the network while its project is deleted, at once", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		for range 3 {
			if got := s.served("shop"); got != "one" {
				t.Errorf("got %q, want one", got)
			}
			s.must(s.projects.Delete(t.Context(), s.owner, s.project))
			if got := s.served("shop"); got != "" {
				t.Errorf("got %q of a deleted project, want nothing", got)
			}
			_, err := s.projects.Restore(t.Context(), s.owner, s.project)
			s.must(err)
		}
		s.must(s.projects.Purge(t.Context(), s.owner, s.project))
		if got := s.served("shop"); got != "" || s.sites.stored.Load() != 0 {
			t.Errorf("got %q and %d stored of a purged project, want nothing", got, s.sites.stored.Load())
		}
	})

	t.Run("switches at once under the same address and to another", func(t *testing.T) {
		s := newStudio(t)
		for i := range 20 {
			s.write("index.html", fmt.Sprint(i))
			s.mustPublish()
			if got := s.served("shop"); got != fmt.Sprint(i) {
				t.Errorf("got %q, want %d", got, i)
			}
		}
		other := s.newProject("other")
		s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
		slug := "shop"
		_, err := s.publish.Publish(t.Context(), s.owner, other, publish.Request{Slug: &slug})
		s.must(err)
		if got := s.served("shop"); got != "one" {
			t.Errorf("got %q, want the other project's page", got)
		}
	})

	t.Run("does not exist under names that no site can have", func(t *testing.T) {
		s := newStudio(t)
		for _, slug := range []string{"", "www", "preview", "SHOP", "a.b", "..", "shop/", "nothing"} {
			if _, err := s.publish.Site(t.Context(), slug); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("%q: got %v, want %s", slug, err, core.CodeNotFound)
			}
		}
	})

	t.Run("is read once while nothing changes", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.mustPublish()
			for range 100 {
				s.served("shop")
				time.Sleep(time.Second)
			}
			if s.bus.followers.Load() != 1 {
				t.Errorf("got %d followers, want 1", s.bus.followers.Load())
			}
		})
	})

	t.Run("is at most two seconds old when the bus loses a notice", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.mustPublish()
			s.served("shop")
			s.bus.loses = true
			s.must(s.projects.Delete(t.Context(), s.owner, s.project))
			if got := s.served("shop"); got != "one" {
				t.Errorf("got %q, want the answer that is kept", got)
			}
			time.Sleep(2 * time.Second)
			if got := s.served("shop"); got != "" {
				t.Errorf("got %q after two seconds, want nothing", got)
			}
		})
	})

	t.Run("is read every time when the bus refuses followers", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.bus.refuses, s.bus.loses = true, true
		s.served("shop")
		s.must(s.projects.Delete(t.Context(), s.owner, s.project))
		if got := s.served("shop"); got != "" {
			t.Errorf("got %q, want nothing", got)
		}
	})

	t.Run("is known for at most 256 names at a time", func(t *testing.T) {
		s := newStudio(t)
		for i := range 260 {
			slug := fmt.Sprintf("site-%d", i)
			project := core.Project{
				ID: core.NewID(), WorkspaceID: s.space, Slug: slug, Name: slug, PublishedSlug: &slug,
				PublishedAt: new(core.Time), DeploymentID: new(core.ID), Visibility: core.VisibilityWorkspace,
			}
			s.must(s.store.Tables().Projects.Create(t.Context(), project))
			for range 2 {
				if site, err := s.publish.Site(t.Context(), slug); err != nil || site.Project != project.ID {
					t.Fatalf("got %+v, %v, want the site of %s", site, err, slug)
				}
			}
		}
		before := s.bus.followers.Load()
		for i := range 260 {
			_, err := s.publish.Site(t.Context(), fmt.Sprintf("site-%d", i))
			s.must(err)
		}
		if before != 260 || s.bus.followers.Load() == before {
			t.Errorf("got %d followers, then %d, want 260, then more", before, s.bus.followers.Load())
		}
	})

	t.Run("answers many at once while it changes", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		done := make(chan struct{})
		var asking sync.WaitGroup
		for range 4 {
			asking.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if _, err := s.publish.Site(t.Context(), "shop"); err != nil {
						t.Errorf("got %v, want no error", err)
						return
					}
					if _, err := s.publish.Site(t.Context(), "nobody"); !core.IsCode(err, core.CodeNotFound) {
						t.Errorf("got %v, want %s", err, core.CodeNotFound)
						return
					}
				}
			})
		}
		for range 50 {
			s.mustPublish()
		}
		close(done)
		asking.Wait()
	})
}

func TestEarlierDeployments(t *testing.T) {
	ids := func(s *studio) []core.ID {
		s.t.Helper()
		site, err := s.publish.Site(s.t.Context(), "shop")
		s.must(err)
		return site.Earlier
	}

	t.Run("are kept for 24 hours after another took their place", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.mustPublish()
			if got := ids(s); len(got) != 0 {
				t.Errorf("got %v, want none", got)
			}
			time.Sleep(100 * time.Hour)
			s.mustPublish()
			first := s.deployments()[1].ID
			time.Sleep(23 * time.Hour)
			if got := ids(s); !slices.Equal(got, []core.ID{first}) {
				t.Errorf("got %v after 23 hours, want the first", got)
			}
			time.Sleep(2 * time.Hour)
			if got := ids(s); len(got) != 0 {
				t.Errorf("got %v after 25 hours, want none", got)
			}
		})
	})

	t.Run("are kept after a rollback, and after the publish that follows it", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.mustPublish()
			first := s.deployments()[0].ID
			time.Sleep(100 * time.Hour)
			s.mustPublish()
			second := s.deployments()[0].ID
			time.Sleep(100 * time.Hour)
			_, err := s.publish.Rollback(t.Context(), s.owner, s.project, first)
			s.must(err)
			if got := ids(s); !slices.Equal(got, []core.ID{second}) {
				t.Errorf("got %v, want the second", got)
			}
			time.Sleep(100 * time.Hour)
			s.mustPublish()
			if got := ids(s); !slices.Contains(got, first) {
				t.Errorf("got %v, want the first among them", got)
			}
		})
	})

	t.Run("are the newest fifty", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			for range 53 {
				s.mustPublish()
				time.Sleep(time.Second)
			}
			if got := ids(s); len(got) != 50 || got[0] != s.deployments()[1].ID {
				t.Errorf("got %d, want the newest 50", len(got))
			}
		})
	})
}

func TestASiteUnderAnotherName(t *testing.T) {
	s := newStudio(t)
	at := func(name string) (core.ID, error) {
		site, err := s.publish.SiteAt(t.Context(), name)
		return site.Live, err
	}
	claim := core.Domain{ID: core.NewID(), ProjectID: s.project, Name: "shop.example.com", Status: core.DomainPendingDNS, Token: "x"}
	s.must(s.store.Tables().Domains.Create(t.Context(), claim))
	s.mustPublish()
	for _, name := range []string{"shop.example.com", "other.example.com", ""} {
		if _, err := at(name); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%q: got %v, want %s", name, err, core.CodeNotFound)
		}
	}
	_, err := s.store.Tables().Domains.Update(t.Context(), claim.ID, func(d *core.Domain) error {
		d.Status = core.DomainActive
		return nil
	})
	s.must(err)
	first, err := at("shop.example.com")
	if err != nil || first == "" {
		t.Errorf("got %q, %v, want the live deployment", first, err)
	}
	s.mustPublish()
	if next, err := at("shop.example.com"); err != nil || next == first || next == "" {
		t.Errorf("got %q, %v, want the new deployment at once", next, err)
	}
	s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
	if live, err := at("shop.example.com"); err != nil || live != "" {
		t.Errorf("got %q, %v, want a name without a site", live, err)
	}
}
