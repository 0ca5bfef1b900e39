package studio

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// imported matches the imports of a module, including types and dynamic imports.
var imported = regexp.MustCompile(`(?m)^(?:import|export)\b[^'"]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]`)

// TestNoModuleImportsItself checks that the studio's modules have no import cycles, so
// that each can be read with its imports, and without its importers. Types count as well.
func TestNoModuleImportsItself(t *testing.T) {
	t.Parallel()
	modules := importsOf(t, os.DirFS("web"))
	if len(modules) < 100 {
		t.Fatalf("got %d modules, want those of the studio", len(modules))
	}
	for _, circle := range circles(modules) {
		t.Errorf("got a circle of imports: %s", strings.Join(circle, ", "))
	}
}

func TestCirclesAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"two that need each other": {
			map[string]string{"a.ts": "import { b } from './b';\n", "b.ts": "import { a } from './a';\n"}, []string{"a.ts", "b.ts"},
		},
		"types": {
			map[string]string{"a.ts": "import type { B } from './b';\n", "b.ts": "export type { A } from '~/a';\n"}, []string{"a.ts", "b.ts"},
		},
		"what is loaded later": {
			map[string]string{"a.tsx": "const B = lazy(() => import('./b'));\n", "b/index.tsx": "import {\n  a,\n} from '../a';\n"}, []string{"a.tsx", "b/index.tsx"},
		},
		"a long way round": {
			map[string]string{"a.ts": "import './b';\n", "b.ts": "import c from './c';\n", "c.ts": "export * from './a';\n", "d.ts": "import './a';\n"}, []string{"a.ts", "b.ts", "c.ts"},
		},
		"none": {
			map[string]string{"a.ts": "import './b';\nimport './c';\n", "b.ts": "import './c';\n", "c.ts": "import { signal } from '@preact/signals';\n"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for file, content := range c.files {
				files[file] = &fstest.MapFile{Data: []byte(content)}
			}
			if got := slices.Concat(circles(importsOf(t, files))...); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// importsOf returns the modules below a folder and which of them each imports.
func importsOf(t *testing.T, sources fs.FS) map[string][]string {
	t.Helper()
	modules := make(map[string][]string)
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".ts" && path.Ext(name) != ".tsx" {
			return err
		}
		content, err := fs.ReadFile(sources, name)
		for _, match := range imported.FindAllStringSubmatch(string(content), -1) {
			if module := moduleOf(sources, name, cmp.Or(match[1:]...)); module != "" {
				modules[name] = append(modules[name], module)
			}
		}
		if modules[name] == nil {
			modules[name] = []string{}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return modules
}

// moduleOf returns the file that an import names, "" for one of a package.
func moduleOf(sources fs.FS, from, specifier string) string {
	base, own := strings.CutPrefix(specifier, "~/")
	if !own {
		if !strings.HasPrefix(specifier, ".") {
			return ""
		}
		base = path.Join(path.Dir(from), specifier)
	}
	for _, end := range []string{".ts", ".tsx", "/index.ts", "/index.tsx", ""} {
		if entry, err := fs.Stat(sources, base+end); err == nil && !entry.IsDir() {
			return base + end
		}
	}
	return ""
}

// circles returns the strongly connected components of more than one module, by
// Tarjan's algorithm.
func circles(modules map[string][]string) [][]string {
	s := &search{modules: modules, number: make(map[string]int), low: make(map[string]int)}
	for module := range modules {
		if s.number[module] == 0 {
			s.visit(module)
		}
	}
	slices.SortFunc(s.found, slices.Compare)
	return s.found
}

// search is a depth-first search. A module's number is its place in the order in which
// they were visited, and low the smallest number that can be reached from it.
type search struct {
	modules     map[string][]string
	number, low map[string]int
	open        []string
	found       [][]string
}

func (s *search) visit(module string) {
	s.open = append(s.open, module)
	s.number[module] = len(s.number) + 1
	s.low[module] = s.number[module]
	for _, next := range s.modules[module] {
		if s.number[next] == 0 {
			s.visit(next)
		}
		if slices.Contains(s.open, next) {
			s.low[module] = min(s.low[module], s.low[next])
		}
	}
	if s.low[module] != s.number[module] {
		return
	}
	at := slices.Index(s.open, module)
	if part := slices.Clone(s.open[at:]); len(part) > 1 {
		slices.Sort(part)
		s.found = append(s.found, part)
	}
	s.open = s.open[:at]
}
