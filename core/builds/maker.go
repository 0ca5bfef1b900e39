// Package builds makes a project's pages: it reads package.json, installs what
// that asks for, and has the sources bundled. Previews and publishing share it,
// so a project that builds in one builds in the other.
package builds

import (
	"context"
	"errors"
	"io/fs"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
)

// Sources gives a read-only view of a project's files as they are on disk, as
// files.Pipeline does.
type Sources interface {
	View(ctx context.Context, project core.ID) (fs.FS, error)
}

// Maker makes pages. It may be used by many goroutines.
type Maker struct {
	sources  Sources
	resolver packages.Resolver
	builder  build.Builder
}

// NewMaker returns a maker of pages.
func NewMaker(sources Sources, resolver packages.Resolver, builder build.Builder) *Maker {
	return &Maker{sources, resolver, builder}
}

// Make builds the project's files as they are now. What its people can mend is
// in the result's diagnostics: mistakes in the sources and in package.json, and
// dependencies that do not exist.
//
// An error means that it is not known whether the project builds: its code is
// core.CodeUnavailable, or that of Sources, or ctx ended. When packages could not
// be fetched, a diagnostic beside the error says which entry of package.json asked
// for them.
func (m *Maker) Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error) {
	files, err := m.sources.View(ctx, project)
	if err != nil {
		return build.Result{}, err
	}
	asked, err := readManifest(files)
	if err != nil {
		return diagnosed(err)
	}
	set, err := m.resolver.Install(ctx, asked.dependencies)
	if err != nil {
		return diagnosed(asked.blame(err))
	}
	return m.builder.Build(ctx, build.Request{Mode: mode, Files: files, Packages: set.Dir, PackagesKey: set.Key})
}

// diagnosed splits a failure into what the project's people can mend and what
// they cannot.
func diagnosed(err error) (build.Result, error) {
	var misplaced *misplacedError
	if !errors.As(err, &misplaced) {
		return build.Result{}, err
	}
	result := build.Result{Diagnostics: []core.Diagnostic{misplaced.at}}
	if core.IsCode(misplaced.cause, core.CodeValidationFailed) {
		return result, nil
	}
	return result, misplaced.cause
}
