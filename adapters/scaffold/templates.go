// Package scaffold is the templates of new projects, embedded.
//
// Each is a directory below templates, complete without additions: outside of Atelier,
// npm install and npm run dev work on it too.
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
		{ID: "vite-react", Name: "Vite + React", Description: "Vite's starter: React, TypeScript, CSS modules."},
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
	return fs.Sub(embedded, "templates/"+id)
}
