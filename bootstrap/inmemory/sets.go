//go:build wireinject

package inmemory

import (
	"net/http"

	"github.com/google/wire"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	memconnectors "github.com/atelierhq/atelier/adapters/memory/connectors"
	memoryfunctions "github.com/atelierhq/atelier/adapters/memory/functions"
	mempasskeys "github.com/atelierhq/atelier/adapters/memory/passkeys"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/connectors"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/markup"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/passkeys"
	"github.com/atelierhq/atelier/ports/replica"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/unsaved"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// fakes is the set that both programs share.
var fakes = wire.NewSet(
	bootstrap.UseCases,
	memory.NewStore, wire.Bind(new(storage.Store), new(*memory.Store)),
	memory.NewTrees, wire.Bind(new(worktree.Trees), new(*memory.Trees)),
	newBackends, wire.Bind(new(backends.Engine), new(*memorybackend.Engine)),
	newFunctions, wire.Bind(new(functions.Runner), new(*memoryfunctions.Runner)),
	memory.NewSites, wire.Bind(new(sites.Store), new(*memory.Sites)),
	memory.NewRepositories, wire.Bind(new(vcs.Repositories), new(*memory.Repositories)),
	memory.NewWire, wire.Bind(new(vcs.Wire), new(*memory.Wire)),
	memory.NewRemotes, wire.Bind(new(vcs.Remotes), new(*memory.Remotes)),
	memory.NewBus, wire.Bind(new(broadcast.Bus), new(*memory.Bus)),
	memory.NewUnsaved, wire.Bind(new(unsaved.Registry), new(*memory.UnsavedEdits)),
	wire.Value(yjs.Maker{}), wire.Bind(new(replica.Maker), new(yjs.Maker)),
	memory.NewLocks, wire.Bind(new(locks.Locker), new(*memory.Locks)),
	memory.NewSearch, wire.Bind(new(search.Engine), new(*memory.Search)),
	memory.NewPatcher, wire.Bind(new(markup.Patcher), new(memory.Patcher)),
	memory.NewTokens, wire.Bind(new(identity.Tokens), new(*memory.Tokens)),
	memory.NewPasswords, wire.Bind(new(identity.Passwords), new(*memory.Passwords)),
	memory.NewTimeCodes, wire.Bind(new(identity.TimeCodes), new(*memory.TimeCodes)),
	ceremonies, wire.Bind(new(passkeys.Ceremonies), new(*mempasskeys.Ceremonies)),
	memory.NewSealer, wire.Bind(new(identity.Sealer), new(*memory.Sealer)),
	commands, wire.Bind(new(sandbox.Runner), new(*memory.Sandbox)),
	tools, wire.Bind(new(toolchain.Toolchain), new(*memory.Toolchain)),
	languages, wire.Bind(new(languageserver.Launcher), new(*memory.LanguageServers)),
	types, wire.Bind(new(typecheck.Checker), new(*memory.TypeChecker)),
	wire.Bind(new(http.Handler), new(*bootstrap.LateHandler)),
	memory.NewGuard, wire.Bind(new(netguard.Guard), new(*memory.Guard)),
	memconnectors.New, wire.Bind(new(connectors.Client), new(*memconnectors.Client)),
	memory.NewDNS, wire.Bind(new(dns.Resolver), new(*memory.DNS)),
	providers,
	memory.NewIssuers, wire.Bind(new(oauth.Issuers), new(*memory.Issuers)),
	memory.NewMailbox, wire.Bind(new(mail.Sender), new(*memory.Mailbox)),
	noTraces, noBackups, exclusive,
)
