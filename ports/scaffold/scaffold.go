// Package scaffold is the port to the templates of new projects.
package scaffold

import (
	"io/fs"

	"github.com/atelierhq/atelier/core"
)

// Templates is the registry of templates.
type Templates interface {
	// List returns the templates in the order in which to show them.
	List() []core.Template
	// Files returns the files of a template, or core.CodeValidationFailed for an
	// unknown id.
	Files(id string) (fs.FS, error)
}
