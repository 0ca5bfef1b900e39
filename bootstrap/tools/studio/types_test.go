package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/typecheck"
)

// TestTheTypesHold checks the studio as the service checks people's projects: the
// builder leaves types out without a look at them.
func TestTheTypesHold(t *testing.T) {
	shop, err := newWorkshop(sources, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, project := t.TempDir(), core.NewID()
	dir := filepath.Join(root, string(project))
	if err := errors.Join(os.CopyFS(dir, os.DirFS(shop.web)), os.Mkdir(filepath.Join(dir, ".git"), 0o755)); err != nil {
		t.Fatal(err)
	}
	checker := bwrap.NewTypeChecker(bwrap.New(bwrap.Config{Root: root, Mode: bwrap.ModeAuto}), bwrap.TypesConfig{Store: shop.store, Time: 10 * time.Minute})
	dependencies, err := builds.Dependencies(os.DirFS(shop.web))
	if err != nil {
		t.Fatal(err)
	}
	task := typecheck.Task{Config: core.MustPath("tsconfig.json"), Packages: shop.installed(t, dependencies), Compiler: shop.installed(t, checker.Compiler())}
	report, err := checker.Check(t.Context(), project, task)
	if err != nil {
		t.Fatal(err)
	}
	if err := mistakes(report.Diagnostics); err != nil || report.Ended != "" {
		t.Errorf("got an end by %q and\n%v\nwant no mistakes", report.Ended, err)
	}
}

// installed returns the directory of a set of packages.
func (w *workshop) installed(t *testing.T, ranges map[string]string) string {
	t.Helper()
	set, err := w.packages.Install(t.Context(), ranges)
	if err != nil {
		t.Fatal(err)
	}
	return set.Dir
}
