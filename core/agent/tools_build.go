package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
)

func checkBuild(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	if err := decodeArgs(raw, &struct{}{}); err != nil {
		return toolResult{}, err
	}
	report, err := buildReport(ctx, desk)
	return toolResult{text: report}, err
}

// buildReport says in words whether the project builds.
func buildReport(ctx context.Context, desk Desk) (string, error) {
	diagnostics, err := desk.Check(ctx)
	if err != nil {
		return "", err
	}
	if len(diagnostics) == 0 {
		return "The project builds.", nil
	}
	var out strings.Builder
	out.WriteString("The project does not build:\n")
	for _, d := range diagnostics[:min(len(diagnostics), maxDiagnostics)] {
		fmt.Fprintf(&out, "%s:%d:%d: %s\n", d.Path, d.Line, d.Column, d.Message)
	}
	if more := len(diagnostics) - maxDiagnostics; more > 0 {
		fmt.Fprintf(&out, "… and %d more\n", more)
	}
	return out.String(), nil
}

func consoleLogs(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	if err := decodeArgs(raw, &struct{}{}); err != nil {
		return toolResult{}, err
	}
	lines, err := desk.Console(ctx)
	if err != nil {
		return toolResult{}, err
	}
	if len(lines) == 0 {
		return toolResult{text: "The page has logged nothing. It logs only while somebody looks at the preview."}, nil
	}
	return toolResult{text: strings.Join(lines[max(0, len(lines)-maxConsoleLines):], "\n")}, nil
}

func messageOf(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return "internal error"
}
