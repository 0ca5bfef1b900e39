package publish_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
)

// TestAFreedAddressIsKeptForItsWorkspace tries to take over addresses that visitors of
// another workspace's sites still trust.
func TestAFreedAddressIsKeptForItsWorkspace(t *testing.T) {
	for name, free := range map[string]func(s *studio) error{
		"by going off the network": func(s *studio) error { return s.publish.Unpublish(s.t.Context(), s.owner, s.project) },
		"by another address":       func(s *studio) error { _, err := s.publishAs("elsewhere"); return err },
		"with the project":         func(s *studio) error { return s.projects.Purge(s.t.Context(), s.owner, s.project) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStudio(t)
			slug := "trusted"
			_, err := s.publishAs(slug)
			s.must(err)
			sibling, stranger := s.newProject("sibling"), s.strangersProject()
			s.must(free(s))
			if _, err := s.publish.Publish(t.Context(), s.owner, stranger, publish.Request{Slug: &slug}); !core.IsCode(err, core.CodeSlugTaken) {
				t.Errorf("another workspace: got %v, want code %s", err, core.CodeSlugTaken)
			}
			_, err = s.publish.Publish(t.Context(), s.owner, sibling, publish.Request{Slug: &slug})
			s.must(err)
			s.must(s.publish.Unpublish(t.Context(), s.owner, sibling))
			s.must(s.store.Tables().SlugHolds.Hold(t.Context(), slug, s.space, core.At(time.Now().Add(-time.Second))))
			if _, err := s.publish.Publish(t.Context(), s.owner, stranger, publish.Request{Slug: &slug}); err != nil {
				t.Errorf("another workspace, when the time is over: got %v, want no error", err)
			}
		})
	}
}

func TestAnAddressIsKeptForThirtyDays(t *testing.T) {
	s := newStudio(t)
	_, err := s.publishAs("trusted")
	s.must(err)
	s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
	for days, want := range map[time.Duration]bool{29: true, 31: false} {
		_, err := s.store.Tables().SlugHolds.Holder(t.Context(), "trusted", core.At(time.Now().Add(days*24*time.Hour)))
		if got := err == nil; got != want {
			t.Errorf("after %d days: got kept %v (%v), want %v", days, got, err, want)
		}
	}
}

// strangersProject is a project in another workspace, which the owner runs too.
func (s *studio) strangersProject() core.ID {
	s.t.Helper()
	ctx, tables, space, project := s.t.Context(), s.store.Tables(), core.NewID(), s.newProject("stranger")
	s.must(tables.Workspaces.Create(ctx, core.Workspace{ID: space, Name: "Other", Slug: "other"}))
	s.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: space, UserID: s.owner.UserID, Role: core.RoleOwner}))
	_, err := tables.Projects.Update(ctx, project, func(p *core.Project) error {
		p.WorkspaceID = space
		return nil
	})
	s.must(err)
	return project
}
