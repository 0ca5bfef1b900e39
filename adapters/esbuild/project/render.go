package project

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// RenderPages puts the project's pages into the result, with the addresses of the built
// files. head returns the elements to add to a page's head beside its style sheets.
func (p *Project) RenderPages(files Files, out *Output, head func(*Page) string) {
	for _, page := range p.Pages {
		address := func(e Entry) string {
			name, _ := out.FileOf(e)
			return "/" + name
		}
		text := page.Render(address, "", head(page)+Links("stylesheet", out.stylesOf(page)), p.Env)
		files.Put(page.Name, text, false)
	}
}

// Links returns link elements for files of the result.
func Links(rel string, names []string) string {
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

// FileOf returns the output file of an entry.
func (o *Output) FileOf(e Entry) (string, bool) {
	ext := ".js"
	if path.Ext(e.Name) == ".css" {
		ext = ".css"
	}
	want := NsProject + ":" + e.Name + e.Suffix
	for name, about := range o.Meta {
		if about.EntryPoint == want && path.Ext(name) == ext {
			return name, true
		}
	}
	return "", false
}

// stylesOf lists the style sheets that a page's modules import, including modules that
// are loaded later on demand. esbuild puts these into the same file, so a page never
// shows unstyled parts.
func (o *Output) stylesOf(p *Page) []string {
	var styles []string
	for _, ref := range p.Refs {
		name, found := o.FileOf(ref.Entry)
		if css := o.Meta[name].CSSBundle; found && css != "" && !slices.Contains(styles, css) {
			styles = append(styles, css)
		}
	}
	return styles
}

// DropStyles removes the style sheets that no page links: those of modules that are
// loaded on demand, whose rules the page's own sheet contains.
func (o *Output) DropStyles(pages []*Page) {
	linked := make(map[string]bool)
	for _, p := range pages {
		for _, css := range o.stylesOf(p) {
			linked[css] = true
		}
	}
	for _, e := range EntriesOf(pages) {
		if name, found := o.FileOf(e); found {
			linked[name] = true
		}
	}
	for name := range o.Files {
		if path.Ext(name) == ".css" && !linked[name] && o.Meta[name].EntryPoint == "" {
			delete(o.Files, name)
		}
	}
}

// ImportedBy lists the files that a file needs before it can run, without the file
// itself.
func (o *Output) ImportedBy(name string) []string {
	seen := map[string]bool{name: true}
	var found []string
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range o.Meta[queue[0]].Imports {
			at := strings.TrimPrefix(imported.Path, Outdir+"/")
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
