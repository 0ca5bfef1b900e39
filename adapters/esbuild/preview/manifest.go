package preview

import "github.com/atelierhq/atelier/adapters/esbuild/project"

// manifestPath is where pages of a preview fetch the manifest. They compare it with what
// they have loaded, and fetch what is new.
const manifestPath = appDir + "/modules.json"

// manifest lists the parts of a preview.
type manifest struct {
	// Files changes with the files that are served unchanged, and with the environment.
	// Pages can only follow such a change by a reload.
	Files string `json:"files"`
	// Pages maps paths to the project's pages; Modules maps addresses to modules.
	Pages   map[string]manifestPage   `json:"pages"`
	Modules map[string]manifestModule `json:"modules"`
}

// manifestPage is one page.
type manifestPage struct {
	// HTML changes with the page itself.
	HTML string `json:"html"`
	// Entries are the addresses of the modules that it starts; Links are those of the
	// style sheets that it links.
	Entries []string `json:"entries"`
	Links   []string `json:"links"`
}

// manifestModule is one module.
type manifestModule struct {
	Version string `json:"version"`
	// Replaceable means that the module can be imported again to replace the old one,
	// while its importers stay.
	Replaceable bool `json:"replaceable,omitempty"`
}

func (m manifest) encode() []byte { return []byte(project.JSONText(m)) }

func (w *writer) manifestModules() map[string]manifestModule {
	modules := make(map[string]manifestModule, len(w.graph.modules))
	for _, m := range w.graph.modules {
		modules[m.address] = manifestModule{Version: w.versions[m.address], Replaceable: m.replaceable()}
	}
	return modules
}
