package memory

import (
	"embed"
	"io/fs"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/scaffold"
)

//go:embed all:templates
var templateFiles embed.FS

// Templates is a few templates of a handful of files each.
type Templates struct{ list []core.Template }

var _ scaffold.Templates = (*Templates)(nil)

// NewTemplates returns the templates "blank", "todo-app" and "static-html".
func NewTemplates() *Templates {
	return &Templates{list: []core.Template{
		{ID: "blank", Name: "Blank", Description: "An empty page."},
		{ID: "todo-app", Name: "Todo app", Description: "A list of things to do."},
		{ID: "static-html", Name: "Static HTML", Description: "A page without a build."},
	}}
}

// List implements scaffold.Templates.
func (t *Templates) List() []core.Template { return append([]core.Template(nil), t.list...) }

// Files implements scaffold.Templates.
func (t *Templates) Files(id string) (fs.FS, error) {
	for _, template := range t.list {
		if template.ID == id {
			return fs.Sub(templateFiles, "templates/"+id)
		}
	}
	return nil, core.Errorf(core.CodeValidationFailed, "there is no template %q", id)
}
