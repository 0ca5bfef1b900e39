// Package scaffold is the templates of new projects, embedded.
//
// Each is a directory below templates. Those with React and Tailwind CSS also have the files of
// the directory shared: components, their styles' helper and the configuration. A project from a
// template is complete: outside of Atelier, npm install and npm run dev work on it too.
//
// The components follow the conventions of shadcn/ui (components/ui, cn, cva, names of the
// theme's tokens), which models know. They wrap the browser's own dialog, select and checkbox
// instead of a library of primitives: these are as accessible, and add nothing to a page.
// Icons are copies of some of Lucide's, because the whole package is larger than the rest of
// the program's packages together.
package scaffold

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/scaffold"
)

// The prefix "all:" embeds files whose names begin with a dot as well.
//
//go:embed all:templates
var embedded embed.FS

//go:embed all:shared
var shared embed.FS

// Templates implements scaffold.Templates.
type Templates struct{ list []core.Template }

var _ scaffold.Templates = (*Templates)(nil)

// New returns the embedded templates.
func New() *Templates {
	return &Templates{list: []core.Template{
		{ID: "blank", Name: "Blank", Description: "One page with React and TypeScript, ready for anything."},
		{ID: "todo-app", Name: "Todo app", Description: "A todo list that remembers: add, tick off, filter, remove."},
		{ID: "landing-page", Name: "Landing page", Description: "Present a product: hero, features, pricing, questions."},
		{ID: "dashboard", Name: "Dashboard", Description: "Key figures, a chart and a table that can be searched."},
		{ID: "static-html", Name: "Static HTML", Description: "Plain HTML, CSS and JavaScript, without a build."},
		{ID: "vite-react", Name: "Vite + React", Description: "Vite's starter: React, TypeScript, CSS modules. It runs Vite itself, and installs its packages at first."},
	}}
}

// List implements scaffold.Templates.
func (t *Templates) List() []core.Template { return slices.Clone(t.list) }

// Files implements scaffold.Templates.
func (t *Templates) Files(id string) (fs.FS, error) {
	known := slices.ContainsFunc(t.list, func(template core.Template) bool { return template.ID == id })
	if !known {
		return nil, core.Errorf(core.CodeValidationFailed, "there is no template %q", id)
	}
	own, err := fs.Sub(embedded, "templates/"+id)
	if err != nil {
		return nil, err
	}
	if slices.Contains(alone(), id) {
		return own, nil
	}
	below, err := fs.Sub(shared, "shared")
	return overlay{own, below}, err
}

// alone are the templates without the shared files: a site without a build, and Vite's own
// starter, which has CSS modules instead of Tailwind CSS.
func alone() []string { return []string{"static-html", "vite-react"} }
