package tools

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// proposal is the write of a file that a tool is about to make.
type proposal struct {
	path core.ProjectPath
	// before is the text that it replaces, "" if there is none.
	before, after string
	// given is the content, or the texts of the edit, exactly as in the call.
	given string
	// edits says that the write replaces a part of the file, not all of it.
	edits bool
}

// repeatToConfirm ends the refusals that the same call overrules.
const repeatToConfirm = "make the same call again, unchanged"

// inspect is the gate before every write of a tool. It refuses elisions, text that
// cannot be parsed, and a write of a whole file that loses most of it or its end.
// Repeating the same write right after the refusal overrules the check for elisions and
// the one for losses. An elision that may really replace code is never overruled.
func (in *invocation) inspect(ctx context.Context, p proposal) error {
	confirmed := in.memory.doubted == fingerprint(p.path.String(), p.given)
	loss := findLoss(p.path.String(), p.before, p.after)
	if at, elided := findElision(p.path.String(), p.before, p.after); elided {
		mayBeMeant := loss == "" && losesNoCode(p.before, p.after)
		todo := "Replace the line with the complete code; to change only a part of a file, use " + editTool
		if mayBeMeant {
			todo += ". If the line really belongs in the file, " + repeatToConfirm
		}
		if !mayBeMeant || !confirmed {
			return core.Errorf(core.CodeValidationFailed, "%s:%d:%d: this line is a placeholder for code that was left out: %s\nNothing was written. %s",
				at.Path, at.Line, at.Column, at.Message, todo)
		}
	}
	if err := in.inspectSyntax(ctx, p); err != nil {
		return err
	}
	if p.edits || loss == "" || confirmed {
		return nil
	}
	lines := strings.Count(p.after, "\n") + 1
	return core.Errorf(core.CodeValidationFailed, "%s:%d:1: %s (it has %d bytes, the content %d). Nothing was written. "+
		"%s needs the complete content of the file; to change only a part, use %s. If the file should really become like this, "+repeatToConfirm,
		p.path, lines, loss, len(p.before), len(p.after), writeTool, editTool)
}

// inspectSyntax refuses text that cannot be parsed. A file that is already broken may
// be edited into another broken state, so that the model can fix it in steps.
func (in *invocation) inspectSyntax(ctx context.Context, p proposal) error {
	broken, err := in.Syntax(ctx, p.path, []byte(p.after))
	if err != nil || len(broken) == 0 {
		return err
	}
	if p.edits {
		was, err := in.Syntax(ctx, p.path, []byte(p.before))
		if err != nil || len(was) > 0 {
			return err
		}
	}
	todo := "Correct the content and write the whole file again"
	if p.edits {
		todo = "Correct newText, and include the whole statement or element in oldText"
	}
	lines := linesOf(unixEndings(p.after))
	around := numbered(lines, broken[0].Line-1-shownAround, broken[0].Line+shownAround)
	if around != "" {
		around = "These are the lines there, each after its number and a bar:\n" + around
	}
	return core.Errorf(core.CodeValidationFailed, "%s would not be valid, so nothing was written:\n%s%s%s",
		p.path, Describe(broken[:min(len(broken), maxShownMistakes)]), around, todo)
}

// maxShownMistakes bounds the mistakes of one write that the model is told.
const maxShownMistakes = 5

// withHabits gives the new content of a file the file's byte order mark, and Windows
// line endings if it had no others.
func withHabits(before, content string) string {
	if breaks := strings.Count(before, "\n"); breaks > 0 && breaks == strings.Count(before, "\r\n") {
		content = withEndings(content, "\r\n")
	}
	if strings.HasPrefix(before, byteOrderMark) && !strings.HasPrefix(content, byteOrderMark) {
		content = byteOrderMark + content
	}
	return content
}

// nowWithHash tells the hash of a file that was just written.
func nowWithHash(etag string) string { return ", now with the hash " + hashOf(etag) }
