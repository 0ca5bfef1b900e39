// Package writegate checks what the agent is about to write, before it reaches the disk.
//
// It refuses lines that stand for code that was left out (elision.go), text that does not parse,
// and whole-file writes that drop most of a file or its end (loss.go). Repeating the same call
// overrules the last check, and the first one if no code is lost with it.
package writegate

import (
	"context"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/edits"
)

// Write is the write of a file that a tool is about to make.
type Write struct {
	Path core.ProjectPath
	// Before is the text that it replaces, "" if there is none.
	Before, After string
	// Edits says that the write replaces a part of the file, not all of it. Unfinished says that it is
	// the beginning of a text, and that more follows: it need not parse, and loses nothing yet.
	Edits      bool
	Unfinished bool
	// Confirmed says that the same call was refused right before, with RepeatToConfirm.
	Confirmed bool
}

// Parser returns the syntax errors of content as a file of that name; none for a kind of file
// that it does not know.
type Parser func(ctx context.Context, path core.ProjectPath, content []byte) ([]core.Diagnostic, error)

// RepeatToConfirm ends the refusals that the same call overrules.
const RepeatToConfirm = "make the same call again, unchanged"

// Check refuses elisions, text that cannot be parsed, and a write of a whole file that loses
// most of it or its end. Repeating the same write right after the refusal overrules the check
// for elisions and the one for losses. An elision that may really replace code is never
// overruled.
func Check(ctx context.Context, parse Parser, w Write) error {
	loss := findLoss(w.Path.String(), w.Before, w.After)
	if at, elided := findElision(w.Path.String(), w.Before, w.After); elided {
		mayBeMeant := loss == "" && losesNoCode(w.Before, w.After)
		todo := "Replace the line with the complete code; to change only a part of a file, use edit_file"
		if mayBeMeant {
			todo += ". If the line really belongs in the file, " + RepeatToConfirm
		}
		if !mayBeMeant || !w.Confirmed {
			return core.Errorf(core.CodeValidationFailed, "%s:%d:%d: this line is a placeholder for code that was left out: %s\nNothing was written. %s",
				at.Path, at.Line, at.Column, at.Message, todo)
		}
	}
	if w.Unfinished {
		return nil
	}
	if err := checkSyntax(ctx, parse, w); err != nil {
		return err
	}
	if w.Edits || loss == "" || w.Confirmed {
		return nil
	}
	lines := strings.Count(w.After, "\n") + 1
	return core.Errorf(core.CodeValidationFailed, "%s:%d:1: %s (it has %d bytes, the content %d). Nothing was written. "+
		"write_file needs the complete content of the file; to change only a part, use edit_file. If the file should really become like this, "+RepeatToConfirm,
		w.Path, lines, loss, len(w.Before), len(w.After))
}

// checkSyntax refuses text that cannot be parsed. A file that is already broken may
// be edited into another broken state, so that the model can fix it in steps.
func checkSyntax(ctx context.Context, parse Parser, w Write) error {
	broken, err := parse(ctx, w.Path, []byte(w.After))
	if err != nil || len(broken) == 0 {
		return err
	}
	if w.Edits {
		was, err := parse(ctx, w.Path, []byte(w.Before))
		if err != nil || len(was) > 0 {
			return err
		}
	}
	todo := "Correct the content and write the whole file again"
	if w.Edits {
		todo = "Correct newText, and include the whole statement or element in oldText"
	}
	around := edits.Numbered(w.After, broken[0].Line-1-edits.ShownAround, broken[0].Line+edits.ShownAround)
	if around != "" {
		around = "These are the lines there, each after its number and a bar:\n" + around
	}
	var mistakes strings.Builder
	for _, d := range broken[:min(len(broken), maxShownMistakes)] {
		fmt.Fprintf(&mistakes, "%s:%d:%d: %s\n", d.Path, d.Line, d.Column, d.Message)
	}
	return core.Errorf(core.CodeValidationFailed, "%s would not be valid, so nothing was written:\n%s%s%s", w.Path, mistakes.String(), around, todo)
}

// maxShownMistakes bounds the mistakes of one write that the model is told.
const maxShownMistakes = 5
