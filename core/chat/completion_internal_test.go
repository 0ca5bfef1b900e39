package chat

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestAVersionIsCalledByWhatChanged(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("deep/", 30) + "App.tsx"
	for want, c := range map[string]struct {
		changed []string
		actions map[string]core.FileAction
	}{
		"Change files":      {nil, nil},
		"Add index.html":    {[]string{"index.html"}, map[string]core.FileAction{"index.html": core.FileCreated}},
		"Delete a.css":      {[]string{"a.css"}, map[string]core.FileAction{"a.css": core.FileDeleted}},
		"Rename to new.css": {[]string{"new.css", "old.css"}, map[string]core.FileAction{"new.css": core.FileRenamed}},
		"Change a.css":      {[]string{"a.css"}, map[string]core.FileAction{}},
		"Add a.css and b.css": {[]string{"a.css", "b.css"}, map[string]core.FileAction{
			"a.css": core.FileCreated, "b.css": core.FileCreated,
		}},
		"Change src/App.tsx and 2 more": {[]string{"src/App.tsx", "src/b.css", "src/c.ts"}, map[string]core.FileAction{
			"src/App.tsx": core.FileModified, "src/b.css": core.FileCreated, "src/c.ts": core.FileModified,
		}},
		"Change …deep/deep/deep/deep/deep/deep/deep/deep/App.tsx": {[]string{long}, map[string]core.FileAction{long: core.FileModified}},
	} {
		var changed []core.ProjectPath
		for _, path := range c.changed {
			changed = append(changed, core.MustPath(path))
		}
		if got := core.NameOfChanges(changedPaths(changed, c.actions), c.actions); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
