package bwrap_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/toolchain/toolchaintest"
)

// tools are those of a place, with the limits of tools.
func (p *place) tools(mode bwrap.Mode, change func(*bwrap.Config)) *bwrap.Tools {
	return bwrap.NewTools(p.runner(mode, change), bwrap.ToolsConfig{Dir: p.t.TempDir()})
}

func (p *place) toolBench() toolchaintest.Harness {
	return toolchaintest.Harness{
		Tools: p.tools(bwrap.ModeBwrap, nil), Project: p.project(),
		Script: func(string, toolchaintest.Effect) {},
		Broken: func() toolchain.Toolchain {
			return p.tools(bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" })
		},
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	toolchaintest.Run(t, func(t *testing.T) toolchaintest.Harness { return newPlace(t).toolBench() })
}

func TestCommandsFindTheInstalledPackages(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := t.TempDir()
	runner := p.runner(bwrap.ModeBwrap, func(c *bwrap.Config) { c.Workplaces = dir })
	tools := bwrap.NewTools(runner, bwrap.ToolsConfig{Dir: dir})
	mine, other := p.project(), p.project()
	line := "mkdir -p node_modules/.bin && printf '#!/bin/sh\\necho installed\\n' >node_modules/.bin/tool && chmod 755 node_modules/.bin/tool"
	if got, err := tools.Install(t.Context(), mine, "one", toolchain.Task{Line: line}); err != nil || !got.Good() {
		t.Fatalf("got %+v, %v, want it installed", got, err)
	}
	for project, want := range map[core.ID]string{mine: "installed\n", other: "none\n"} {
		got, err := runner.Run(t.Context(), project, sandbox.Command{Line: "tool 2>/dev/null || echo none"})
		if err != nil || got.Output != want {
			t.Errorf("got %+v, %v, want %q", got, err, want)
		}
	}
}

func TestPackagesThatAreAskedForMeanwhileStay(t *testing.T) {
	p := newPlace(t)
	project, dir := p.project(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		tools := bwrap.NewTools(p.runner(bwrap.ModeBwrap, nil), bwrap.ToolsConfig{Dir: dir})
		done, err := tools.Take(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		stamp, now := filepath.Join(dir, string(project), "installed"), time.Now()
		then := now.Add(-40 * 24 * time.Hour)
		if err := errors.Join(os.MkdirAll(filepath.Dir(stamp), 0o700), os.WriteFile(stamp, nil, 0o600), os.Chtimes(stamp, then, then)); err != nil {
			t.Fatal(err)
		}
		go tools.Sweep()
		synctest.Wait()
		if err := os.Chtimes(stamp, now, now); err != nil {
			t.Fatal(err)
		}
		done()
		synctest.Wait()
		if _, err := os.Stat(stamp); err != nil {
			t.Errorf("got %v, want what is in use to stay", err)
		}
	})
}

func TestPackagesThatNobodyNeedsAreRemoved(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := t.TempDir()
	tools := bwrap.NewTools(p.runner(bwrap.ModeBwrap, nil), bwrap.ToolsConfig{Dir: dir})
	kept, old, gone := p.project(), p.project(), p.project()
	for _, project := range []core.ID{kept, old, gone} {
		if got, err := tools.Install(t.Context(), project, "one", toolchain.Task{Line: "touch node_modules/x"}); err != nil || !got.Good() {
			t.Fatalf("got %+v, %v, want it installed", got, err)
		}
	}
	then := time.Now().Add(-40 * 24 * time.Hour)
	if err := errors.Join(os.Chtimes(filepath.Join(dir, string(old), "installed"), then, then), os.RemoveAll(p.dir(gone))); err != nil {
		t.Fatal(err)
	}
	tools.Sweep()
	for project, want := range map[core.ID]bool{kept: true, old: false, gone: false} {
		if _, err := os.Stat(filepath.Join(dir, string(project))); (err == nil) != want {
			t.Errorf("got %v, want it there: %v", err, want)
		}
	}
}
