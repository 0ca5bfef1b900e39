package local

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/markup"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/build"
	markupport "github.com/atelierhq/atelier/ports/markup"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/scaffold"
)

// workshop is everything that parses sources of projects.
type workshop interface {
	build.Builder
	build.SyntaxChecker
	markupport.Patcher
}

// newWorkshop lets projects be built by worker processes where there is a program for
// them, and in this process otherwise.
//
// Workers prepare what the templates need when there is no cache yet, which is at the
// first start: the first preview would wait for it otherwise.
func newWorkshop(s bootstrap.Settings, templates scaffold.Templates, resolver packages.Resolver, log *slog.Logger) (workshop, func(), error) {
	cache, err := filepath.Abs(filepath.Join(s.DataDir, "bundles"))
	if err != nil {
		return nil, nil, err
	}
	if s.Program == "" {
		builder, err := esbuild.New(cache)
		return inProcess{builder, markup.New()}, func() {}, err
	}
	_, err = os.Lstat(cache)
	first := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the build cache cannot be opened")
	}
	pool := buildworker.New(buildworker.Config{Command: []string{s.Program, buildworker.Command, cache}, Log: log})
	if !first || !s.Prepare {
		return pool, pool.Close, nil
	}
	stop := prepare(templates, resolver, pool, log)
	return pool, func() { stop(); pool.Close() }, nil
}

// prepare prepares what the templates need in the background, until it is stopped.
// What goes wrong there goes wrong again for whoever uses the template, and is told
// then.
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
			log.Warn("the packages of the templates were not prepared", "error", err)
		}
	}()
	return func() { cancel(); <-done }
}

// inProcess is a workshop without workers.
type inProcess struct {
	*esbuild.Builder
	*markup.Patcher
}
