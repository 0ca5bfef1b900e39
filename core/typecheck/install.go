package typecheck

import (
	"context"
	"errors"
	"io/fs"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/packages"
)

// Installation has directories of packages.Set: of the packages that a project's types need, "" if
// its package.json has mistakes, and of the compiler.
type Installation struct{ Packages, Compiler string }

// Install installs what a compiler reads beside a project's files, for callers that run it without
// a Service. compiler are the packages of the compiler. Errors are ctx's or have code
// core.CodeUnavailable.
func Install(ctx context.Context, files fs.FS, resolver packages.Resolver, compiler map[string]string) (Installation, error) {
	found, err := readSources(ctx, files)
	if err != nil {
		return Installation{}, err
	}
	// Without packages after a mistake, the compiler still knows the project itself.
	set, _, err := builds.InstallTypes(ctx, files, resolver, found.mention)
	if err != nil {
		return Installation{}, err
	}
	own, err := installCompiler(ctx, resolver, compiler)
	return Installation{set.Dir, own.Dir}, err
}

// installCompiler installs the compiler. The project's members cannot fix a failure of
// that, whatever the reason.
func installCompiler(ctx context.Context, resolver packages.Resolver, ranges map[string]string) (packages.Set, error) {
	set, err := resolver.Install(ctx, ranges)
	var known *core.Error
	if errors.As(err, &known) {
		return set, core.Wrap(core.CodeUnavailable, err, "the TypeScript compiler cannot be fetched from the package registry: %s", known.Message)
	}
	return set, err
}
