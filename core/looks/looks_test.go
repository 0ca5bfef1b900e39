package looks

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

func TestAnAddressIsOneOfALinkAlone(t *testing.T) {
	tables := memory.NewStore().Tables()
	s := New(Deps{Sealer: memory.NewSealer(), Previews: preview.Settings{Scheme: "https", Domain: "preview.example"}})
	link := core.PreviewLink{ID: core.NewID(), ProjectID: core.NewID(), Kind: core.LinkVersion, Target: "a", ExpiresAt: core.At(time.Now())}
	project := core.Project{ID: link.ProjectID, WorkspaceID: core.NewID(), Visibility: core.VisibilityWorkspace}
	moved := core.Project{ID: link.ProjectID, WorkspaceID: core.NewID(), Visibility: core.VisibilityWorkspace}
	urlOf := func(link core.PreviewLink, of core.Project) string {
		t.Helper()
		shown, err := s.view(t.Context(), tables, link, of)
		if err != nil {
			t.Fatal(err)
		}
		return shown.URL
	}
	for _, space := range []core.ID{project.WorkspaceID, moved.WorkspaceID} {
		if err := tables.Workspaces.Create(t.Context(), core.Workspace{ID: space, Name: "Space", Slug: string(space)}); err != nil {
			t.Fatal(err)
		}
	}
	first := urlOf(link, project)
	label := strings.TrimSuffix(strings.TrimPrefix(first, "https://"), ".preview.example")
	if len(label) != 63 || !strings.HasPrefix(label, string(link.ID)+"-") {
		t.Errorf("got %s, want a whole DNS label", label)
	}
	seen := map[string]bool{first: true}
	for name, change := range map[string]func(*core.PreviewLink){
		"id":      func(l *core.PreviewLink) { l.ID = core.NewID() },
		"project": func(l *core.PreviewLink) { l.ProjectID = core.NewID() },
		"kind":    func(l *core.PreviewLink) { l.Kind = core.LinkDeployment },
		"target":  func(l *core.PreviewLink) { l.Target = "b" },
	} {
		other := link
		change(&other)
		if url := urlOf(other, project); seen[url] {
			t.Errorf("got %s again with another %s", url, name)
		}
	}
	if urlOf(link, moved) == first {
		t.Error("got the address of another workspace")
	}
	link.ExpiresAt++
	if urlOf(link, project) != first {
		t.Error("got another address after the link was extended")
	}
}

// TestASharedLinkNeedsItsMaker is for links of people who may not see the project themselves, however
// that came about.
func TestASharedLinkNeedsItsMaker(t *testing.T) {
	store := memory.NewStore()
	s := New(Deps{Store: store, Sealer: memory.NewSealer(), Previews: preview.Settings{Scheme: "https", Domain: "preview.example"}, Now: time.Now})
	tables := store.Tables()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	space, owner, maker := core.NewWorkspace("Team", false, nil, 1), core.NewID(), core.NewID()
	must(tables.Workspaces.Create(t.Context(), space))
	for person, role := range map[core.ID]core.Role{owner: core.RoleOwner, maker: core.RoleMember} {
		must(tables.Users.Create(t.Context(), core.User{ID: person, Email: string(person) + "@example.com"}))
		must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space.ID, UserID: person, Role: role}))
	}
	project := core.Project{ID: core.NewID(), WorkspaceID: space.ID, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: owner}
	must(tables.Projects.Create(t.Context(), project))
	link := core.PreviewLink{ID: core.NewID(), ProjectID: project.ID, Kind: core.LinkShare, CreatedBy: maker, ExpiresAt: core.At(time.Now().Add(time.Hour))}
	must(tables.PreviewLinks.Create(t.Context(), link))
	label, err := s.label(t.Context(), tables, link, project)
	must(err)
	want := func(when string, code core.Code) {
		t.Helper()
		if _, err := s.Resolve(t.Context(), label); core.CodeOf(err) != code {
			t.Errorf("%s: got %v, want %q", when, err, code)
		}
	}
	disable := func(at core.Time) {
		_, err := tables.Users.Update(t.Context(), maker, func(user *core.User) error {
			user.DisabledAt = at
			return nil
		})
		must(err)
	}
	show := func(visibility core.Visibility) {
		_, err := tables.Projects.Update(t.Context(), project.ID, func(project *core.Project) error {
			project.Visibility = visibility
			return nil
		})
		must(err)
	}
	want("a member's", "")
	disable(5)
	want("of a disabled account", core.CodeNotFound)
	disable(0)
	show(core.VisibilityPrivate)
	want("of a project that its maker does not see", core.CodeNotFound)
	show(core.VisibilityPublic)
	want("of a public project", "")
	must(tables.Members.Remove(t.Context(), space.ID, maker))
	want("of somebody who left", core.CodeNotFound)
}
