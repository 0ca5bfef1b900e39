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
		text := page.render(address, head(page)+links("stylesheet", out.stylesOf(page)), p.env)
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

// stylesOf lists the style sheets that a page's modules import, also those of
// modules that come later on demand: a page that has them all never shows
// unstyled parts.
func (o *output) stylesOf(p *page) []string {
	var styles []string
	for _, ref := range p.refs {
		name, found := o.fileOf(ref.entry)
		if !found || path.Ext(name) != ".js" {
			continue
		}
		for _, file := range o.reachedFrom(name) {
			if css := o.meta[file].CSSBundle; css != "" && !slices.Contains(styles, css) {
				styles = append(styles, css)
			}
		}
	}
	return styles
}

// reachedFrom lists a file and all that it imports, now or later.
func (o *output) reachedFrom(name string) []string {
	found := []string{name}
	for i := 0; i < len(found); i++ {
		for _, imported := range o.meta[found[i]].Imports {
			at := strings.TrimPrefix(imported.Path, outdir+"/")
			if _, is := o.meta[at]; is && !slices.Contains(found, at) {
				found = append(found, at)
			}
		}
	}
	return found
}
