package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// settleTime bounds finding out what a command changed.
const settleTime = time.Minute

// Run implements agent.Desk. The project is not locked while the command runs:
// people go on to write beside it, as beside any other change of the disk. When
// the command has ended, the list of files, the repository and the followers learn
// what it changed, also when the run has been stopped meanwhile.
func (d projectDesk) Run(ctx context.Context, command string) (string, []core.FileChanged, error) {
	// What is on the disk unknown to the list is none of the command's changes.
	if _, err := d.files.List(ctx, d.project); err != nil {
		return "", nil, err
	}
	outcome, failure := d.sandbox.Run(ctx, d.project, sandbox.Command{Line: command})
	if core.IsCode(failure, core.CodeSandboxUnavailable) || core.IsCode(failure, core.CodeValidationFailed) {
		return "", nil, failure
	}
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	found, err := d.files.Reconcile(settle, d.project)
	if failure == nil {
		failure = err
	}
	return sayOutcome(outcome), changesOf(found), failure
}

func changesOf(found files.Report) []core.FileChanged {
	changed := make([]core.FileChanged, len(found.Changes))
	for i, change := range found.Changes {
		changed[i] = core.FileChanged{Path: change.Path.String(), Action: change.Action}
	}
	return changed
}

// sayOutcome puts what came of a command into words.
func sayOutcome(outcome sandbox.Outcome) string {
	said := outcome.Output
	if said != "" && said[len(said)-1] != '\n' {
		said += "\n"
	}
	switch outcome.Ended {
	case "":
		return fmt.Sprintf("Exit code %d.\n%s", outcome.ExitCode, said)
	case sandbox.LimitTime:
		return fmt.Sprintf("The command was ended after %s. It said:\n%s", sandbox.MaxTime, said)
	}
	return fmt.Sprintf("The command was ended because it used too much: %s. It said:\n%s", outcome.Ended, said)
}
