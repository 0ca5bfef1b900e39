package bunstore

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// TestProjectsOfAnOlderVersionAreFoundAndSorted migrates a database whose projects lack
// the sort key of their name and the words without accents.
func TestProjectsOfAnOlderVersionAreFoundAndSorted(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			store := opened(t, address)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(store.Migrate(t.Context()))
			tables, user, workspace := store.Tables(), core.NewID(), core.NewID()
			must(tables.Users.Create(t.Context(), core.User{ID: user, Email: "a@example.com"}))
			must(tables.Workspaces.Create(t.Context(), core.Workspace{ID: workspace, Name: "Team", Slug: "team"}))
			must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: workspace, UserID: user, Role: core.RoleOwner}))
			for slug, called := range map[string]string{"z": "Zürich", "a": "aarau"} {
				must(tables.Projects.Create(t.Context(), core.Project{ID: core.NewID(), WorkspaceID: workspace, Slug: slug, Name: called, Visibility: core.VisibilityPublic, CreatedBy: user}))
			}
			_, err := store.writer.ExecContext(t.Context(), "UPDATE projects SET sort_name = '', search = ' zürich' WHERE slug = 'z'")
			must(err)
			must(store.Migrate(t.Context()))
			filter := storage.ProjectFilter{Member: user, Sort: core.SortName}
			all, err := tables.Projects.List(t.Context(), filter, core.Page{Limit: 9})
			must(err)
			if len(all) != 2 || all[1].Name != "Zürich" {
				t.Errorf("got %v, want Zürich last", all)
			}
			filter.Query = "zurich"
			if found, err := tables.Projects.List(t.Context(), filter, core.Page{Limit: 9}); err != nil || len(found) != 1 {
				t.Errorf("got %v, %v, want Zürich found", found, err)
			}
		})
	}
}
