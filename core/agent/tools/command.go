package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// CommandTool is the name of the tool that runs commands.
	CommandTool = "run_command"
	// commandTimeout bounds the tool call of a command: two minutes for the command
	// itself, the rest for waiting for its turn and finding out what it changed.
	commandTimeout = 3 * time.Minute
	// maxChangedEvents bounds the events about the changes of one command.
	// maxChangedShown bounds how many of the changed files are listed for the
	// model.
	maxChangedEvents = 1000
	maxChangedShown  = 50
	// leastOutput is how many bytes of a command's output are shown at least.
	leastOutput = 400
)

func runCommand(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		Command string `json:"command"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return Result{}, err
	}
	if strings.TrimSpace(args.Command) == "" {
		return Result{}, core.Errorf(core.CodeInvalidRequest, "the arguments are wrong: command is missing")
	}
	report, changed, err := in.Run(ctx, args.Command)
	result := Result{Changed: changed[:min(len(changed), maxChangedEvents)]}
	in.noteMade(ctx, changed)
	if err != nil {
		return result, err
	}
	if len(changed) == 0 {
		result.Text = CutMiddle(report, in.room, outputCut)
		return result, nil
	}
	build, err := buildReport(ctx, in)
	if err != nil {
		// The changes were made; only the check of the build failed.
		build = "The build could not be checked: " + MessageOf(err)
	}
	after := sayChanged(changed) + schemaReport(ctx, in, changed) + build
	result.Text = CutMiddle(report, max(in.room-len(after), leastOutput), outputCut) + after
	return result, nil
}

// outputCut says how to get the rest of a command's output.
const outputCut = "left out; reduce its output, or write it to a file and read that with " + readTool + ", from and to"

// sayChanged lists what a command changed.
func sayChanged(changed []core.FileChanged) string {
	var out strings.Builder
	out.WriteString("It changed:\n")
	for _, file := range changed[:min(len(changed), maxChangedShown)] {
		fmt.Fprintf(&out, "%s %s\n", file.Path, file.Action)
	}
	if more := len(changed) - maxChangedShown; more > 0 {
		fmt.Fprintf(&out, "… and %d more\n", more)
	}
	return out.String()
}
