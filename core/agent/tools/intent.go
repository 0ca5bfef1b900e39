package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/atelierhq/atelier/core"
)

// writeAheadProject stores a write-ahead note of each change of a call before it makes the
// change.
type writeAheadProject struct {
	Project
	call   string
	intend func(context.Context, core.Intent) error
}

// Apply implements Project. Tools that write have read the file, so a write without an ETag
// makes one.
func (d writeAheadProject) Apply(ctx context.Context, change core.FileChange, ifMatch string) (ChangeResult, error) {
	intent := core.Intent{CallID: d.call, Op: change.Op, Path: change.Path.String()}
	switch change.Op {
	case core.OpWrite:
		intent.Hash, intent.Creates = hashOfContent(change.Content), ifMatch == ""
	case core.OpRename:
		intent.To = change.To.String()
	}
	if err := d.intend(ctx, intent); err != nil {
		return ChangeResult{}, err
	}
	return d.Project.Apply(ctx, change, ifMatch)
}

// Recover returns the result of the change that a crash interrupted, if the disk shows
// that it was made.
func (w *Workbench) Recover(ctx context.Context, intent core.Intent) (Result, bool) {
	action, done := CarriedOut(ctx, w.project, intent)
	if !done {
		return Result{}, false
	}
	version := ""
	if intent.Hash != "" {
		version = versionOf(ctx, w.project, intent.Shown(), intent.Hash)
	}
	return changedResult(ctx, w.project, core.FileChanged{Path: intent.Shown(), Action: action}, version), true
}

// CarriedOut reports whether the disk shows that the change of an intent, the
// write-ahead note, was made, and which action it was.
func CarriedOut(ctx context.Context, files Files, intent core.Intent) (core.FileAction, bool) {
	there := func(name string) ([]byte, bool) {
		path, err := core.ParsePath(name)
		if err != nil {
			return nil, false
		}
		content, _, err := files.Read(ctx, path)
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

// versionOf tells the model the hash of a file that was written before a crash; written
// is the hash of its content by hashOfContent. If somebody changed the file meanwhile,
// the model does not know the new version.
func versionOf(ctx context.Context, project Project, path, written string) string {
	parsed, err := core.ParsePath(path)
	if err != nil {
		return ""
	}
	content, etag, err := project.Read(ctx, parsed)
	switch {
	case err != nil:
		return ""
	case hashOfContent(content) != written:
		return "; it has been changed again since, so read it before you continue"
	}
	return nowWithHash(etag)
}
