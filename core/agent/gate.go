package agent

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// proposal is a file as a tool is about to write it.
type proposal struct {
	path core.ProjectPath
	// before is the text that it replaces, "" when there is none.
	before, after string
	// given is the content, or the texts of the edit, as the call gave it.
	given string
	// edits says that a part is replaced, not the whole.
	edits bool
}

// repeatToConfirm ends the refusals that the same call overrules.
const repeatToConfirm = "make the same call again, unchanged"

// inspect is the gate before every write of a tool. It refuses lines that stand for
// code that was left out, text that cannot be parsed, and, when a file is written
// whole, the loss of most of it or of its end. The very same write overrules the first
// and the last of them right after it was refused, but not where such a line may really
// stand for something.
func (b *bench) inspect(ctx context.Context, p proposal) error {
	confirmed := b.book.doubted == fingerprint(p.path.String(), p.given)
	loss := findLoss(p.path.String(), p.before, p.after)
	if at, elided := findElision(p.path.String(), p.before, p.after); elided {
		mayBeMeant := loss == "" && losesNoCode(p.before, p.after)
		todo := "Write out all of the code in place of the line; to change only a part of a file, use " + editTool
		if mayBeMeant {
			todo += ". If the line really belongs into the file, " + repeatToConfirm
		}
		if !mayBeMeant || !confirmed {
			return core.Errorf(core.CodeValidationFailed, "%s:%d:%d: this line stands for code that was left out: %s\nNothing was written. %s",
				at.Path, at.Line, at.Column, at.Message, todo)
		}
	}
	if err := b.inspectSyntax(ctx, p); err != nil {
		return err
	}
	if p.edits || loss == "" || confirmed {
		return nil
	}
	lines := strings.Count(p.after, "\n") + 1
	return core.Errorf(core.CodeValidationFailed, "%s:%d:1: %s (it has %d bytes, the content %d). Nothing was written. "+
		"%s needs the complete content of the file; to change only a part, use %s. If the file really shall become like this, "+repeatToConfirm,
		p.path, lines, loss, len(p.before), len(p.after), writeTool, editTool)
}

// inspectSyntax refuses text that cannot be parsed. A file that is broken already
// may be edited into another broken state, so that it can be mended in steps.
func (b *bench) inspectSyntax(ctx context.Context, p proposal) error {
	broken, err := b.Syntax(ctx, p.path, []byte(p.after))
	if err != nil || len(broken) == 0 {
		return err
	}
	if p.edits {
		was, err := b.Syntax(ctx, p.path, []byte(p.before))
		if err != nil || len(was) > 0 {
			return err
		}
	}
	todo := "Correct the content and write the whole file again"
	if p.edits {
		todo = "Correct newText, and take all of a statement or an element into oldText"
	}
	lines := linesOf(unixEndings(p.after))
	around := numbered(lines, broken[0].Line-1-shownAround, broken[0].Line+shownAround)
	if around != "" {
		around = "The lines there, each behind its number and a bar:\n" + around
	}
	return core.Errorf(core.CodeValidationFailed, "%s would not be valid, so nothing was written:\n%s%s%s",
		p.path, describe(broken[:min(len(broken), maxShownMistakes)]), around, todo)
}

// maxShownMistakes bounds the mistakes of one write that are told.
const maxShownMistakes = 5

// withHabits gives content that replaces a file whole what the file had: its byte
// order mark, and Windows line endings when it had no others.
func withHabits(before, content string) string {
	if breaks := strings.Count(before, "\n"); breaks > 0 && breaks == strings.Count(before, "\r\n") {
		content = withEndings(content, "\r\n")
	}
	if strings.HasPrefix(before, byteOrderMark) && !strings.HasPrefix(content, byteOrderMark) {
		content = byteOrderMark + content
	}
	return content
}

// versionOf tells the hash of a file that was just written, as content with the
// hash that hashOfContent gives. Somebody may have changed it meanwhile: then the
// model does not know it.
func versionOf(ctx context.Context, desk Desk, path, written string) string {
	parsed, err := core.ParsePath(path)
	if err != nil {
		return ""
	}
	content, etag, err := desk.Read(ctx, parsed)
	switch {
	case err != nil:
		return ""
	case hashOfContent(content) != written:
		return "; somebody has changed it again since, so read it before you go on"
	}
	return ", now with the hash " + hashOf(etag)
}
