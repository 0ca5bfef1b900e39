package builds

import (
	"context"
	"errors"
	"io/fs"
	"maps"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// Sources gives a read-only view of a project's files on disk; files.Reader
// implements it.
type Sources interface {
	View(ctx context.Context, project core.ID) (fs.FS, error)
}

// Environment gives the environment values of projects; environment.Service implements
// it.
type Environment interface {
	// Public returns the values that pages may contain, by key.
	Public(ctx context.Context, project core.ID) (map[string]string, error)
	// Exposed returns a diagnostic for each other value that a file contains.
	Exposed(ctx context.Context, project core.ID, files []build.File) ([]core.Diagnostic, error)
}

// Toolchain runs the projects' own tools for a Maker.
type Toolchain interface{ toolchain.Toolchain }

// Deps are the dependencies of a Maker.
type Deps struct {
	Sources     Sources
	Environment Environment
	Resolver    packages.Resolver
	Builder     build.Builder
	// Tools makes the pages of RuntimeNode.
	Tools Toolchain
}

// Maker makes pages. It may be used by many goroutines.
type Maker struct{ deps Deps }

// NewMaker returns a maker of pages.
func NewMaker(deps Deps) *Maker { return &Maker{deps} }

// Make builds the project's current files. Errors that the project's members can fix
// are diagnostics in the result: mistakes in the sources and in package.json, and
// dependencies that do not exist. A site that would expose a secret environment value
// is a diagnostic, too; a preview that does has a warning.
//
// A project of RuntimeNode has a site and no preview here, whatever the mode: Serve
// starts its own.
//
// An error means that the result is unknown: its code is core.CodeUnavailable,
// core.CodeSandboxUnavailable if the project's own tools cannot run, or that of
// Sources, or ctx ended. If packages could not be fetched, a diagnostic with the error
// says which entry of package.json asked for them.
func (m *Maker) Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error) {
	plan, err := m.Plan(ctx, project)
	if err != nil {
		return build.Result{}, err
	}
	return m.MakePlanned(ctx, project, plan, mode)
}

// MakePlanned is Make with a plan that Plan has just made: Plan has read the files,
// with all edits saved, so package.json is not read again.
func (m *Maker) MakePlanned(ctx context.Context, project core.ID, plan Plan, mode build.Mode) (build.Result, error) {
	if plan.misplaced != nil {
		return diagnosed(plan.misplaced)
	}
	if plan.Runtime == RuntimeNode {
		made, err := m.makeSite(ctx, project, plan)
		if err == nil {
			made, err = m.withFunctions(ctx, project, plan, made)
		}
		if err != nil {
			return made, err
		}
		made.Files = withForms(made.Files)
		return m.judge(ctx, project, build.ModeSite, made)
	}
	if len(plan.vite.Diagnostics) > 0 {
		return build.Result{Diagnostics: plan.vite.Diagnostics}, nil
	}
	set, err := m.install(ctx, plan.asked)
	if err != nil {
		return diagnosed(plan.asked.blame(err))
	}
	env, err := m.publicEnv(ctx, project, plan.asked)
	if err != nil {
		return build.Result{}, err
	}
	made, err := m.deps.Builder.Build(ctx, build.Request{Mode: mode, Files: plan.files, Packages: set.Dir, PackagesKey: set.Key, Env: env, Vite: plan.vite})
	made.Files = withForms(made.Files)
	if err != nil {
		return made, err
	}
	return m.judge(ctx, project, mode, made)
}

// install installs what a project's pages need. The builder warns of compiler options that no
// registry has, because most of them change no page.
func (m *Maker) install(ctx context.Context, asked manifest) (packages.Set, error) {
	if len(asked.options) > 0 {
		all := maps.Clone(asked.options)
		maps.Copy(all, asked.dependencies)
		set, err := m.deps.Resolver.Install(ctx, all)
		if !core.IsCode(err, core.CodeValidationFailed) {
			return set, err
		}
	}
	return m.deps.Resolver.Install(ctx, asked.dependencies)
}

// MakeFrom builds a site of earlier files of the project. A project of RuntimeNode has
// core.CodeValidationFailed: its tools work on the present files, beside which there is no place for
// the packages of others.
func (m *Maker) MakeFrom(ctx context.Context, project core.ID, files fs.FS) (build.Result, error) {
	plan, err := m.planFrom(ctx, project, files)
	if err != nil {
		return build.Result{}, err
	}
	if plan.Runtime == RuntimeNode {
		return build.Result{}, core.Errorf(core.CodeValidationFailed, "the project's own tools make its pages, and they only work on its present files")
	}
	return m.MakePlanned(ctx, project, plan, build.ModeSite)
}

// diagnosed splits a failure into diagnostics that the project's members can fix, and
// an error that they cannot.
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
