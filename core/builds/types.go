package builds

import (
	"context"
	"io/fs"
	"maps"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages"
)

// InstallTypes installs the packages that a project's types need: its dependencies,
// the declarations (@types/...) among its development dependencies, and other
// packages that its sources or their configuration mention, as mentioned reports.
//
// Errors in package.json are diagnostics. An error is ctx's or has code
// core.CodeUnavailable; a diagnostic with it names the entry whose package could
// not be fetched, if known.
func InstallTypes(ctx context.Context, files fs.FS, resolver packages.Resolver, mentioned func(name string) bool) (packages.Set, []core.Diagnostic, error) {
	asked, err := readManifest(files)
	if err != nil {
		made, err := diagnosed(err)
		return packages.Set{}, made.Diagnostics, err
	}
	asked.dependencies = asked.typed(mentioned)
	set, err := resolver.Install(ctx, asked.dependencies)
	if err != nil {
		made, err := diagnosed(asked.blame(err))
		return packages.Set{}, made.Diagnostics, err
	}
	return set, nil, nil
}

// typed are the dependencies that types need.
func (m manifest) typed(mentioned func(name string) bool) map[string]string {
	chosen := map[string]string{}
	forDevelopment, _ := m.sections["devDependencies"].(map[string]string)
	for name, version := range forDevelopment {
		if strings.HasPrefix(name, "@types/") || mentioned(name) {
			chosen[name] = version
		}
	}
	maps.Copy(chosen, m.dependencies)
	return chosen
}
