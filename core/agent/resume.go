package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// resume returns the turn that a run begins with: its first step or, after a crash,
// the one that the log shows unfinished. A partial answer is closed in the log and
// asked for again. Calls without a result are carried out, unless they already were.
func (r *run) resume(ctx context.Context) (*turn, error) {
	if !r.Resume {
		r.closeCalls()
		return r.step(ctx)
	}
	if r.open {
		message := *r.assistant()
		if err := r.record.breakOff(message.Text, message.Calls); err != nil {
			return nil, err
		}
		r.breakOff()
	}
	r.forgetCut()
	if len(r.waiting) > 0 {
		pending := slices.Clone(r.waiting)
		if err := r.settle(ctx, pending[0]); err != nil {
			return nil, err
		}
		return &turn{acts: true, calls: slices.Clone(r.waiting)}, nil
	}
	if n := len(r.messages); n > 0 && r.messages[n-1].Role == ai.RoleAssistant {
		return &turn{text: r.messages[n-1].Text}, nil
	}
	return r.step(ctx)
}

// settle answers the interrupted call if it must not or need not be repeated: a change
// that was made, or a command, because nobody knows how far it got.
func (r *run) settle(ctx context.Context, call ai.Call) error {
	if call.Tool == commandTool {
		return r.report(call, toolResult{changed: r.changing}, fmt.Errorf("%s", interruptedResult))
	}
	if r.Intent == nil || r.Intent.CallID != call.ID {
		return nil
	}
	action, done := CarriedOut(ctx, r.Desk, *r.Intent)
	if !done {
		return nil
	}
	version := ""
	if r.Intent.Hash != "" {
		version = versionOf(ctx, r.Desk, r.Intent.Shown(), r.Intent.Hash)
	}
	return r.report(call, changedResult(ctx, r.Desk, core.FileChanged{Path: r.Intent.Shown(), Action: action}, version), nil)
}

// CarriedOut reports whether the disk shows that the change of an intent, the
// write-ahead note, was made, and which action it was.
func CarriedOut(ctx context.Context, shelf Shelf, intent core.Intent) (core.FileAction, bool) {
	there := func(name string) ([]byte, bool) {
		path, err := core.ParsePath(name)
		if err != nil {
			return nil, false
		}
		content, _, err := shelf.Read(ctx, path)
		// A directory cannot be read, but it is there.
		return content, !core.IsCode(err, core.CodeNotFound)
	}
	content, found := there(intent.Path)
	switch intent.Op {
	case core.OpWrite:
		action := core.FileModified
		if intent.Creates {
			action = core.FileCreated
		}
		return action, found && hashOfContent(content) == intent.Hash
	case core.OpDelete:
		return core.FileDeleted, !found
	case core.OpRename:
		_, moved := there(intent.To)
		return core.FileRenamed, !found && moved
	}
	return "", false
}

func hashOfContent(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// untold returns the changes that the log does not have yet: an interrupted call may
// have recorded some of its own.
func (r *run) untold(changed []core.FileChanged) []core.FileChanged {
	told := r.changing
	r.changing = nil
	return slices.DeleteFunc(slices.Clone(changed), func(c core.FileChanged) bool {
		return slices.ContainsFunc(told, func(t core.FileChanged) bool { return t.Path == c.Path })
	})
}

// intendingDesk stores a write-ahead note of each change before it makes it.
type intendingDesk struct {
	Desk
	run *run
}

// Apply implements Desk. Tools that write have read the file, so a write without an ETag
// makes one.
func (d *intendingDesk) Apply(ctx context.Context, change core.FileChange, ifMatch string) (Applied, error) {
	intent := core.Intent{CallID: d.run.calling, Op: change.Op, Path: change.Path.String()}
	switch change.Op {
	case core.OpWrite:
		intent.Hash, intent.Creates = hashOfContent(change.Content), ifMatch == ""
	case core.OpRename:
		intent.To = change.To.String()
	}
	if err := d.run.Intend(ctx, intent); err != nil {
		return Applied{}, err
	}
	return d.Desk.Apply(ctx, change, ifMatch)
}
