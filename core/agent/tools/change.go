package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/edits"
	"github.com/atelierhq/atelier/core/agent/writegate"
)

// Bounds of one tool call, beside invocation.room.
const (
	maxWriteBytes   = 1 << 20
	maxDiagnostics  = 20
	maxConsoleLines = 100
)

func writeFile(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		Path       string  `json:"path"`
		Content    *string `json:"content"`
		Append     bool    `json:"append"`
		Unfinished bool    `json:"unfinished"`
	}
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return Result{}, err
	}
	if args.Content == nil {
		return Result{}, core.Errorf(core.CodeInvalidRequest, "content is missing: give the whole content of the file")
	}
	base, before, etag, err := in.writable(ctx, path, args.Append)
	if err != nil {
		return Result{}, err
	}
	write := writegate.Write{Path: path, Before: before, After: edits.WithHabits(before, base+*args.Content), Edits: args.Append, Unfinished: args.Unfinished}
	if err := in.inspect(ctx, write, *args.Content); err != nil {
		return Result{}, err
	}
	result, err := change(ctx, in, core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(write.After)}, etag)
	switch {
	case err != nil:
		return result, err
	case args.Unfinished:
		head, _, _ := strings.Cut(result.Text, "\n")
		result.Text = head + unfinishedNote
		return result, nil
	}
	return in.withTypes(ctx, path, result), nil
}

// unfinishedNote takes the place of the errors that half of a file has.
const unfinishedNote = "\nIt is unfinished: add the next part now, with append true."

// writable returns the text before what is written, "" for a whole file, and the text and the ETag of
// the file that is there; both are "" if there is none. It returns an error if the model must not write.
func (in *invocation) writable(ctx context.Context, path core.ProjectPath, appends bool) (base, before, etag string, err error) {
	if appends {
		base, etag, err = in.appendable(ctx, path)
		return base, base, etag, err
	}
	before, etag, err = in.replaced(ctx, path)
	if err != nil || etag == "" {
		return "", before, etag, err
	}
	if err := in.memory.mayReplace(path, hashOf(etag)); err != nil {
		return "", "", "", err
	}
	_, err = in.keepForeign(ctx, path)
	return "", before, etag, err
}

// appendable returns the text and the ETag of a file to which the model may append.
func (in *invocation) appendable(ctx context.Context, path core.ProjectPath) (text, etag string, err error) {
	content, etag, err := in.Read(ctx, path)
	switch {
	case core.IsCode(err, core.CodeNotFound):
		return "", "", core.Errorf(core.CodeNotFound, "there is no %s to append to: write its first part without append", path)
	case err != nil:
		return "", "", err
	case !IsText(content):
		return "", "", core.Errorf(core.CodeUnsupportedFile, "%s is not a text file", path)
	}
	return string(content), etag, in.memory.mayEdit(path, "", hashOf(etag))
}

// replaced returns the text that a write of a whole file replaces, and the file's
// ETag; both are "" if there is no file. The text of a binary file is "", too.
func (in *invocation) replaced(ctx context.Context, path core.ProjectPath) (text, etag string, err error) {
	content, etag, err := in.Read(ctx, path)
	switch {
	case core.IsCode(err, core.CodeNotFound):
		return "", "", nil
	case err != nil:
		return "", "", err
	case !IsText(content):
		return "", etag, nil
	}
	return string(content), etag, nil
}

// inspect is the gate before every write of a tool. given is the content, or the texts of the
// edit, exactly as in the call.
func (in *invocation) inspect(ctx context.Context, write writegate.Write, given string) error {
	write.Confirmed = in.memory.doubted == fingerprint(write.Path.String(), given)
	return writegate.Check(ctx, in.Syntax, write)
}

func renameFile(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	from, err := decodePath(raw, &args, &args.From)
	if err != nil {
		return Result{}, err
	}
	to, err := toolPath(args.To)
	if err != nil {
		return Result{}, err
	}
	if err := in.isFree(ctx, to, "moved"); err != nil {
		return Result{}, err
	}
	return change(ctx, in, core.FileChange{Op: core.OpRename, Path: from, To: to}, "")
}

// isFree returns an error if something already exists at path, so that nothing was done.
func (in *invocation) isFree(ctx context.Context, path core.ProjectPath, done string) error {
	entries, err := in.List(ctx)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if path.Contains(entry.Path) {
			return core.Errorf(core.CodeConflict, "%s already exists, so nothing was %s: choose another name, or delete it first if it is not needed", path, done)
		}
	}
	return nil
}

func deleteFile(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		Path string `json:"path"`
	}
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return Result{}, err
	}
	etag, err := in.keepForeign(ctx, path)
	if err != nil {
		return Result{}, err
	}
	return change(ctx, in, core.FileChange{Op: core.OpDelete, Path: path}, etag)
}

// change makes one change and reports its outcome, with the errors of the build
// afterwards.
func change(ctx context.Context, project Project, c core.FileChange, ifMatch string) (Result, error) {
	if len(c.Content) > maxWriteBytes {
		return Result{}, core.Errorf(core.CodePayloadTooLarge, "the content is larger than %d bytes: split it into files", maxWriteBytes)
	}
	types := typesTag(ctx, project, c.Path)
	applied, err := project.Apply(ctx, c, ifMatch)
	if err != nil {
		return Result{}, err
	}
	shown := c.Path
	if c.Op == core.OpRename {
		shown = c.To
	}
	version := ""
	if c.Op == core.OpWrite {
		version = nowWithHash(applied.ETag)
	}
	result := changedResult(ctx, project, core.FileChanged{Path: shown.String(), Action: applied.Action}, version)
	result.Changed = append(result.Changed, typesChanged(ctx, project, c.Path, types)...)
	return result, nil
}

// changedResult reports a change that was made, with the errors of the build
// afterwards. version tells the hash of a file that was written, "" for other changes.
func changedResult(ctx context.Context, project Project, changed core.FileChanged, version string) Result {
	report, err := buildReport(ctx, project)
	if err != nil {
		// The change was made; only the check of the build failed.
		report = "The build could not be checked: " + MessageOf(err)
	}
	all := []core.FileChanged{changed}
	return Result{
		Text:    fmt.Sprintf("%s %s%s.\n%s", changed.Path, changed.Action, version, schemaReport(ctx, project, all)+report),
		Changed: all,
	}
}

// nowWithHash tells the hash of a file that was just written.
func nowWithHash(etag string) string { return ", now with the hash " + hashOf(etag) }

func decodePath(raw json.RawMessage, into any, path *string) (core.ProjectPath, error) {
	if err := decodeArgs(raw, into); err != nil {
		return core.ProjectPath{}, err
	}
	return toolPath(*path)
}

// toolPath reads a path as models write it: "./x" and "/x" are x, and accents may be
// decomposed.
func toolPath(text string) (core.ProjectPath, error) {
	for {
		shorter := strings.TrimPrefix(strings.TrimPrefix(text, "./"), "/")
		if shorter == text {
			return core.ParsePath(core.NFC(text))
		}
		text = shorter
	}
}
