package local

import (
	"log/slog"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/markup"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	markupport "github.com/atelierhq/atelier/ports/markup"
)

// workshop is everything that parses sources of projects.
type workshop interface {
	build.Builder
	build.SyntaxChecker
	markupport.Patcher
}

// newWorkshop lets projects be built by worker processes where there is a program for
// them, and in this process otherwise.
func newWorkshop(s bootstrap.Settings, log *slog.Logger) (workshop, func(), error) {
	cache, err := filepath.Abs(filepath.Join(s.DataDir, "bundles"))
	if err != nil {
		return nil, nil, err
	}
	if s.Program == "" {
		builder, err := esbuild.New(cache)
		return inProcess{builder, markup.New()}, func() {}, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the build cache cannot be opened")
	}
	pool := buildworker.New(buildworker.Config{Command: []string{s.Program, buildworker.Command, cache}, Log: log})
	return pool, pool.Close, nil
}

// inProcess is a workshop without workers.
type inProcess struct {
	*esbuild.Builder
	*markup.Patcher
}
