package preview

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// network makes a graph of "importer: imports"; names in capitals are replaceable.
func network(lines ...string) *graph {
	g := &graph{modules: make(map[moduleID]*module)}
	id := func(name string) moduleID { return moduleID{namespace: project.NsProject, name: name} }
	for _, line := range lines {
		name, imports, _ := strings.Cut(line, ":")
		m := &module{id: id(name), address: "/" + name}
		for _, target := range strings.Fields(imports) {
			m.imports = append(m.imports, id(target))
		}
		m.refresh.boundary = strings.ToUpper(name) == name
		g.modules[m.id] = m
		g.order = append(g.order, m.id)
	}
	return g
}

// changedBy returns the modules whose version changes with one module.
func changedBy(g *graph, changed string) []string {
	own := func(edit string) map[moduleID][sha256.Size]byte {
		sums := make(map[moduleID][sha256.Size]byte)
		for id := range g.modules {
			text := id.name
			if id.name == edit {
				text += " edited"
			}
			sums[id] = sha256.Sum256([]byte(text))
		}
		return sums
	}
	before, after := versionsOf(g, own("")), versionsOf(g, own(changed))
	var names []string
	for id, version := range before {
		if after[id] != version {
			names = append(names, id.name)
		}
	}
	slices.Sort(names)
	return names
}

func TestVersionsChangeUpToWhatCanBeReplaced(t *testing.T) {
	app := network("main: APP style", "APP: LIST COUNTER theme", "LIST: item theme", "COUNTER: store label", "item: label", "label:", "theme:", "store:", "style:")
	circle := network("main: a", "a: b", "b: c X", "c: a d", "d:", "X: c")
	for _, c := range []struct {
		graph *graph
		edit  string
		want  string
	}{
		{app, "COUNTER", "COUNTER"}, {app, "APP", "APP"}, {app, "main", "main"},
		{app, "label", "COUNTER LIST item label"}, {app, "theme", "APP LIST theme"}, {app, "store", "COUNTER store"}, {app, "style", "main style"},
		{circle, "a", "X a b c main"}, {circle, "c", "X a b c main"}, {circle, "d", "X a b c d main"}, {circle, "X", "X"},
	} {
		want := strings.Fields(c.want)
		slices.Sort(want)
		if got := changedBy(c.graph, c.edit); !slices.Equal(got, want) {
			t.Errorf("edit of %s: got new versions of %q, want %q", c.edit, got, want)
		}
	}
}

func TestVersionsDoNotDependOnTheOrder(t *testing.T) {
	lines := []string{"main: a B", "a: b", "b: c B", "c: a", "B: c d", "d: d"}
	sums := make(map[moduleID][sha256.Size]byte)
	g := network(lines...)
	for id := range g.modules {
		sums[id] = sha256.Sum256([]byte(id.name))
	}
	want := versionsOf(g, sums)
	for i := range lines {
		turned := network(append(slices.Clone(lines[i:]), lines[:i]...)...)
		if got := versionsOf(turned, sums); !maps.Equal(got, want) {
			t.Errorf("order %d: got %v, want %v", i, got, want)
		}
	}
	if len(slices.Compact(slices.Sorted(maps.Values(want)))) != len(lines) {
		t.Errorf("got %v, want a version of its own for each", want)
	}
}

func TestStyleSheetsChangeTheirUsersByNamesOnly(t *testing.T) {
	g := network("main: sheet")
	sheet := moduleID{namespace: project.NsProject, name: "sheet"}
	css := "a{}"
	g.modules[sheet] = &module{id: sheet, style: &css, code: []byte("export default {a: 1}")}
	g.order = append(g.order, sheet)
	if got := changedBy(g, "sheet"); !slices.Equal(got, []string{"sheet"}) {
		t.Errorf("got new versions of %q, want the sheet's alone", got)
	}
	before := versionsOf(g, nil)
	g.modules[sheet].code = []byte("export default {b: 1}")
	after := versionsOf(g, nil)
	if main := (moduleID{namespace: project.NsProject, name: "main"}); before[main] == after[main] {
		t.Error("got the same version for other names, want another")
	}
}

func TestADeepGraphHasVersions(t *testing.T) {
	var lines []string
	for i := range 10_000 {
		lines = append(lines, fmt.Sprintf("m%d: m%d", i, i+1))
	}
	g := network(append(lines, "m10000:")...)
	if got := changedBy(g, "m10000"); len(got) != 10_001 {
		t.Errorf("got %d new versions, want all", len(got))
	}
}

func TestAddressesNeverMeet(t *testing.T) {
	p := &project.Project{Packages: &project.Packages{}}
	seen := make(map[string]moduleID)
	for _, name := range []string{"a", "a.js", "a~url", "a~7e", "a~", "a~query.raw", "~jsx/a", "~runtime", "modules.json", "~packages/a", ".a", "~2ea", "a?raw", "a/.b", "a b", "a%20b", "A", "ä", "a~link.css", "a.css"} {
		for _, id := range []moduleID{{project.NsProject, name, ""}, {project.NsProject, name, "?raw"}, {project.NsProject, name, "?url"}, {project.NsAddress, name, ""}, {nsLink, name, ""}, {project.NsJSX, name, ""}, {nsPackage, name, ""}, {project.NsWorker, name, "?worker"}, {project.NsProject, name, "#raw"}} {
			at := addressOf(p, id)
			if other, met := seen[at]; met {
				t.Errorf("got %s for %+v and for %+v, want one each", at, id, other)
			}
			seen[at] = id
			if at == "/"+manifestPath || at == "/"+runtimePath {
				t.Errorf("got %s for %+v, want it left to the preview", at, id)
			}
		}
	}
}
