package esbuild

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// renderPages puts the project's pages on the shelf, with the addresses of what
// was built for them. head gives the elements to add to a page's head besides its
// style sheets.
func (p *project) renderPages(files shelf, out *output, head func(*page) string) {
	for _, page := range p.pages {
		address := func(e entry) string {
			name, _ := out.fileOf(e)
			return "/" + name
		}
		text := page.render(address, "", head(page)+links("stylesheet", out.stylesOf(page)), p.env)
		files.put(page.name, text, false)
	}
}

// links makes link elements for files of the result.
func links(rel string, names []string) string {
	var b strings.Builder
	for _, name := range names {
		if rel == "modulepreload" {
			fmt.Fprintf(&b, "<link rel=\"modulepreload\" crossorigin href=\"/%s\">\n", name)
			continue
		}
		fmt.Fprintf(&b, "<link rel=%q href=\"/%s\">\n", rel, name)
	}
	return b.String()
}

// fileOf returns the file that an entry became.
func (o *output) fileOf(e entry) (string, bool) {
	ext := ".js"
	if path.Ext(e.name) == ".css" {
		ext = ".css"
	}
	want := nsProject + ":" + e.name + e.suffix
	for name, about := range o.meta {
		if about.EntryPoint == want && path.Ext(name) == ext {
			return name, true
		}
	}
	return "", false
}

// stylesOf lists the style sheets that a page's modules import, also by way of
// modules that come later on demand: esbuild puts these into the same file, so a
// page never shows unstyled parts.
func (o *output) stylesOf(p *page) []string {
	var styles []string
	for _, ref := range p.refs {
		name, found := o.fileOf(ref.entry)
		if css := o.meta[name].CSSBundle; found && css != "" && !slices.Contains(styles, css) {
			styles = append(styles, css)
		}
	}
	return styles
}

// dropStyles removes the style sheets that no page links: those of modules that
// come on demand, which are in the page's own.
func (o *output) dropStyles(pages []*page) {
	linked := make(map[string]bool)
	for _, p := range pages {
		for _, css := range o.stylesOf(p) {
			linked[css] = true
		}
	}
	for _, e := range entriesOf(pages) {
		if name, found := o.fileOf(e); found {
			linked[name] = true
		}
	}
	for name := range o.files {
		if path.Ext(name) == ".css" && !linked[name] && o.meta[name].EntryPoint == "" {
			delete(o.files, name)
		}
	}
}

// importedBy lists the files that a file needs before it can run, itself left
// out.
func (o *output) importedBy(name string) []string {
	seen := map[string]bool{name: true}
	var found []string
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range o.meta[queue[0]].Imports {
			at := strings.TrimPrefix(imported.Path, outdir+"/")
			if imported.Kind != "import-statement" || imported.External || seen[at] {
				continue
			}
			seen[at] = true
			found = append(found, at)
			queue = append(queue, at)
		}
	}
	slices.Sort(found)
	return found
}
