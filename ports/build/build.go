// Package build is the port to the bundler, which turns a project's sources into
// pages.
package build

import (
	"context"
	"io/fs"

	"github.com/atelierhq/atelier/core"
)

// Builder makes pages. It never runs a project's code.
type Builder interface {
	// Build bundles the sources. Mistakes in the sources are the result's
	// diagnostics, never an error: an error means that the builder itself could
	// not work (core.CodeUnavailable) or that ctx ended. The same request gives
	// the same result.
	Build(ctx context.Context, req Request) (Result, error)
	// ViteConfig evaluates the configuration of Vite at the root of files, whose code may
	// know env and no other value of the environment. Files without one have the zero value,
	// and so has any project of a Builder that knows nothing of Vite. What the code does
	// wrong is a part of the answer, never an error, as for Build.
	ViteConfig(ctx context.Context, files fs.FS, env map[string]string) (ViteConfig, error)
}

// Mode says what a build is for.
type Mode string

// The modes: a preview is quick to make and easy to debug, a site is small.
const (
	ModePreview Mode = "preview"
	ModeSite    Mode = "site"
	// ModeFunctions makes the project's functions and no pages: its own tools make those.
	ModeFunctions Mode = "functions"
)

// Request is one build.
type Request struct {
	Mode Mode
	// Files are the sources.
	Files fs.FS
	// Packages is the directory that holds node_modules, "" if the project has no
	// dependencies. PackagesKey changes whenever its content does.
	Packages    string
	PackagesKey string
	// Env has the members of import.meta.env besides the standard ones.
	Env map[string]string
	// Vite is what ViteConfig returned for the files and Env.
	Vite ViteConfig
}

// Result is the result of a build. Files are sorted by path; with diagnostics they
// are empty. Warnings are about pages that work all the same; a builder need not give any.
type Result struct {
	Files       []File
	Diagnostics []core.Diagnostic
	Warnings    []core.Diagnostic
}

// File is one page or asset, by its path on the site without a leading slash.
// Immutable files carry their content's hash in their name. The content is
// shared: nobody may change it.
type File struct {
	Path      string
	Content   []byte
	Immutable bool
}
