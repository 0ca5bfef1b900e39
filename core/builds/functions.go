package builds

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// Functions bundles the functions of a project whose pages are made by its own tools. It returns
// core.CodeUnavailable for any other: its functions are part of its builds.
func (m *Maker) Functions(ctx context.Context, project core.ID) (build.Result, error) {
	plan, err := m.Plan(ctx, project)
	if err != nil {
		return build.Result{}, err
	}
	if plan.Runtime != RuntimeNode {
		return build.Result{}, core.Errorf(core.CodeUnavailable, "the preview has no build")
	}
	return m.functionsOf(ctx, project, plan)
}

// functionsOf bundles the functions of a plan. The packages that its own tools have installed belong
// to the sandbox, so that the service's are installed, too, if a function cannot do without.
func (m *Maker) functionsOf(ctx context.Context, project core.ID, plan Plan) (build.Result, error) {
	if _, err := fs.Stat(plan.files, core.FunctionsDir); err != nil {
		return build.Result{}, nil
	}
	env, err := m.deps.Environment.Public(ctx, project)
	if err != nil {
		return build.Result{}, err
	}
	request := build.Request{Mode: build.ModeFunctions, Files: plan.files, Env: env, Vite: plan.vite}
	made, err := m.deps.Builder.Build(ctx, request)
	if err != nil || len(made.Diagnostics) == 0 || len(plan.asked.dependencies) == 0 {
		return made, err
	}
	set, err := m.deps.Resolver.Install(ctx, plan.asked.dependencies)
	if err != nil {
		return diagnosed(plan.asked.blame(err))
	}
	request.Packages, request.PackagesKey = set.Dir, set.Key
	return m.deps.Builder.Build(ctx, request)
}

// withFunctions adds a project's functions to the site that its own tools have made. What these left
// at the place of functions has no functions.
func (m *Maker) withFunctions(ctx context.Context, project core.ID, plan Plan, site build.Result) (build.Result, error) {
	if len(site.Diagnostics) > 0 {
		return site, nil
	}
	made, err := m.functionsOf(ctx, project, plan)
	if err != nil || len(made.Diagnostics) > 0 {
		return made, err
	}
	pages := slices.DeleteFunc(site.Files, func(file build.File) bool { return strings.HasPrefix(file.Path, core.FunctionBundles+"/") })
	all := slices.Concat(pages, made.Files)
	slices.SortFunc(all, func(a, b build.File) int { return strings.Compare(a.Path, b.Path) })
	return build.Result{Files: all}, nil
}
