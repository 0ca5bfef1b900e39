package chat

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// settleTime bounds the search for what a command changed.
const settleTime = time.Minute

// Run implements tools.Project. The project is not locked while the command runs:
// people can write at the same time, as with any other change of the disk. When the
// command has ended, the list of files, the repository and the followers learn what
// it changed, even if the run has been stopped meanwhile.
func (p pipelineProject) Run(ctx context.Context, command string) (string, []core.FileChanged, error) {
	// Files on the disk that the list does not know yet are not changes of the
	// command.
	if _, err := p.deps.Files.List(ctx, p.project); err != nil {
		return "", nil, err
	}
	access, err := p.hostAccess(ctx)
	if err != nil {
		return "", nil, err
	}
	outcome, failure := p.deps.Commands.Run(ctx, p.project, sandbox.Command{Line: command, Hosts: access.hosts})
	if core.IsCode(failure, core.CodeSandboxUnavailable) || core.IsCode(failure, core.CodeValidationFailed) {
		return "", nil, failure
	}
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	found, err := p.deps.Files.Reconcile(settle, p.project)
	if failure == nil {
		failure = err
	}
	return outcomeText(outcome) + access.refusals(outcome.Refused) + commandNote(command, outcome), changesOf(found), failure
}

// commandNotes tell a model what does the work of a command that failed, by the command lines that they
// are for.
var commandNotes = []struct {
	lines *regexp.Regexp
	note  string
}{
	{
		regexp.MustCompile(`\b(?:tsc|vite|webpack|next build|react-scripts)\b|\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:build|dev|start|serve|preview|typecheck|type-check|lint)\b`),
		"Use check_build: it builds the project and checks its types. The preview is always open, so no server has to be started.\n",
	},
	{
		regexp.MustCompile(`\b(?:(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:i|in|install|add|ci|create|init|exec|x|dlx|update|upgrade|up)|npx|pnpx|bunx)\b`),
		"Packages are installed by Atelier: add them to the dependencies in package.json. Commands have no package registry.\n",
	},
}

// commandNote returns the note for a command that failed, "" if there is none.
func commandNote(command string, outcome sandbox.Outcome) string {
	if outcome.ExitCode == 0 && outcome.Ended == "" {
		return ""
	}
	for _, known := range commandNotes {
		if known.lines.MatchString(command) {
			return known.note
		}
	}
	return ""
}

// maxShownHosts bounds the hosts that the model is told of.
const maxShownHosts = 30

// hostAccess is the part of the network that commands can use: hosts, or the reason why
// there are none although the workspace lists some.
type hostAccess struct {
	hosts   core.HostPatterns
	missing error
}

// hostAccess reads the current setting: admins may change it at any time.
func (p pipelineProject) hostAccess(ctx context.Context) (hostAccess, error) {
	tables := p.deps.Store.Tables()
	project, err := tables.Projects.ByID(ctx, p.project)
	if err != nil {
		return hostAccess{}, err
	}
	workspace, err := tables.Workspaces.ByID(ctx, project.WorkspaceID)
	if err != nil || len(workspace.CommandHosts) == 0 {
		return hostAccess{}, err
	}
	if err := p.deps.Commands.Network(ctx); err != nil {
		return hostAccess{missing: err}, nil
	}
	return hostAccess{hosts: workspace.CommandHosts}, nil
}

// Network implements tools.Project.
func (p pipelineProject) Network(ctx context.Context) string {
	found, err := p.hostAccess(ctx)
	var known *core.Error
	switch {
	case errors.As(found.missing, &known):
		return "It has no network: " + known.Message + "."
	case err != nil || len(found.hosts) == 0:
		return "It has no network and no package registry: Atelier installs what package.json names. An admin of the workspace can allow hosts (commandHosts)."
	}
	told := found.hosts[:min(len(found.hosts), maxShownHosts)].String()
	if more := len(found.hosts) - maxShownHosts; more > 0 {
		told += fmt.Sprintf(" and %d more", more)
	}
	return "Its only network is the proxy that HTTP_PROXY and HTTPS_PROXY name, to these hosts on ports 443 and 80: " + told + "."
}

// refusals says which hosts a command was refused, and why it had no network.
func (a hostAccess) refusals(refused []string) string {
	var known *core.Error
	switch {
	case errors.As(a.missing, &known):
		return "It had no network: " + known.Message + ".\n"
	case len(refused) == 0:
		return ""
	}
	return fmt.Sprintf("The network blocked these hosts: %s. Do without them, or ask for an admin of the workspace to allow them (commandHosts).\n", strings.Join(refused, ", "))
}

func changesOf(found files.Report) []core.FileChanged {
	changed := make([]core.FileChanged, len(found.Changes))
	for i, change := range found.Changes {
		changed[i] = core.FileChanged{Path: change.Path.String(), Action: change.Action}
	}
	return changed
}

// outcomeText describes the outcome of a command.
func outcomeText(outcome sandbox.Outcome) string {
	said := outcome.Output
	if said != "" && said[len(said)-1] != '\n' {
		said += "\n"
	}
	switch outcome.Ended {
	case "":
		return fmt.Sprintf("Exit code %d.\n%s", outcome.ExitCode, said)
	case sandbox.LimitTime:
		return fmt.Sprintf("The command was stopped after %s. Its output:\n%s", sandbox.MaxTime, said)
	}
	return fmt.Sprintf("The command was stopped because it exceeded a limit: %s. Its output:\n%s", outcome.Ended, said)
}
