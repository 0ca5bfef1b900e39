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

// registry is where npm packages come from: for the builder as sets, for projects' own
// tools as a registry to ask. mirror is nil where a host has its own of both.
type registry struct {
	Packages packages.Resolver
	mirror   http.Handler
}

// openRegistry keeps packages in the data directory, and sweeps there while the program
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
	stop := resolver.SweepRegularly(func(swept npm.Swept, err error) {
		if err != nil {
			log.Warn("the package store could not be swept", "error", err)
			return
		}
		log.Info("the package store was swept", "removed", swept.Removed, "bytes", swept.Bytes)
	})
	return registry{cmp.Or[packages.Resolver](parts.Packages, resolver), npm.NewMirror(resolver)}, stop, nil
}

// packagesDir is where npm packages are kept.
func packagesDir(s settings.Settings) string { return filepath.Join(s.DataDir, "npm") }
