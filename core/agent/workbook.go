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

// bench is what a tool works with: the project, and what the run remembers of its
// files.
type bench struct {
	Desk
	book *workbook
	// room is how many bytes a result may have.
	room int
}

// workbook is what a run remembers of the files that it works on. It learns only from
// the log, so that a run that resumes after a crash remembers the same.
type workbook struct {
	// versions has, by path, the hashes that results showed. The newest is the version
	// that the model knows; its own changes replaced those before it.
	versions map[string][]string
	// misses counts, by path, the edits whose oldText did not match.
	misses map[string]int
	// doubted is the fingerprint of the write that was last refused for a loss or an
	// elision.
	doubted [sha256.Size]byte
	// since is when the person sent the message that the run works on.
	since core.Time
	// found has, by path, the hashes of the files when the run began; made has those
	// of files that its commands changed.
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

// workbookOf rebuilds a workbook from a chat's log. Versions stay known from one run
// to the next, because their hashes tell whether they are still current.
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

// note learns from the result of a call.
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

// showChange notes the version that the model's own change made of a version that it
// knew. A change of a version that it did not know leaves it without a known version.
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

// move renames a path with everything below it; with to "" it forgets them.
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

// mayEdit returns an error unless an edit that names a hash, or none, is based on the
// file's current version (optimistic locking). A hash that only the model's own
// changes replaced counts as current.
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

// mayReplace returns an error if somebody has changed the file since the model saw it:
// then it must not be written whole.
func (b *workbook) mayReplace(path core.ProjectPath, current string) error {
	if known := b.versions[path.String()]; len(known) > 0 && known[len(known)-1] != current {
		return changedSince(path)
	}
	return nil
}

// isForeign reports whether somebody else wrote the file's current version during the
// run and the model has not read it.
func (b *workbook) isForeign(entry core.FileEntry) bool {
	path, current := entry.Path.String(), hashOf(entry.ETag)
	known := b.versions[path]
	return b.found[path] != current && b.made[path] != current && (len(known) == 0 || known[len(known)-1] != current)
}

// findFiles notes the state of the files when a run begins. For a run that resumes
// after a crash it leaves out files that changed since its message: nobody knows by
// whom.
func (b *workbook) findFiles(ctx context.Context, files Shelf, goesOn bool) {
	b.found = map[string]string{}
	entries, err := files.List(ctx)
	if err != nil {
		// Every file counts as somebody else's until it is read.
		return
	}
	for _, entry := range entries {
		if !goesOn || entry.UpdatedAt < b.since {
			b.found[entry.Path.String()] = hashOf(entry.ETag)
		}
	}
}

// keepForeign returns an error if a file, or one in a directory, has a version by
// somebody else that the model has not read, so that the model does not delete it. It
// returns the ETag of a file, "" for a directory.
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

// noteMade notes the state in which a command left files, because the model's own
// commands wrote them. A file that cannot be noted counts as somebody else's.
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

// shownHash returns the hash in the first line of a result, "" if there is none.
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

// editSeparator separates the two texts of an edit in its fingerprint.
const editSeparator = "\x00"

// fingerprint identifies a write.
func fingerprint(path, content string) [sha256.Size]byte {
	return sha256.Sum256([]byte(path + "\x00" + content))
}
