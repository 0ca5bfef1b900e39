package preview

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/esbuild/prebuilt"
	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// maxPreloads bounds the modules that a page of a preview preloads.
const maxPreloads = 200

// preloads returns link elements for the modules that a page's scripts reach, the nearest
// first. Without them, a browser discovers a module only in its importer, which costs a
// round trip for each level.
func (w *writer) preloads(page *project.Page, pre *prebuilt.Set) string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) && len(names) < maxPreloads {
			names = append(names, name)
		}
	}
	for _, m := range w.reached(page) {
		add(strings.TrimPrefix(w.versioned(m.address), "/"))
		for _, set := range []map[string]project.Dependency{m.needed, m.bridges} {
			for _, dep := range slices.Sorted(maps.Keys(set)) {
				entry := pre.Entries[set[dep].Name]
				for _, name := range append([]string{entry.Path}, entry.Preload...) {
					add(name)
				}
			}
		}
	}
	return project.Links("modulepreload", names)
}

// reached returns the modules that a page's scripts reach, breadth first.
func (w *writer) reached(page *project.Page) []*module {
	var found []*module
	var queue []moduleID
	for _, ref := range page.Refs {
		queue = append(queue, entryID(ref.Entry))
	}
	seen := make(map[moduleID]bool)
	for ; len(queue) > 0 && len(found) < maxPreloads; queue = queue[1:] {
		m := w.graph.modules[queue[0]]
		if m == nil || seen[m.id] || m.id.namespace == nsLink {
			continue
		}
		seen[m.id] = true
		found = append(found, m)
		queue = append(queue, m.imports...)
	}
	return found
}
