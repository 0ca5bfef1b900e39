// Package local assembles the program that needs nothing else installed: one
// service with SQLite and the disk, which builds in workers of its own.
package local

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/chromium"
	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
)

// database opens the database and brings its schema up to date.
func database(ctx context.Context, s bootstrap.Settings) (storage.Store, error) {
	store, err := bunstore.Open(ctx, s.DatabaseURL)
	if err != nil {
		return nil, err
	}
	if s.AutoMigrate {
		if err := store.Migrate(ctx); err != nil {
			_ = store.Close()
			return nil, err
		}
	}
	return store, nil
}

// recordLocks are the database's where other processes may share it, and this
// process's own otherwise.
func recordLocks(s bootstrap.Settings, log *slog.Logger) (locks.Locker, func(), error) {
	own := memory.NewLocks()
	if !bunstore.IsPostgres(s.DatabaseURL) {
		return own, func() {}, nil
	}
	shared, err := bunstore.OpenLocks(s.DatabaseURL, own, log)
	if err != nil {
		return nil, nil, err
	}
	return shared, shared.Close, nil
}

func trees(s bootstrap.Settings) (*disk.Trees, func(), error) {
	trees, err := disk.NewTrees(s.ProjectsRoot)
	if err != nil {
		return nil, nil, err
	}
	if err := bootstrap.CheckProjectsRoot(s, trees.Identity()); err != nil {
		return nil, nil, errors.Join(err, trees.Close())
	}
	return trees, func() { _ = trees.Close() }, nil
}

func deployments(s bootstrap.Settings) (*disk.Sites, error) { return disk.NewSites(s.SitesDir) }

// repositories stand in the trees; trees makes their root, so it comes first.
func repositories(s bootstrap.Settings, _ *disk.Trees) (*git.Repositories, error) {
	return git.NewRepositories(s.ProjectsRoot)
}

// plainRemotes lets repositories come over plain HTTP where private networks are
// allowed: a server within one seldom has a certificate.
func plainRemotes(s bootstrap.Settings) git.Plain { return git.Plain(s.PrivateNetworks) }

// registry keeps packages in the data directory, and sweeps there while the program
// runs.
func registry(s bootstrap.Settings, log *slog.Logger) (*npm.Resolver, func(), error) {
	resolver, err := npm.New(npm.Config{
		Dir: filepath.Join(s.DataDir, "npm"), Registry: s.NPM.Registry, Scopes: s.NPM.Scopes,
		PrivateNetworks: s.PrivateNetworks, Seed: npm.BuiltIn(), MaxBytes: s.NPM.StoreBytes,
	})
	if err != nil {
		return nil, nil, err
	}
	stop := resolver.SweepRegularly(func(swept npm.Swept, err error) {
		if err != nil {
			log.Warn("the package store could not be swept", "error", err)
			return
		}
		log.Info("the package store was swept", "removed", swept.Removed, "bytes", swept.Bytes)
	})
	return resolver, stop, nil
}

// tools finds packages in the registry's mirror, and nothing else.
func tools(s bootstrap.Settings, runner *bwrap.Runner, resolver *npm.Resolver) *bwrap.Tools {
	return bwrap.NewTools(runner, bwrap.ToolsConfig{Dir: bootstrap.Workplaces(s), Registry: npm.NewMirror(resolver)})
}

// types reads the packages that the registry keeps.
func types(s bootstrap.Settings, runner *bwrap.Runner) *bwrap.TypeChecker {
	return bwrap.NewTypeChecker(runner, bwrap.TypesConfig{Store: filepath.Join(s.DataDir, "npm")})
}

func tokens(s bootstrap.Settings, now func() time.Time) (*credentials.Tokens, error) {
	return credentials.NewTokens(s.JWTSecret, s.JWTIssuer, now)
}

// passwords hashes on half of the machine at most, so that many sign-ins leave
// room for everybody else.
func passwords() *credentials.Passwords {
	return credentials.NewPasswords(max(1, runtime.GOMAXPROCS(0)/2))
}

func sealer(s bootstrap.Settings) (*credentials.Sealer, error) {
	return credentials.NewSealer(s.EncryptionKey)
}

func guard(s bootstrap.Settings) *netguard.Guard { return netguard.New(s.PrivateNetworks) }

// exclusive says whether this process is alone on its database.
func exclusive(s bootstrap.Settings) bool { return s.Alone() }

// camera takes pictures of sites and previews where programs may run isolated.
func camera(s bootstrap.Settings, pages *bootstrap.Doorway, log *slog.Logger) (*chromium.Camera, func()) {
	camera := bootstrap.Camera(s, pages, log)
	return camera, camera.Close
}
