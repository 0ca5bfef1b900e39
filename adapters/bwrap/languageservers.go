package bwrap

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/lsp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/typecheck"
)

const (
	// languageDir is where the compiler and the declarations of the language are inside.
	languageDir = "/tmp/typescript"
	// languageEvery is how often the processes of a language server are counted.
	languageEvery = 200 * time.Millisecond
)

// LanguagesConfig configures LanguageServers, in addition to the TypeChecker.
type LanguagesConfig struct {
	// Limits bound one server, in addition to the limits of the port. Zeros are defaults that
	// usual projects stay far below.
	Limits Limits
	// Time is how long one answer may take; 0 is languageserver.MaxTime.
	Time time.Duration
}

// LanguageServers runs TypeScript's language server, which is the compiler itself, in the cell of
// the TypeChecker.
type LanguageServers struct {
	types  *TypeChecker
	config LanguagesConfig
}

var _ languageserver.Launcher = (*LanguageServers)(nil)

// NewLanguageServers returns a launcher of servers that use the compiler of types.
func NewLanguageServers(types *TypeChecker, config LanguagesConfig) *LanguageServers {
	limits := &config.Limits
	limits.MemoryBytes = orDefault(limits.MemoryBytes, languageserver.MaxMemoryBytes)
	limits.DataBytes = orDefault(limits.DataBytes, 3*limits.MemoryBytes)
	limits.ScratchBytes = orDefault(limits.ScratchBytes, 64<<20)
	// A server that has used this much is replaced at the next question.
	limits.CPUSeconds = orDefault(limits.CPUSeconds, 30*60)
	config.Limits = limits.orDefaults()
	config.Time = cmp.Or(config.Time, languageserver.MaxTime)
	return &LanguageServers{types: types, config: config}
}

// Available implements languageserver.Launcher.
func (l *LanguageServers) Available(ctx context.Context) error { return l.types.Available(ctx) }

// Compiler implements languageserver.Launcher.
func (l *LanguageServers) Compiler() map[string]string { return l.types.Compiler() }

// Launch implements languageserver.Launcher.
func (l *LanguageServers) Launch(ctx context.Context, project core.ID, task languageserver.Task) (languageserver.Server, error) {
	if err := l.Available(ctx); err != nil {
		return nil, err
	}
	dir, err := l.types.runner.directory(project)
	if err != nil {
		return nil, err
	}
	in, err := l.cell(dir, task)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the packages of the project cannot be read")
	}
	input, write, err := os.Pipe()
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the language server could not be started")
	}
	life, end := context.WithCancelCause(context.Background())
	client := lsp.New(lsp.Config{
		Root: appDir, Language: languageDir, Time: l.config.Time, End: func() { end(nil) },
		Exists: func(path string) bool {
			found, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
			return err == nil && found.Mode().IsRegular()
		},
	}, write)
	how := l.types.runner.probe().cage.enclose(in)
	how.input, how.quiet = input, true
	watched := supervisor{limits: l.config.Limits, disk: newDiskUse(l.config.Limits.DiskBytes, dir), every: languageEvery, log: l.types.runner.config.Log, about: []any{"what", "language server"}}
	go func() {
		defer client.Over()
		defer input.Close()
		defer end(nil)
		// The client tells callers that the server is gone, whatever the reason.
		_, _ = watched.run(life, end, how, client)
	}()
	if err := client.Begin(ctx); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// cell returns what the server sees, which is what the compiler of a type check does.
func (l *LanguageServers) cell(dir string, task languageserver.Task) (cell, error) {
	in, err := l.types.cell(dir, typecheck.Task{Packages: task.Packages, Compiler: task.Compiler})
	if err != nil {
		return cell{}, err
	}
	in.limits = l.config.Limits
	in.variables = append(in.variables, [2]string{"GOMEMLIMIT", strconv.FormatInt(l.config.Limits.MemoryBytes*3/4, 10)})
	in.program = []string{"/bin/sh", "-c", l.config.Limits.inner(), "sh", placeCompiler + "exec " + languageDir + "/tsc --lsp --stdio"}
	return in, nil
}
