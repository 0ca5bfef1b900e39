package publish_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
)

func commitOf(message string) vcs.Commit {
	return vcs.Commit{Message: message, Author: core.Author{Kind: core.AuthorUser, Name: "owner"}}
}

func TestPublish(t *testing.T) {
	t.Run("puts the project on the network under its slug", func(t *testing.T) {
		s := newStudio(t)
		got := s.mustPublish()
		if got.URL != "http://shop.sites.test" || got.Project.URL == nil || *got.Project.URL != got.URL {
			t.Errorf("got %+v, want the address of shop, in the project too", got)
		}
		if got.Project.PublishedAt == nil || got.VersionID == "" || got.BuildMillis < 0 {
			t.Errorf("got %+v, want when it was published, the version and the time", got)
		}
		if page := s.served("shop"); page != "one" {
			t.Errorf("got %q, want the page", page)
		}
		deployments := s.deployments()
		if len(deployments) != 1 || deployments[0].Status != core.DeploymentLive || deployments[0].Bytes != 3 ||
			deployments[0].By != s.owner.UserID || deployments[0].Slug != "shop" || deployments[0].VersionID != got.VersionID {
			t.Errorf("got %+v, want one live deployment of three bytes", deployments)
		}
	})

	t.Run("answers with the members of the contract", func(t *testing.T) {
		s := newStudio(t)
		body, err := json.Marshal(s.mustPublish())
		s.must(err)
		for _, member := range []string{`"project":{"id":`, `"url":"http://shop.sites.test"`, `"versionId":`, `"buildMs":`} {
			if !strings.Contains(string(body), member) {
				t.Errorf("got %s, want %s in it", body, member)
			}
		}
	})

	t.Run("commits what is staged first", func(t *testing.T) {
		s := newStudio(t)
		first := s.mustPublish()
		s.write("index.html", "two")
		second := s.mustPublish()
		versions, err := s.pipeline.Versions(t.Context(), s.project, "", 10)
		s.must(err)
		if len(versions) != 2 || versions[0].Message != "Publish" || versions[0].Author.Name != "owner" ||
			second.VersionID != versions[0].ID || first.VersionID != versions[1].ID {
			t.Errorf("got versions %+v, want the first and one by the publish", versions)
		}
		if again := s.mustPublish(); again.VersionID != second.VersionID {
			t.Errorf("got version %s when nothing is staged, want the latest, %s", again.VersionID, second.VersionID)
		}
	})

	t.Run("leaves the live site alone when the sources do not build", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.write("index.html", "two")
		s.write("app.js", "(")
		_, err := s.publishAs("other")
		var failure *core.Error
		if !errors.As(err, &failure) || failure.Code != core.CodeBuildFailed || len(failure.Diagnostics) != 1 || failure.Diagnostics[0].Path != "app.js" {
			t.Errorf("got %v, want %s with a diagnostic of app.js", err, core.CodeBuildFailed)
		}
		if page := s.served("shop"); page != "one" {
			t.Errorf("got %q, want the old page", page)
		}
		if len(s.deployments()) != 1 || s.sites.stored.Load() != 1 {
			t.Errorf("got %d deployments and %d stored, want 1 of each", len(s.deployments()), s.sites.stored.Load())
		}
	})

	t.Run("leaves nothing behind when the record cannot be changed", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.write("index.html", "two")
		s.store.failure.Store(core.Errorf(core.CodeUnavailable, "the disk is full"))
		if _, err := s.publishAs(""); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want %s", err, core.CodeUnavailable)
		}
		s.store.failure.Store(nil)
		if page := s.served("shop"); page != "one" || s.sites.stored.Load() != 1 {
			t.Errorf("got page %q and %d stored, want the old page and its deployment only", page, s.sites.stored.Load())
		}
	})

	t.Run("is carried through when the caller has gone", func(t *testing.T) {
		s := newStudio(t)
		ctx, leave := context.WithCancel(t.Context())
		s.sites.storing = leave
		if _, err := s.publish.Publish(ctx, s.owner, s.project, publish.Request{}); err != nil || s.served("shop") != "one" {
			t.Errorf("got %v and %q, want the page to be live", err, s.served("shop"))
		}
		if _, err := s.publish.Publish(ctx, s.owner, s.project, publish.Request{}); err == nil {
			t.Error("got no error from a caller that had gone before its turn, want one")
		}
	})

	t.Run("finds no deleted project", func(t *testing.T) {
		s := newStudio(t)
		s.must(s.projects.Delete(t.Context(), s.owner, s.project))
		if _, err := s.publishAs(""); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want %s", err, core.CodeNotFound)
		}
	})
}

func TestPublishSlugs(t *testing.T) {
	t.Run("follow the rules", func(t *testing.T) {
		s := newStudio(t)
		for slug, code := range map[string]core.Code{
			"fine":                   "",
			"www":                    core.CodeSlugTaken,
			"preview":                core.CodeSlugTaken,
			"xn--bcher-kva":          core.CodeSlugTaken,
			"Upper":                  core.CodeValidationFailed,
			"-dash":                  core.CodeValidationFailed,
			"dot.dot":                core.CodeValidationFailed,
			strings.Repeat("a", 64):  core.CodeValidationFailed,
			strings.Repeat("a", 63):  "",
			"../etc":                 core.CodeValidationFailed,
			"a b":                    core.CodeValidationFailed,
			"b\u00fccher":            core.CodeValidationFailed,
			"018f-not-a-preview-000": "",
		} {
			if _, err := s.publishAs(slug); core.CodeOf(err) != code {
				t.Errorf("%q: got %v, want code %q", slug, err, code)
			}
		}
	})

	t.Run("stay as they are by default, and free the old address when they change", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		if _, err := s.publishAs("store"); err != nil {
			t.Fatal(err)
		}
		if got := s.mustPublish(); got.URL != "http://store.sites.test" {
			t.Errorf("got %s, want the address in use", got.URL)
		}
		if s.served("shop") != "" || s.served("store") != "one" {
			t.Errorf("got %q at shop and %q at store, want only the latter", s.served("shop"), s.served("store"))
		}
	})

	t.Run("are refused when another site has them, also by default, also while that is deleted", func(t *testing.T) {
		s := newStudio(t)
		other := s.newProject("other")
		slug := "shop"
		_, err := s.publish.Publish(t.Context(), s.owner, other, publish.Request{Slug: &slug})
		s.must(err)
		if _, err := s.publishAs(""); !core.IsCode(err, core.CodeSlugTaken) {
			t.Errorf("got %v, want %s", err, core.CodeSlugTaken)
		}
		s.must(s.projects.Delete(t.Context(), s.owner, other))
		if _, err := s.publishAs("shop"); !core.IsCode(err, core.CodeSlugTaken) {
			t.Errorf("got %v while the other is deleted, want %s", err, core.CodeSlugTaken)
		}
		_, err = s.projects.Restore(t.Context(), s.owner, other)
		s.must(err)
		s.must(s.publish.Unpublish(t.Context(), s.owner, other))
		if _, err := s.publishAs(""); err != nil {
			t.Errorf("got %v when the other is off the network, want no error", err)
		}
	})

	t.Run("are numbered by default when they are reserved", func(t *testing.T) {
		s := newStudio(t)
		other, stranger, project := s.newProject("other"), s.strangersProject(), s.newProject("app")
		for slug, holder := range map[string]core.ID{"app-2": other, "app-3": stranger} {
			_, err := s.publish.Publish(t.Context(), s.owner, holder, publish.Request{Slug: &slug})
			s.must(err)
		}
		s.must(s.publish.Unpublish(t.Context(), s.owner, stranger)) // app-3 is kept for its workspace
		wantNumber := func(when string) {
			t.Helper()
			if app, err := s.publish.Publish(t.Context(), s.owner, project, publish.Request{}); err != nil || app.URL != "http://app-4.sites.test" {
				t.Errorf("%s: got %q, %v, want the next number that is free, and that to stay", when, app.URL, err)
			}
		}
		wantNumber("at first")
		s.must(s.publish.Unpublish(t.Context(), s.owner, other))
		wantNumber("with another free")
	})

	t.Run("go to one of those who race for them", func(t *testing.T) {
		s := newStudio(t)
		slug, won := "prize", make(chan core.ID, 8)
		var racing sync.WaitGroup
		for i := range 8 {
			project := s.newProject(fmt.Sprintf("racer-%d", i))
			racing.Go(func() {
				_, err := s.publish.Publish(t.Context(), s.owner, project, publish.Request{Slug: &slug})
				if err == nil {
					won <- project
				} else if !core.IsCode(err, core.CodeSlugTaken) {
					t.Errorf("got %v, want %s", err, core.CodeSlugTaken)
				}
			})
		}
		racing.Wait()
		if len(won) != 1 {
			t.Fatalf("got %d winners, want 1", len(won))
		}
		site, err := s.publish.Site(t.Context(), slug)
		if winner := <-won; err != nil || site.Project != winner {
			t.Errorf("got the site of %s, %v, want %s", site.Project, err, winner)
		}
	})
}

func TestParallelPublishes(t *testing.T) {
	s := newStudio(t)
	var publishing sync.WaitGroup
	for range 20 {
		publishing.Go(func() {
			if _, err := s.publishAs(""); err != nil {
				t.Errorf("got %v, want no error", err)
			}
		})
	}
	publishing.Wait()
	live := 0
	deployments := s.deployments()
	for _, deployment := range deployments {
		if deployment.Status == core.DeploymentLive {
			live++
		}
	}
	project, err := s.store.Tables().Projects.ByID(t.Context(), s.project)
	s.must(err)
	if len(deployments) != 20 || live != 1 {
		t.Errorf("got %d deployments, %d live, want 20 and 1", len(deployments), live)
	}
	if site, err := s.publish.Site(t.Context(), "shop"); err != nil || site.Live != *project.DeploymentID {
		t.Errorf("got %+v, %v, want the deployment of the record", site, err)
	}
}

func TestWhoMayPublish(t *testing.T) {
	s := newStudio(t)
	member := s.person("member@example.com", core.RoleMember)
	stranger := s.person("stranger@example.com", core.RoleNone)
	reader := core.Actor{UserID: member.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsWrite}}
	calls := map[string]func(core.Actor) error{
		"publish": func(by core.Actor) error {
			_, err := s.publish.Publish(t.Context(), by, s.project, publish.Request{})
			return err
		},
		"unpublish":   func(by core.Actor) error { return s.publish.Unpublish(t.Context(), by, s.project) },
		"deployments": func(by core.Actor) error { _, err := s.publish.Deployments(t.Context(), by, s.project); return err },
		"rollback": func(by core.Actor) error {
			_, err := s.publish.Rollback(t.Context(), by, s.project, s.deployments()[0].ID)
			return err
		},
	}
	s.mustPublish()
	for _, public := range []bool{false, true} {
		_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(p *core.Project) error {
			p.Visibility = core.VisibilityWorkspace
			if public {
				p.Visibility = core.VisibilityPublic
			}
			return nil
		})
		s.must(err)
		for name, call := range calls {
			want := core.CodeNotFound
			if public && name != "deployments" {
				want = core.CodeForbidden
			}
			if err := call(stranger); !core.IsCode(err, want) {
				t.Errorf("%s by a stranger, public %v: got %v, want %s", name, public, err, want)
			}
			if err := call(member); err != nil {
				t.Errorf("%s by a member: got %v, want no error", name, err)
			}
			if err := call(reader); !core.IsCode(err, core.CodeInsufficientScope) {
				t.Errorf("%s by a token without the scope: got %v, want %s", name, err, core.CodeInsufficientScope)
			}
		}
	}
}

func TestRollback(t *testing.T) {
	t.Run("serves an earlier build again, as it was", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		s.write("index.html", "two")
		s.mustPublish()
		first, second := s.deployments()[1], s.deployments()[0]
		got, err := s.publish.Rollback(t.Context(), s.owner, s.project, first.ID)
		s.must(err)
		if got.ID != first.ID || got.Status != core.DeploymentLive || s.served("shop") != "one" {
			t.Errorf("got %+v and %q, want the first deployment live", got, s.served("shop"))
		}
		after := s.deployments()
		if after[0].ID != second.ID || after[0].Status != core.DeploymentRolledBack || after[1].Status != core.DeploymentLive {
			t.Errorf("got %+v, want the second rolled back", after)
		}
		s.mustPublish()
		if s.served("shop") != "two" {
			t.Errorf("got %q after another publish, want two", s.served("shop"))
		}
		if after := s.deployments(); after[2].Status != core.DeploymentSuperseded || after[1].Status != core.DeploymentRolledBack {
			t.Errorf("got %+v, want the first superseded", after)
		}
	})

	t.Run("to the live deployment changes nothing", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		if _, err := s.publish.Rollback(t.Context(), s.owner, s.project, s.deployments()[0].ID); err != nil {
			t.Fatal(err)
		}
		if got := s.deployments(); len(got) != 1 || got[0].Status != core.DeploymentLive {
			t.Errorf("got %+v, want the one live", got)
		}
	})

	t.Run("keeps the address, or takes the deployment's when there is none", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		first := s.deployments()[0]
		_, err := s.publishAs("store")
		s.must(err)
		got, err := s.publish.Rollback(t.Context(), s.owner, s.project, first.ID)
		s.must(err)
		if got.URL != address("store") || s.deployments()[1].URL != address("store") || s.served("store") == "" {
			t.Errorf("got %+v, want it under store", got)
		}
		s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
		got, err = s.publish.Rollback(t.Context(), s.owner, s.project, first.ID)
		s.must(err)
		if got.URL != address("shop") || s.served("shop") != "one" {
			t.Errorf("got %+v, want it under shop", got)
		}
	})

	t.Run("finds no deployment of another project, and none whose files are gone", func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		mine := s.deployments()[0]
		other := s.newProject("other")
		if _, err := s.publish.Rollback(t.Context(), s.owner, other, mine.ID); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want %s", err, core.CodeNotFound)
		}
		if _, err := s.publish.Rollback(t.Context(), s.owner, s.project, core.NewID()); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want %s", err, core.CodeNotFound)
		}
		s.mustPublish()
		s.must(s.sites.Remove(t.Context(), mine.ID))
		if _, err := s.publish.Rollback(t.Context(), s.owner, s.project, mine.ID); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want %s", err, core.CodeNotFound)
		}
	})
}

func TestUnpublish(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	for range 2 {
		s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
	}
	project, err := s.store.Tables().Projects.ByID(t.Context(), s.project)
	s.must(err)
	if project.PublishedAt != nil || project.PublishedSlug != nil || project.DeploymentID != nil || s.served("shop") != "" {
		t.Errorf("got %+v and %q, want nothing published", project, s.served("shop"))
	}
	if got := s.deployments(); len(got) != 1 || got[0].Status != core.DeploymentSuperseded {
		t.Errorf("got %+v, want one superseded deployment", got)
	}
}

func TestPublishTellsFollowers(t *testing.T) {
	s := newStudio(t)
	notices, err := s.bus.Follow(t.Context(), s.project)
	s.must(err)
	s.mustPublish()
	if notice := conformance.Await(t, "a notice", notices); notice.Kind != core.NoticeProject {
		t.Errorf("got %s, want %s", notice.Kind, core.NoticeProject)
	}
}
