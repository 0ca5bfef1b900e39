package local

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// projectFiles are the adapters for the directories below PROJECTS_ROOT.
type projectFiles struct {
	Trees        worktree.Trees
	Repositories vcs.Repositories
	Wire         vcs.Wire
	Remotes      vcs.Remotes
}

// openProjectFiles opens PROJECTS_ROOT, unless the host brings its own files.
func openProjectFiles(s settings.Settings, parts Parts, guard netguard.Guard, log *slog.Logger) (projectFiles, func(), error) {
	if parts.Trees != nil {
		return projectFiles{parts.Trees, parts.Repositories, parts.Wire, parts.Remotes}, func() {}, nil
	}
	trees, err := disk.NewTrees(s.ProjectsRoot)
	if err != nil {
		return projectFiles{}, nil, fmt.Errorf("PROJECTS_ROOT: %w", err)
	}
	if err := datadir.CheckProjectsRoot(s, trees.Identity()); err != nil {
		return projectFiles{}, nil, errors.Join(err, trees.Close())
	}
	warnExposed(log, trees.Exposed())
	repositories, err := git.NewRepositories(s.ProjectsRoot)
	if err != nil {
		return projectFiles{}, nil, errors.Join(err, trees.Close())
	}
	// A server in a private network seldom has a certificate.
	plain := git.PlainHTTP(s.PrivateNetworks)
	return projectFiles{
		Trees: trees, Repositories: repositories,
		Wire:    cmp.Or[vcs.Wire](parts.Wire, git.NewWire(repositories)),
		Remotes: cmp.Or[vcs.Remotes](parts.Remotes, git.NewRemotes(repositories, guard, plain)),
	}, func() { _ = trees.Close() }, nil
}

// sandboxAdapters run programs on projects' files in the sandbox.
type sandboxAdapters struct {
	Commands  sandbox.Runner
	Tools     toolchain.Toolchain
	Types     typecheck.Checker
	Languages languageserver.Launcher
}

// openSandbox creates the sandbox that SANDBOX names. Tools reach packages only through the
// registry's mirror; the type checker and the
// language servers read those that the resolver stores.
func openSandbox(s settings.Settings, parts Parts, guard netguard.Guard, registry registry, log *slog.Logger) sandboxAdapters {
	runner := bootstrap.Commands(s, guard, log)
	tools := bwrap.NewTools(runner, bwrap.ToolsConfig{Dir: bootstrap.Workplaces(s), Registry: registry.mirror})
	types := bwrap.NewTypeChecker(runner, bwrap.TypesConfig{Store: packagesDir(s)})
	return sandboxAdapters{
		Commands:  cmp.Or[sandbox.Runner](parts.Commands, runner),
		Tools:     cmp.Or[toolchain.Toolchain](parts.Tools, tools),
		Types:     cmp.Or[typecheck.Checker](parts.Types, types),
		Languages: cmp.Or[languageserver.Launcher](parts.Languages, bwrap.NewLanguageServers(types, bwrap.LanguagesConfig{})),
	}
}

// openSites opens SITES_DIR.
func openSites(s settings.Settings, parts Parts, log *slog.Logger) (sites.Store, error) {
	if parts.Sites != nil {
		return parts.Sites, nil
	}
	opened, err := disk.NewSites(s.SitesDir)
	if err != nil {
		return nil, fmt.Errorf("SITES_DIR: %w", err)
	}
	warnExposed(log, opened.Exposed())
	return opened, nil
}

// warnExposed warns of folders that the machine's other users can read and that this process
// could not close.
func warnExposed(log *slog.Logger, exposed error) {
	if exposed != nil {
		log.Warn("other users of this machine can read the service's files", "error", exposed)
	}
}
