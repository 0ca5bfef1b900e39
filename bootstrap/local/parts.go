package local

import (
	"errors"
	"slices"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/build"
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
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/passkeys"
	"github.com/atelierhq/atelier/ports/replica"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/scaffold"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/tracing"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/unsaved"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Parts are a host's own adapters, each of which replaces one of New's. A nil field keeps
// New's adapter; a replaced one is never opened. The port's comments specify an adapter,
// and its suite, ports/<port>/<port>test, tests one. The App closes the Store; the host
// closes all other parts, after the App.
type Parts struct {
	// Store is the database; Locks serialize work on its records between processes.
	Store storage.Store
	Locks locks.Locker
	// Bus carries events; Unsaved finds edits that are not on the disk yet. Several
	// processes need both or neither: NATS_URL opens them together.
	Bus     broadcast.Bus
	Unsaved unsaved.Registry

	// Trees are the projects' files; Repositories, Wire and Remotes are their versions.
	// New's adapters for these four and for Commands, Tools, Types and Languages share the
	// directories of PROJECTS_ROOT, so a host that replaces Trees or Repositories
	// replaces all eight.
	Trees        worktree.Trees
	Repositories vcs.Repositories
	Wire         vcs.Wire
	Remotes      vcs.Remotes
	// Commands runs the agent's commands, Tools the tools of projects that Atelier cannot
	// build itself, Types the type checker.
	Commands sandbox.Runner
	Tools    toolchain.Toolchain
	Types    typecheck.Checker
	// Languages starts language servers.
	Languages languageserver.Launcher

	// Sites holds what was published.
	Sites sites.Store
	// Backends holds the data of projects' backends.
	Backends backends.Engine
	// Functions runs the functions of projects.
	Functions functions.Runner
	// Builder, Syntax and Patcher parse sources of projects: they build pages, check
	// what the agent writes, and change single values.
	Builder build.Builder
	Syntax  build.SyntaxChecker
	Patcher markup.Patcher
	// Packages installs npm packages. New's Types and Languages read the packages in DATA_DIR
	// alone, so a host that replaces Packages also replaces these two.
	Packages  packages.Resolver
	Templates scaffold.Templates
	// Replicas create the shared documents of rooms.
	Replicas replica.Maker
	Search   search.Engine
	Browser  browser.Browser

	// Tokens, Passwords and Sealer protect sessions, passwords and stored secrets, Codes are
	// those of second factors.
	Tokens    identity.Tokens
	Passwords identity.Passwords
	Sealer    identity.Sealer
	Codes     identity.TimeCodes
	// Passkeys has the ceremonies of passkeys.
	Passkeys passkeys.Ceremonies
	// OAuth are the sign-in providers.
	OAuth *oauth.Providers
	// Issuers are the OpenID providers of companies.
	Issuers oauth.Issuers

	// Models creates AI providers of every kind. Kinds adds kinds to New's, or replaces
	// single ones; it has no effect beside Models.
	Models ai.Factory
	Kinds  map[core.ProviderKind]bootstrap.OpenProvider

	// Mail sends mails, DNS looks up people's domains, and Guard connects to all
	// addresses that users give.
	Mail  mail.Sender
	DNS   dns.Resolver
	Guard netguard.Guard
	// Connectors talks to the MCP servers of workspaces.
	Connectors connectors.Client

	// Tracer gets traces.
	Tracer tracing.Tracer
}

// check refuses parts that do not work with New's others.
func (p Parts) check() error {
	onDisk := []bool{p.Trees == nil, p.Repositories == nil, p.Wire == nil, p.Remotes == nil, p.Commands == nil, p.Tools == nil, p.Types == nil, p.Languages == nil}
	if (p.Trees != nil || p.Repositories != nil) && slices.Contains(onDisk, true) {
		return errors.New("local.Parts: Trees, Repositories, Wire, Remotes, Commands, Tools, Types and Languages share directories: replace all of them or none")
	}
	if p.Packages != nil && (p.Types == nil || p.Languages == nil) {
		return errors.New("local.Parts: Types and Languages read the packages of New's resolver: replace them together with Packages")
	}
	return nil
}
