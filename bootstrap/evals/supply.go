package evals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/bootstrap/evals/firstpage"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
)

// axePackage is the package with axe, which judges how accessible pages are. The program does not
// contain it: only evaluations of first pages need it, and they fetch it from the registry.
const axePackage, axeVersion = "axe-core", "4.14.1"

// supply returns where projects get their packages from. Pages that are looked at need real ones,
// from the program's seed and the registry; the others have stand-ins. What it opens, release closes.
func (b *Bench) supply(ctx context.Context, config Config, tasks []Task, dir string) (packages.Resolver, error) {
	remove := b.release
	if !slices.ContainsFunc(tasks, Task.looks) {
		fake, err := registry(tasks)
		if err == nil {
			b.release = func() error { return errors.Join(fake.Close(), remove()) }
		}
		return fake, err
	}
	s := config.Settings
	resolver, err := npm.New(npm.Config{
		Dir: filepath.Join(dir, "packages"), Seed: npm.BuiltIn(),
		Registry: s.NPM.Registry, Scopes: s.NPM.Scopes, PrivateNetworks: s.PrivateNetworks,
	})
	if err != nil {
		return nil, err
	}
	set, err := resolver.Install(ctx, map[string]string{axePackage: axeVersion})
	if err != nil {
		return nil, fmt.Errorf("%s, which judges pages, cannot be fetched: %w", axePackage, err)
	}
	axe, err := os.ReadFile(filepath.Join(set.Dir, "node_modules", axePackage, "axe.min.js"))
	if err != nil {
		return nil, err
	}
	b.pages = firstpage.New(axe, config.Log)
	b.release = func() error { b.pages.Close(); return remove() }
	return resolver, nil
}

// looks reports whether a check of the task looks at the page in a browser.
func (t Task) looks() bool {
	return slices.ContainsFunc(t.Checks, func(c Check) bool { return c.FirstPage })
}

// lookAt returns what is wrong with the first page of a site, if the task asks for that.
func (b *Bench) lookAt(ctx context.Context, task Task, site []build.File) ([]string, error) {
	switch {
	case !task.looks():
		return nil, nil
	case len(site) == 0:
		return []string{"there is no page"}, nil
	}
	return b.pages.Judge(ctx, site)
}
