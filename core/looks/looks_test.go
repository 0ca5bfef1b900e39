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
