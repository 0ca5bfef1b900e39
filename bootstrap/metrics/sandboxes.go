package metrics

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
	typechecks "github.com/atelierhq/atelier/ports/typecheck"
)

// The kinds of telemetry.Sandboxes.
const (
	kindCommand   = "command"
	kindInstall   = "install"
	kindBuild     = "build"
	kindServer    = "server"
	kindTypeCheck = "typecheck"
	kindLanguage  = "language"
)

// countedCommands counts the agent's commands.
type countedCommands struct {
	sandbox.Runner
	tally *telemetry.Tally
}

// AgentCommands runs and counts the agent's commands.
func AgentCommands(runner sandbox.Runner, tally *telemetry.Tally) chat.Commands {
	tally.Add(telemetry.Sandboxes, kindCommand, 0)
	return countedCommands{runner, tally}
}

// Run implements sandbox.Runner.
func (c countedCommands) Run(ctx context.Context, project core.ID, command sandbox.Command) (sandbox.Outcome, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindCommand)()
	return c.Runner.Run(ctx, project, command)
}

// countedTools counts the runs of projects' own tools.
type countedTools struct {
	toolchain.Toolchain
	tally *telemetry.Tally
}

// ProjectTools runs and counts projects' own tools.
func ProjectTools(tools toolchain.Toolchain, tally *telemetry.Tally) builds.Toolchain {
	for _, kind := range []string{kindInstall, kindBuild, kindServer} {
		tally.Add(telemetry.Sandboxes, kind, 0)
	}
	return countedTools{tools, tally}
}

// Install implements toolchain.Toolchain.
func (c countedTools) Install(ctx context.Context, project core.ID, key string, task toolchain.Task) (toolchain.Outcome, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindInstall)()
	return c.Toolchain.Install(ctx, project, key, task)
}

// Build implements toolchain.Toolchain.
func (c countedTools) Build(ctx context.Context, project core.ID, task toolchain.BuildTask) (toolchain.BuildOutput, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindBuild)()
	return c.Toolchain.Build(ctx, project, task)
}

// Serve implements toolchain.Toolchain. A server counts until it has ended.
func (c countedTools) Serve(ctx context.Context, project core.ID, task toolchain.Task) (toolchain.Server, error) {
	leave := c.tally.Enter(telemetry.Sandboxes, kindServer)
	server, err := c.Toolchain.Serve(ctx, project, task)
	if err != nil {
		leave()
		return nil, err
	}
	go func() {
		<-server.Done()
		leave()
	}()
	return server, nil
}

// countedChecks counts type checks.
type countedChecks struct {
	typechecks.Checker
	tally *telemetry.Tally
}

// TypeChecks runs and counts type checks.
func TypeChecks(checker typechecks.Checker, tally *telemetry.Tally) typecheck.Checker {
	tally.Add(telemetry.Sandboxes, kindTypeCheck, 0)
	return countedChecks{checker, tally}
}

// Check implements the port.
func (c countedChecks) Check(ctx context.Context, project core.ID, task typechecks.Task) (typechecks.Report, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindTypeCheck)()
	return c.Checker.Check(ctx, project, task)
}

// countedLanguages counts language servers.
type countedLanguages struct {
	languageserver.Launcher
	tally *telemetry.Tally
}

// LanguageServers starts and counts language servers.
func LanguageServers(launcher languageserver.Launcher, tally *telemetry.Tally) codeintel.Launcher {
	tally.Add(telemetry.Sandboxes, kindLanguage, 0)
	return countedLanguages{launcher, tally}
}

// Launch implements the port. A server counts until it has ended.
func (c countedLanguages) Launch(ctx context.Context, project core.ID, task languageserver.Task) (languageserver.Server, error) {
	leave := c.tally.Enter(telemetry.Sandboxes, kindLanguage)
	server, err := c.Launcher.Launch(ctx, project, task)
	if err != nil {
		leave()
		return nil, err
	}
	go func() {
		<-server.Done()
		leave()
	}()
	return server, nil
}
