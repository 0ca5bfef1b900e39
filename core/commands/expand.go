package commands

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Expansion is the meaning of a message with a command.
type Expansion struct {
	// Name is the command's, "" for a message without one.
	Name string
	// Prompt goes to the agent in place of the message.
	Prompt string
	// Mode is the mode in which the message is answered, "" for the chat's.
	Mode string
	// Acts says that the message is for a mode that may change the project.
	Acts bool
}

// Apply tells a run what its message means: the command in it, its references, and what the model is
// told about those. It returns the Expansion; errors are those of Expand.
func Apply(ctx context.Context, tables storage.Tables, run *core.Run, references []core.Reference, about string) (Expansion, error) {
	meant, err := Expand(ctx, tables, run.WorkspaceID, run.Text)
	if err != nil {
		return Expansion{}, err
	}
	run.Said = core.MessageContext{Command: meant.Name, References: references}
	told := meant.Prompt
	if about != "" {
		told += "\n\n" + about
	}
	if told != run.Text {
		run.Said.Prompt = told
	}
	return meant, nil
}

// In returns the mode in which the message is answered in a chat of this mode.
func (e Expansion) In(mode string) string {
	switch {
	case e.Mode != "":
		return e.Mode
	case e.Acts && (mode == core.ModePlan || mode == core.ModeChat):
		return core.ModeBuild
	}
	return mode
}

// Expand returns what a message means in a workspace. A message that begins with a slash and no
// command's name is a message as any other: people write of addresses, too. A command without the
// words that it needs, and an expansion longer than a message may be, have code
// core.CodeValidationFailed.
func Expand(ctx context.Context, tables storage.Tables, workspace core.ID, text string) (Expansion, error) {
	name, arguments := core.SplitCommand(text)
	switch name {
	case "":
		return Expansion{Prompt: text}, nil
	case core.CommandPlan:
		if arguments == "" {
			return Expansion{}, core.Errorf(core.CodeValidationFailed, "text must say what to plan: write it behind /plan")
		}
		return Expansion{Name: name, Prompt: arguments, Mode: core.ModePlan}, nil
	case core.CommandFix:
		return Expansion{Name: name, Prompt: strings.TrimSpace(fixPrompt + arguments), Acts: true}, nil
	case core.CommandCheck:
		if arguments == "" {
			return Expansion{Name: name, Prompt: checkPrompt, Acts: true}, nil
		}
		return Expansion{Name: name, Prompt: keepPrompt + arguments, Acts: true}, nil
	}
	command, err := tables.Commands.ByName(ctx, workspace, name)
	if core.IsCode(err, core.CodeNotFound) {
		return Expansion{Prompt: text}, nil
	}
	if err != nil {
		return Expansion{}, err
	}
	return expandOwn(command, arguments)
}

const (
	fixPrompt   = "Find out why the following is wrong with the project, and mend it. "
	checkPrompt = "The project's checks were played. Mend what is broken where one failed; change a check only if it is wrong itself."
	keepPrompt  = "Keep a check of what follows: look at the page, use it as a person would, expect what has to be true, and save it with save_check. If it does not hold, say so, and mend nothing that was not asked for.\n\n"
)

// expandOwn puts the words behind a command's name into its text, or below it.
func expandOwn(command core.Command, arguments string) (Expansion, error) {
	places := strings.Count(command.Text, core.CommandArguments)
	if utf8.RuneCountInString(command.Text)+max(places, 1)*utf8.RuneCountInString(arguments) > core.MaxMessageChars {
		return Expansion{}, core.Errorf(core.CodeValidationFailed, "text is too long for the command /%s: with it the agent would be told more than %d characters", command.Name, core.MaxMessageChars)
	}
	prompt := strings.ReplaceAll(command.Text, core.CommandArguments, arguments)
	if places == 0 && arguments != "" {
		prompt += "\n\n" + arguments
	}
	return Expansion{Name: command.Name, Prompt: prompt}, nil
}
