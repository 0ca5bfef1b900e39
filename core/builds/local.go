package builds

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// maxLocal bounds the packages that are folders of one project.
const maxLocal = 100

// takeLocal removes what no registry has to give: packages that are folders of the
// project, whose folders it returns, and tools that the builder replaces.
func takeLocal(dependencies map[string]string) []string {
	var folders []string
	for name, version := range dependencies {
		if folder, is := build.LocalFolder(version, "."); is {
			folders = append(folders, folder)
			delete(dependencies, name)
		}
	}
	delete(dependencies, "react-scripts")
	slices.Sort(folders)
	return folders
}

// addLocal adds what packages in folders of the project depend on. The project's own
// ranges win.
func (m *manifest) addLocal(files fs.FS) {
	seen := map[string]bool{}
	for queue := slices.Clone(m.local); len(queue) > 0 && len(seen) < maxLocal; queue = queue[1:] {
		folder := queue[0]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		var fields struct {
			Dependencies map[string]string `json:"dependencies"`
		}
		if json.Unmarshal(core.WithoutMark([]byte(readSource(files, path.Join(folder, ManifestPath)))), &fields) != nil {
			continue
		}
		added := maps.Clone(fields.Dependencies)
		for name, version := range added {
			if next, is := build.LocalFolder(version, folder); is {
				queue = append(queue, next)
				delete(added, name)
			} else if strings.HasPrefix(version, "workspace:") {
				delete(added, name)
			}
		}
		if m.runtime != RuntimeStatic && len(added) > 0 {
			maps.Copy(added, m.dependencies)
			m.dependencies = added
		}
	}
}
