package builds

import (
	"context"
	"io/fs"
	"maps"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages"
)

// InstallTypes installs what the types of a project are made of: its dependencies,
// of those for development the declarations (@types/...), and others that its sources
// or their configuration mention, as far as mentioned says so.
//
// What the project's people can mend in package.json is a diagnostic. An error has
// code core.CodeUnavailable, with a diagnostic when it is known which entry asked
// for what could not be fetched, or is ctx's.
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

// typed are the dependencies that types are made of.
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
