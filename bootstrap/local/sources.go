package local

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/markup"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/build"
	markupport "github.com/atelierhq/atelier/ports/markup"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/scaffold"
)

// sources are the adapters that parse projects' sources.
type sources struct {
	Builder build.Builder
	Syntax  build.SyntaxChecker
	Patcher markupport.Patcher
}

// or fills in missing fields.
func (s sources) or(other sources) sources {
	return sources{cmp.Or(s.Builder, other.Builder), cmp.Or(s.Syntax, other.Syntax), cmp.Or(s.Patcher, other.Patcher)}
}

// openSources builds projects in worker processes if there is a program for them, and
// otherwise in this process.
//
// If there is no cache yet, as at the first start, workers prepare what the templates
// need: otherwise the first preview would wait for it.
func openSources(s settings.Settings, parts Parts, templates scaffold.Templates, resolver packages.Resolver, log *slog.Logger) (sources, func(), error) {
	given := sources{parts.Builder, parts.Syntax, parts.Patcher}
	if given.Builder != nil && given.Syntax != nil && given.Patcher != nil {
		return given, func() {}, nil
	}
	cache, err := filepath.Abs(filepath.Join(s.DataDir, "bundles"))
	if err != nil {
		return sources{}, nil, err
	}
	if s.Program == "" {
		builder, err := esbuild.New(cache)
		return given.or(sources{builder, builder, markup.New()}), func() {}, err
	}
	_, err = os.Lstat(cache)
	first := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return sources{}, nil, core.Wrap(core.CodeUnavailable, err, "the build cache cannot be opened")
	}
	readable := packagesDir(s)
	if parts.Packages != nil {
		readable = "/" // A host's packages may be anywhere.
	}
	pool := buildworker.New(buildworker.Config{
		Command: []string{s.Program, buildworker.Command, cache}, Readable: []string{readable}, Writable: []string{cache}, Log: log,
	})
	opened := given.or(sources{pool, pool, pool})
	if !first || !s.Prepare {
		return opened, pool.Close, nil
	}
	stop := prepare(templates, resolver, opened.Builder, log)
	return opened, func() { stop(); pool.Close() }, nil
}

// prepare prepares what the templates need in the background, until it is stopped. It
// ignores failures: they recur for users of the template, who are told then.
func prepare(templates scaffold.Templates, resolver packages.Resolver, builder build.Builder, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		var starts []fs.FS
		for _, template := range templates.List() {
			if files, err := templates.Files(template.ID); err == nil {
				starts = append(starts, files)
			}
		}
		if err := builds.Prepare(ctx, starts, resolver, builder); err != nil && ctx.Err() == nil {
			log.Warn("could not prepare the packages of the templates", "error", err)
		}
	}()
	return func() { cancel(); <-done }
}
