package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
)

// workshop builds the studio as the service builds people's projects: with its own
// npm store and its own builder.
type workshop struct {
	// web holds the sources; locks records the packages with which they were built.
	web, locks string
	packages   *npm.Resolver
	builder    *esbuild.Builder
	store      string
}

// newWorkshop works below the directory studio, adapters/studio in the sources. The store
// keeps packages between builds.
func newWorkshop(studio, store string) (*workshop, error) {
	w := &workshop{web: filepath.Join(studio, "web"), locks: filepath.Join(studio, "locks"), store: store}
	// The store has no locks except the one beside the sources, so that a new one is
	// recognizable.
	if err := os.RemoveAll(w.stored()); err != nil {
		return nil, err
	}
	if err := copyAll(w.stored(), w.locks); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var err error
	if w.packages, err = npm.New(npm.Config{Dir: store}); err != nil {
		return nil, err
	}
	w.builder, err = esbuild.New(filepath.Join(store, "prebuilt"))
	return w, err
}

// build returns the studio's files. Mistakes in the sources are an error that lists
// them.
func (w *workshop) build(ctx context.Context) ([]build.File, error) {
	set, err := w.install(ctx)
	if err != nil {
		return nil, err
	}
	made, err := w.builder.Build(ctx, build.Request{
		Mode: build.ModeSite, Files: os.DirFS(w.web), Packages: set.Dir, PackagesKey: set.Key,
	})
	if err != nil {
		return nil, err
	}
	return made.Files, mistakes(made.Diagnostics)
}

// install returns the packages that the studio is built with.
func (w *workshop) install(ctx context.Context) (packages.Set, error) {
	dependencies, err := builds.Dependencies(os.DirFS(w.web))
	if err != nil {
		return packages.Set{}, err
	}
	return w.packages.Install(ctx, dependencies)
}

func mistakes(diagnostics []core.Diagnostic) error {
	if len(diagnostics) == 0 {
		return nil
	}
	lines := make([]string, len(diagnostics))
	for i, at := range diagnostics {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", at.Path, at.Line, at.Column, at.Message)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// write replaces the content of dist with the files, and writes the lock beside the
// sources.
func (w *workshop) write(files []build.File, dist string) error {
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	for _, file := range files {
		path := filepath.Join(dist, filepath.FromSlash(file.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, file.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// stored returns where the store has its locks.
func (w *workshop) stored() string { return filepath.Join(w.store, "locks") }

// keepLock keeps the lock of the packages that were used, so that the next build, on any
// machine, uses the same. A new lock replaces the old one.
func (w *workshop) keepLock() error {
	made, err := os.ReadDir(w.stored())
	if err != nil {
		return err
	}
	for _, lock := range made {
		if _, err := os.Stat(filepath.Join(w.locks, lock.Name())); err == nil {
			continue
		}
		if err := os.RemoveAll(w.locks); err != nil {
			return err
		}
		return copyFile(filepath.Join(w.locks, lock.Name()), filepath.Join(w.stored(), lock.Name()))
	}
	return nil
}

// copyAll copies the files of a directory into another.
func copyAll(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := copyFile(filepath.Join(to, entry.Name()), filepath.Join(from, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
