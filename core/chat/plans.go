package chat

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// PlanRun is a request to carry out a chat's plan.
type PlanRun struct {
	ChatID core.ID
	// Detach lets the run continue after the sender's connection is lost.
	Detach bool
}

// RunPlan switches a chat to build mode and has the agent carry out the chat's last
// plan. It streams as Send does; a chat without a plan has code core.CodeNotFound.
func (r *Runs) RunPlan(ctx context.Context, by core.Actor, project core.ID, asked PlanRun, emit func(core.Event) error) error {
	plan, err := r.chats.Plan(ctx, by, project, asked.ChatID)
	if err != nil {
		return err
	}
	message := Message{ChatID: asked.ChatID, Text: assignment(plan), Mode: core.ModeBuild, Detach: asked.Detach}
	return r.Send(ctx, by, project, message, emit)
}

// assignment is the message that gives the plan to the agent.
func assignment(plan core.Plan) string {
	var out strings.Builder
	out.WriteString("Carry out this plan, step by step.\n\n")
	for i, step := range plan.Steps {
		fmt.Fprintf(&out, "%d. %s\n", i+1, step.Title)
		if step.Description != "" {
			fmt.Fprintf(&out, "%s\n", step.Description)
		}
		if len(step.Files) > 0 {
			fmt.Fprintf(&out, "Files: %s\n", strings.Join(step.Files, ", "))
		}
		out.WriteString("\n")
	}
	if len(plan.Steps) == 0 {
		out.WriteString(plan.RawText)
	}
	text := strings.TrimSpace(out.String())
	if utf8.RuneCountInString(text) > core.MaxMessageChars {
		text = string([]rune(text)[:core.MaxMessageChars])
	}
	return text
}
