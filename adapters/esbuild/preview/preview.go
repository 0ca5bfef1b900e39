package preview

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"html"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/prebuilt"
	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core/lru"
)

// keyPlaceholder is the placeholder for the key of the dependencies until it is known. It
// has the same length, so that source maps stay correct.
var keyPlaceholder = strings.Repeat("_", prebuilt.KeyChars)

// Builder makes previews. Many goroutines may use it.
type Builder struct {
	prebuilt *prebuilt.Cache
	modules  *lru.Cache[string, *module]
}

// New returns a builder without any modules in memory.
func New(sets *prebuilt.Cache) *Builder {
	return &Builder{prebuilt: sets, modules: lru.New[string](maxModulesBytes, (*module).size)}
}

// Build makes a file of every module of the project, so that a save rebuilds one file
// and a page fetches one file. Packages are pre-bundled. Mistakes in the sources are
// messages.
//
// The address of a module contains its version, and so do the addresses that it imports:
// its text may change while its own version stays (see versions). So none of these files
// is immutable; browsers revalidate them.
func (b *Builder) Build(ctx context.Context, p *project.Project, files project.Files) ([]api.Message, error) {
	digestSettings(p)
	g, messages, err := b.readGraph(ctx, p)
	if err != nil || len(messages) > 0 {
		return messages, err
	}
	absent, messages := g.link(p)
	if len(messages) > 0 {
		return messages, nil
	}
	deps := g.dependencies()
	pre, messages, err := b.prebuilt.Set(ctx, p.Mode, p.Packages, deps)
	if err != nil || len(messages) > 0 {
		return messages, err
	}
	w := &writer{Project: p, graph: g, absent: absent, depsKey: prebuilt.Key(p.Mode, p.Packages, deps)}
	w.countVersions()
	about := manifest{Files: w.digestFiles(files), Pages: make(map[string]manifestPage), Modules: w.manifestModules()}
	w.pages(files, about, pre)
	w.modules(files)
	for _, file := range slices.Concat(pre.Files, g.files()) {
		files[file.Path] = file
	}
	files.Put(manifestPath, about.encode(), false)
	files.Put(runtimePath, runtimeScript(), false)
	return nil, nil
}

func previewAddress(key string, dep project.Dependency) string {
	return "/" + prebuilt.Dir + "/" + key + "/" + dep.ID() + ".js"
}

// writer writes the modules of a graph with the versioned addresses of their imports.
type writer struct {
	*project.Project
	graph   *graph
	depsKey string
	// absent are the names, by address, that modules re-export and that do not exist.
	absent map[string][]string
	// versions are by address.
	versions map[string]string
}

// countVersions computes the version of every module.
func (w *writer) countVersions() {
	own := make(map[moduleID][sha256.Size]byte, len(w.graph.modules))
	for id, m := range w.graph.modules {
		needs := ""
		if len(m.needed) > 0 {
			needs = w.depsKey
		}
		own[id] = sha256.Sum256(fmt.Appendf(nil, "%x %s %q", m.sum, needs, w.absent[m.address]))
	}
	of := versionsOf(w.graph, own)
	w.versions = make(map[string]string, len(of))
	for id, version := range of {
		w.versions[w.graph.modules[id].address] = version
	}
}

// versioned returns the address under which a module is imported.
func (w *writer) versioned(address string) string {
	return address + versionQuery + w.versions[address]
}

// modules adds all modules to the result.
func (w *writer) modules(files project.Files) {
	for _, m := range w.graph.modules {
		name := strings.TrimPrefix(m.address, "/")
		if m.id.namespace == nsLink {
			files.Put(name, m.code, false)
			continue
		}
		files.Put(name, w.text(m), false)
		if m.sourceMap != nil {
			files.Put(name+".map", m.sourceMap, false)
		}
	}
}

// text returns the script of a module. If the module imports the same versions as last
// time, it returns the same slice.
func (w *writer) text(m *module) []byte {
	digest := sha256.New()
	fmt.Fprintf(digest, "%s %s %q", w.depsKey, project.EnvName(w.Env), w.absent[m.address])
	for _, id := range m.imports {
		fmt.Fprintf(digest, " %s", w.versions[w.graph.modules[id].address])
	}
	key := string(digest.Sum(nil))
	if last := m.written.Load(); last != nil && last.key == key {
		return last.text
	}
	text := w.write(m)
	m.written.Store(&moduleText{key, text})
	return text
}

// write returns the script of a module: a header of one line, which tells the page's
// runtime that the module begins, the module, and a footer.
func (w *writer) write(m *module) []byte {
	var out bytes.Buffer
	out.Grow(len(m.code) + 1024)
	out.WriteString("import.meta.hot = globalThis.__atelier?.begin(import.meta.url);")
	out.WriteString(project.EnvOf(m.code, w.Env))
	out.WriteString("\n")
	code := without(m.code, w.absent[m.address])
	if len(m.needed) > 0 {
		code = bytes.ReplaceAll(code, []byte(keyPlaceholder), []byte(w.depsKey))
	}
	w.fillVersions(&out, code)
	for _, name := range slices.Sorted(maps.Keys(m.bridges)) {
		out.WriteString(project.ImportBridge(name, m.bridges[name], previewAddress(w.depsKey, m.bridges[name])))
	}
	if m.style != nil {
		fmt.Fprintf(&out, "globalThis.__atelier?.style(import.meta.url, %s);\n", project.JSONText(*m.style))
	}
	out.WriteString(m.footer)
	out.WriteString("globalThis.__atelier?.end(import.meta.url);\n")
	if m.sourceMap != nil {
		fmt.Fprintf(&out, "//# sourceMappingURL=%s.map\n", path.Base(m.address))
	}
	return out.Bytes()
}

// fillVersions writes the versions of imports into a module's code.
func (w *writer) fillVersions(out *bytes.Buffer, code []byte) {
	sign := []byte(versionQuery + versionSign)
	for {
		i := bytes.Index(code, sign)
		if i < 0 {
			out.Write(code)
			return
		}
		address := code[bytes.LastIndexByte(code[:i], '"')+1 : i]
		out.Write(code[:i])
		if version, known := w.versions[string(address)]; known {
			out.WriteString(versionQuery + version)
		} else {
			out.Write(sign)
		}
		code = code[i+len(sign):]
	}
}

// pages puts the project's pages into the result and into the manifest. The digest of a page
// covers everything in it except the versions of modules.
func (w *writer) pages(files project.Files, about manifest, pre *prebuilt.Set) {
	head := project.Links("stylesheet", pre.Styles())
	for _, page := range w.Project.Pages {
		entries := manifestPage{HTML: project.SaltOf(string(page.Text) + "\x00" + head + "\x00" + project.JSONText(w.Env))}
		for _, ref := range page.Refs {
			id := entryID(ref.Entry)
			if address := addressOf(w.Project, id); id.namespace == nsLink {
				entries.Links = append(entries.Links, address)
			} else {
				entries.Entries = append(entries.Entries, address)
			}
		}
		about.Pages[page.Name] = entries
		opening := fmt.Sprintf(`<script type="module" src="/%s" data-page="%s" data-html="%s" data-files="%s"></script>`,
			runtimePath, html.EscapeString(page.Name), entries.HTML, about.Files)
		address := func(e project.Entry) string { return w.versioned(addressOf(w.Project, entryID(e))) }
		files.Put(page.Name, page.Render(address, opening, head+w.preloads(page, pre), w.Env), false)
	}
}

// digestFiles digests the files that are served unchanged, except those that are modules
// as well.
func (w *writer) digestFiles(files project.Files) string {
	own := make(map[string]bool)
	for id := range w.graph.modules {
		own[id.name] = true
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%s\n", project.JSONText(w.Env))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !own[name] {
			fmt.Fprintf(digest, "%q %d\n", name, len(files[name].Content))
			digest.Write(files[name].Content)
		}
	}
	return fmt.Sprintf("%x", digest.Sum(nil)[:8])
}
