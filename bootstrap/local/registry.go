package local

import (
	"cmp"
	"log/slog"
	"net/http"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/packages"
)

// registry provides npm packages: as sets for the builder, and as a registry for
// projects' own tools. mirror is nil if a host brings both.
type registry struct {
	Packages packages.Resolver
	mirror   http.Handler
}

// openRegistry stores packages in the data directory, and sweeps it while the program
// runs.
func openRegistry(s settings.Settings, parts Parts, log *slog.Logger) (registry, func(), error) {
	if parts.Packages != nil && parts.Tools != nil {
		return registry{Packages: parts.Packages}, func() {}, nil
	}
	resolver, err := npm.New(npm.Config{
		Dir: packagesDir(s), Registry: s.NPM.Registry, Scopes: s.NPM.Scopes,
		PrivateNetworks: s.PrivateNetworks, Seed: npm.BuiltIn(), MaxBytes: s.NPM.StoreBytes,
	})
	if err != nil {
		return registry{}, nil, err
	}
	stop := resolver.SweepRegularly(func(swept npm.SweepResult, err error) {
		if err != nil {
			log.Warn("could not sweep the package store", "error", err)
			return
		}
		log.Info("swept the package store", "removed", swept.Removed, "bytes", swept.Bytes)
	})
	return registry{cmp.Or[packages.Resolver](parts.Packages, resolver), npm.NewMirror(resolver)}, stop, nil
}

// packagesDir returns where npm packages are stored.
func packagesDir(s settings.Settings) string { return filepath.Join(s.DataDir, "npm") }
