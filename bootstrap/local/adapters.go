// Package local assembles the program that needs nothing else installed: one service with
// SQLite and the disk, which builds projects in its own worker processes.
//
// A program that embeds Atelier opens a Host and mounts the Service on its own server;
// Parts replaces any adapter. New and NewWith leave settings, secrets, the lock of the
// data directory and the start to their caller.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/mcpclient"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/netguard"
	oauthadapter "github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/adapters/scaffold"
	"github.com/atelierhq/atelier/adapters/webauthn"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/archive"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backups"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/connectors"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/mail"
	guardport "github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/passkeys"
	"github.com/atelierhq/atelier/ports/replica"
	scaffoldport "github.com/atelierhq/atelier/ports/scaffold"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
)

// openStore opens the database and updates its schema, or checks that the schema is
// current.
func openStore(ctx context.Context, s settings.Settings, parts Parts, log *slog.Logger) (storage.Store, error) {
	if parts.Store != nil {
		return parts.Store, nil
	}
	store, err := bunstore.Open(ctx, s.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	if s.AutoMigrate {
		err = migrate(ctx, store, log)
	}
	if err == nil {
		err = store.CheckSchema(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

func migrate(ctx context.Context, store *bunstore.Store, log *slog.Logger) error {
	pending, err := store.Pending(ctx)
	if err != nil {
		return err
	}
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if len(pending) > 0 {
		log.Info("migrated the database", "migrations", len(pending), "to", pending[len(pending)-1])
	}
	return nil
}

// openLocks returns the database's locks if processes of other machines may share it, and
// otherwise those of the data directory, which maintenance commands beside the service
// share.
func openLocks(s settings.Settings, parts Parts, log *slog.Logger) (locks.Locker, func(), error) {
	if parts.Locks != nil {
		return parts.Locks, func() {}, nil
	}
	own := memory.NewLocks()
	if parts.Store != nil {
		return own, func() {}, nil
	}
	if !bunstore.IsPostgres(s.DatabaseURL) {
		files, err := disk.NewLocks(filepath.Join(s.DataDir, "locks"), own)
		if err != nil {
			return nil, nil, fmt.Errorf("DATA_DIR: %w", err)
		}
		return files, func() {}, nil
	}
	shared, err := bunstore.OpenLocks(s.DatabaseURL, own, log)
	if err != nil {
		return nil, nil, err
	}
	return shared, shared.Close, nil
}

func openTokens(s settings.Settings, parts Parts, now func() time.Time) (identity.Tokens, error) {
	if parts.Tokens != nil {
		return parts.Tokens, nil
	}
	return credentials.NewTokens(s.JWTSecret, s.JWTIssuer, now)
}

// openPasswords hashes on at most half of the machine's processors, so that many sign-ins
// leave room for everything else.
func openPasswords(parts Parts) identity.Passwords {
	if parts.Passwords != nil {
		return parts.Passwords
	}
	return credentials.NewPasswords(runtime.GOMAXPROCS(0) / 2)
}

func openSealer(s settings.Settings, parts Parts) (identity.Sealer, error) {
	if parts.Sealer != nil {
		return parts.Sealer, nil
	}
	return credentials.NewSealer(s.EncryptionKey)
}

func openCodes(parts Parts) identity.TimeCodes {
	if parts.Codes != nil {
		return parts.Codes
	}
	return credentials.TimeCodes{}
}

func openPasskeys(s settings.Settings, parts Parts) (passkeys.Ceremonies, error) {
	if parts.Passkeys != nil {
		return parts.Passkeys, nil
	}
	return webauthn.New(s.AppURL)
}

func openOAuth(s settings.Settings, parts Parts, now func() time.Time) oauth.Providers {
	if parts.OAuth != nil {
		return *parts.OAuth
	}
	return bootstrap.OAuthProviders(s, now)
}

func openIssuers(parts Parts, guard guardport.Guard, now func() time.Time) oauth.Issuers {
	if parts.Issuers != nil {
		return parts.Issuers
	}
	return oauthadapter.NewIssuers(guard, now)
}

// openModels creates providers of every kind, including the host's own kinds.
func openModels(s settings.Settings, parts Parts, guard guardport.Guard, now func() time.Time, log *slog.Logger) (ai.Factory, func(), error) {
	if parts.Models != nil {
		return parts.Models, func() {}, nil
	}
	return bootstrap.Models(s, bootstrap.NewVendors(guard, parts.Kinds), now, log)
}

func openConnectors(parts Parts, guard guardport.Guard) connectors.Client {
	if parts.Connectors != nil {
		return parts.Connectors
	}
	return mcpclient.New(guard)
}

// openBrowser opens sites and previews if programs may run isolated.
func openBrowser(s settings.Settings, parts Parts, pages *bootstrap.LateHandler, log *slog.Logger) (browser.Browser, func()) {
	if parts.Browser != nil {
		return parts.Browser, func() {}
	}
	opened := bootstrap.Browser(s, pages, log)
	return opened, opened.Close
}

func openGuard(s settings.Settings, parts Parts) guardport.Guard {
	return cmp.Or[guardport.Guard](parts.Guard, netguard.New(s.PrivateNetworks))
}

func openDNS(s settings.Settings, parts Parts) dns.Resolver {
	return cmp.Or[dns.Resolver](parts.DNS, bootstrap.NameServers(s))
}

func openMail(s settings.Settings, parts Parts, log *slog.Logger, now func() time.Time) mail.Sender {
	if parts.Mail != nil {
		return parts.Mail
	}
	return bootstrap.Mail(s, log, now)
}

func openTemplates(parts Parts) scaffoldport.Templates {
	return cmp.Or[scaffoldport.Templates](parts.Templates, scaffold.New())
}

func openSearch(parts Parts) search.Engine {
	return cmp.Or[search.Engine](parts.Search, regexsearch.New())
}

func openReplicas(parts Parts) replica.Maker {
	return cmp.Or[replica.Maker](parts.Replicas, yjs.Maker{})
}

// openVault opens the place of backups.
func openVault(s settings.Settings, now func() time.Time, log *slog.Logger) (*backups.Vault, error) {
	return bootstrap.Vault(s, archive.New(s, log), now)
}

// exclusive says whether this process is alone.
func exclusive(s settings.Settings) core.SoleProcess { return s.Exclusive() }
