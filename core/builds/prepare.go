package builds

import (
	"context"
	"io/fs"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
)

// settleTime is how long bundling waits at the start of the service: its first
// users need the processors themselves.
const settleTime = 2 * time.Second

// Prepare warms the caches for projects that begin with one of starts. It installs
// their packages at once, and after settleTime builds one project of each set of
// packages, for a preview and for a site, to fill the builder's cache. It returns
// the first error, or ctx's.
func Prepare(ctx context.Context, starts []fs.FS, resolver packages.Resolver, builder build.Builder) error {
	var requests []build.Request
	known := make(map[string]bool)
	for _, files := range starts {
		asked, err := readManifest(files)
		if err != nil {
			return err
		}
		plan, err := planOf(ctx, files, asked, builder, noEnv)
		if err != nil {
			return err
		}
		if plan.Runtime != RuntimeGo || len(asked.dependencies) == 0 {
			continue
		}
		set, err := resolver.Install(ctx, asked.dependencies)
		if err != nil {
			return err
		}
		if !known[set.Key] {
			known[set.Key] = true
			requests = append(requests, build.Request{Files: files, Packages: set.Dir, PackagesKey: set.Key, Vite: plan.vite})
		}
	}
	if err := ctxsync.Sleep(ctx, settleTime); err != nil {
		return err
	}
	for _, req := range requests {
		if err := buildOnce(ctx, req, builder); err != nil {
			return err
		}
	}
	return nil
}

func noEnv() (map[string]string, error) { return nil, nil }

// buildOnce builds a project in both modes.
func buildOnce(ctx context.Context, req build.Request, builder build.Builder) error {
	for _, req.Mode = range []build.Mode{build.ModePreview, build.ModeSite} {
		made, err := builder.Build(ctx, req)
		if err != nil {
			return err
		}
		if len(made.Diagnostics) > 0 {
			return core.Errorf(core.CodeInternal, "the build failed: %s", made.Diagnostics[0].Message)
		}
	}
	return nil
}
