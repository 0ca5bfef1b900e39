package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// commandTool is the name of the tool that runs commands.
	commandTool = "run_command"
	// commandTimeout bounds the tool call of a command, which takes two minutes
	// itself, with waiting for its turn and finding out what it changed.
	commandTimeout = 3 * time.Minute
	// maxChangedEvents bounds the events about what one command changed, and
	// maxChangedShown how many of the files the model is told.
	maxChangedEvents = 1000
	maxChangedShown  = 50
)

func runCommand(ctx context.Context, b *bench, raw json.RawMessage) (toolResult, error) {
	var args struct {
		Command string `json:"command"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return toolResult{}, err
	}
	if strings.TrimSpace(args.Command) == "" {
		return toolResult{}, core.Errorf(core.CodeInvalidRequest, "the arguments are wrong: command is missing")
	}
	report, changed, err := b.Run(ctx, args.Command)
	result := toolResult{changed: changed[:min(len(changed), maxChangedEvents)]}
	b.noteMade(ctx, changed)
	if err != nil {
		return result, err
	}
	if len(changed) == 0 {
		result.text = cutMiddle(report, b.room, outputCut)
		return result, nil
	}
	build, err := buildReport(ctx, b)
	if err != nil {
		// The changes stand; only their check could not be made.
		build = "The build could not be checked: " + messageOf(err)
	}
	after := sayChanged(changed) + build
	result.text = cutMiddle(report, max(b.room-len(after), shortResult), outputCut) + after
	return result, nil
}

// outputCut says how to get the rest of what a command said.
const outputCut = "left out; let it say less, or write into a file and read that with " + readTool + ", from and to"

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
