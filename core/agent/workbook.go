package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// bench is what a tool works at: the project, and what the run remembers of its
// files.
type bench struct {
	Desk
	book *workbook
	// room is how many bytes a result may have.
	room int
}

// workbook is what a run remembers of the files that it works on. It learns
// nothing but what the log has, so that a run that goes on after a crash remembers
// the same.
type workbook struct {
	// versions has by path the hashes that results showed: the newest is what the
	// model knows, those before it are what its own changes led away from.
	versions map[string][]string
	// misses counts by path the edits whose oldText did not fit.
	misses map[string]int
	// doubted is the write that was refused last for what it would lose or leave out.
	doubted [sha256.Size]byte
	// since is when the person sent the message that the run works on.
	since core.Time
	// found has by path the hashes of the files as the run found them, made those of
	// files that its commands changed.
	found, made map[string]string
}

// Names of the tools that a workbook learns from.
const (
	readTool   = "read_file"
	writeTool  = "write_file"
	editTool   = "edit_file"
	renameTool = "rename_file"
	deleteTool = "delete_file"
)

// workbookOf rebuilds a workbook from a chat's log. Versions stay known from one
// run to the next, because their hashes tell whether they still hold.
func workbookOf(history []core.Event) workbook {
	var book workbook
	calls := map[string]core.ToolCall{}
	for _, event := range history {
		switch p := event.Payload.(type) {
		case core.UserMessage:
			book.misses, book.doubted, book.since = nil, [sha256.Size]byte{}, event.CreatedAt
		case core.ToolCall:
			calls[p.ID] = p
		case core.ToolResult:
			book.note(calls[p.ID].Tool, calls[p.ID].Args, p.Result, false)
		case core.ToolError:
			book.note(calls[p.ID].Tool, calls[p.ID].Args, p.Error, true)
		}
	}
	return book
}

// note learns from what a call gave.
func (b *workbook) note(tool string, raw json.RawMessage, text string, failed bool) {
	var args struct {
		Path    string `json:"path"`
		Content string `json:"content"`
		OldText string `json:"oldText"`
		NewText string `json:"newText"`
	}
	// Arguments that do not fit have failed, and name no file.
	_ = json.Unmarshal(raw, &args)
	path := plainPath(args.Path)
	switch {
	case tool == writeTool || tool == editTool:
		given := args.Content
		if tool == editTool {
			given = args.OldText + editSeparator + args.NewText
		}
		b.noteChange(path, given, text, failed)
	case failed:
	case tool == readTool:
		b.showRead(path, shownHash(text))
	case tool == renameTool:
		var moved struct {
			From string `json:"from"`
			To   string `json:"to"`
		}
		_ = json.Unmarshal(raw, &moved)
		b.move(plainPath(moved.From), plainPath(moved.To))
	case tool == deleteTool:
		b.move(path, "")
	}
}

func (b *workbook) noteChange(path, given, text string, failed bool) {
	b.doubted = [sha256.Size]byte{}
	switch {
	case failed && strings.Contains(text, repeatToConfirm):
		b.doubted = fingerprint(path, given)
	case failed && strings.Contains(text, misfit):
		if b.misses == nil {
			b.misses = map[string]int{}
		}
		b.misses[path]++
	case !failed:
		delete(b.misses, path)
		b.showChange(path, shownHash(text))
	}
}

// showRead notes a version that the model has read.
func (b *workbook) showRead(path, hash string) {
	if known := b.versions[path]; hash != "" && (len(known) == 0 || known[len(known)-1] != hash) {
		b.keep(path, []string{hash})
	}
}

// showChange notes the version that the model's own change of a known one made. One
// that nobody showed leaves the model with nothing that it knows.
func (b *workbook) showChange(path, hash string) {
	if hash == "" {
		b.keep(path, nil)
		return
	}
	b.keep(path, append(slices.Clone(b.versions[path]), hash))
}

func (b *workbook) keep(path string, hashes []string) {
	if b.versions == nil {
		b.versions = map[string][]string{}
	}
	b.versions[path] = hashes
}

// move renames a path with all below it; to "" forgets them.
func (b *workbook) move(from, to string) {
	movePaths(b.versions, from, to)
	movePaths(b.found, from, to)
	movePaths(b.made, from, to)
}

func movePaths[T any](at map[string]T, from, to string) {
	moved := map[string]T{}
	for path, value := range at {
		rest, below := strings.CutPrefix(path, from)
		if from == "" || !below || rest != "" && rest[0] != '/' {
			continue
		}
		delete(at, path)
		if to != "" {
			moved[to+rest] = value
		}
	}
	maps.Copy(at, moved)
}

// mayEdit tells whether an edit that names a hash, or none, begins at the version
// that the file now has. A hash that only the model's own changes have left behind
// counts as the newest.
func (b *workbook) mayEdit(path core.ProjectPath, named, current string) error {
	known := b.versions[path.String()]
	upToDate := len(known) > 0 && known[len(known)-1] == current
	switch {
	case named == current, upToDate && (named == "" || slices.Contains(known, named)):
		return nil
	case named == "" && len(known) == 0:
		return core.Errorf(core.CodePreconditionFailed,
			"read %s with %s before you edit it, or give the hash of the version that you know; the file's hash is %s", path, readTool, current)
	}
	return changedSince(path)
}

// mayReplace tells whether a file may be written whole: not when somebody has
// changed it since the model saw it.
func (b *workbook) mayReplace(path core.ProjectPath, current string) error {
	if known := b.versions[path.String()]; len(known) > 0 && known[len(known)-1] != current {
		return changedSince(path)
	}
	return nil
}

// isForeign reports whether a file is as somebody other than the model left it while
// the run was under way, and the model has not read it.
func (b *workbook) isForeign(entry core.FileEntry) bool {
	path, current := entry.Path.String(), hashOf(entry.ETag)
	known := b.versions[path]
	return b.found[path] != current && b.made[path] != current && (len(known) == 0 || known[len(known)-1] != current)
}

// findFiles notes the files as they are when a run begins. Of one that goes on after a
// crash those that changed since its message are left out: nobody knows by whom.
func (b *bench) findFiles(ctx context.Context, goesOn bool) {
	b.book.found = map[string]string{}
	entries, err := b.List(ctx)
	if err != nil {
		// Every file counts as somebody else's until it is read.
		return
	}
	for _, entry := range entries {
		if !goesOn || entry.UpdatedAt < b.book.since {
			b.book.found[entry.Path.String()] = hashOf(entry.ETag)
		}
	}
}

// keepForeign refuses to lose a file, or the files in a directory, of which the model
// does not know what somebody else just wrote there. It returns the ETag of a file, ""
// of a directory.
func (b *bench) keepForeign(ctx context.Context, path core.ProjectPath) (etag string, err error) {
	entries, err := b.List(ctx)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if path.Contains(entry.Path) && b.book.isForeign(entry) {
			return "", changedMeanwhile(entry.Path)
		}
		if path == entry.Path {
			etag = entry.ETag
		}
	}
	return etag, nil
}

// noteMade notes files as a command left them: what the model's own commands wrote is
// nobody else's. What cannot be noted counts as somebody else's.
func (b *bench) noteMade(ctx context.Context, changed []core.FileChanged) {
	if len(changed) == 0 {
		return
	}
	entries, err := b.List(ctx)
	if err != nil {
		return
	}
	current := map[string]string{}
	for _, entry := range entries {
		current[entry.Path.String()] = hashOf(entry.ETag)
	}
	if b.book.made == nil {
		b.book.made = map[string]string{}
	}
	for _, file := range changed {
		b.book.made[file.Path] = current[file.Path]
	}
}

func changedMeanwhile(path core.ProjectPath) error {
	return core.Errorf(core.CodePreconditionFailed,
		"somebody has changed %s since you were asked, and you have not read it, so nothing was done: read it, and keep what others wrote; leave it alone if it cannot be read", path)
}

func changedSince(path core.ProjectPath) error {
	return core.Errorf(core.CodePreconditionFailed, "%s has changed since it was read: read it again, and keep what others changed", path)
}

func plainPath(text string) string {
	path, err := toolPath(text)
	if err != nil {
		return ""
	}
	return path.String()
}

var hashShown = regexp.MustCompile(`\bhash ([0-9A-Za-z]+)`)

// shownHash returns the hash that the first line of a result names, "" when it
// names none.
func shownHash(result string) string {
	head, _, _ := strings.Cut(result, "\n")
	shown := hashShown.FindAllStringSubmatch(head, -1)
	if len(shown) == 0 {
		return ""
	}
	return shown[len(shown)-1][1]
}

// hashOf is an ETag without its quotes: models copy it more reliably.
func hashOf(etag string) string { return strings.Trim(etag, "\"'`., \t\n") }

// editSeparator stands between the two texts of an edit in what it is told by.
const editSeparator = "\x00"

// fingerprint tells one write from another.
func fingerprint(path, content string) [sha256.Size]byte {
	return sha256.Sum256([]byte(path + "\x00" + content))
}
