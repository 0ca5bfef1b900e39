package esbuild

import "github.com/atelierhq/atelier/adapters/esbuild/project"

// manifestPath is where a preview tells its pages what there is: they compare it
// with what they have, and fetch what is new.
const manifestPath = appDir + "/modules.json"

// manifest is what a preview is made of.
type manifest struct {
	// Files changes with the files that are served as they are, and with the
	// environment: pages cannot follow these but by loading again.
	Files string `json:"files"`
	// Pages are the project's pages by path, Modules the modules by address.
	Pages   map[string]manifestPage   `json:"pages"`
	Modules map[string]manifestModule `json:"modules"`
}

// manifestPage is one page.
type manifestPage struct {
	// HTML changes with the page itself.
	HTML string `json:"html"`
	// Entries are the addresses of the modules that it starts, Links those of the
	// style sheets that it links.
	Entries []string `json:"entries"`
	Links   []string `json:"links"`
}

// manifestModule is one module.
type manifestModule struct {
	Version string `json:"version"`
	// Replaceable says that the module can be imported again in the place of the
	// old one, without those who import it.
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
