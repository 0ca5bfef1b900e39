package tools

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/writegate"
	"github.com/atelierhq/atelier/ports/ai"
)

// fileMemory is a run's memory of the files that it works on. It learns only from
// the log, so that a run that resumes after a crash remembers the same.
type fileMemory struct {
	// versions has, by path, the hashes that results showed. The newest is the version
	// that the model knows; its own changes replaced those before it.
	versions map[string][]string
	// doubted is the fingerprint of the write that was last refused for a loss or an
	// elision.
	doubted [sha256.Size]byte
	// hosts are those that the person's messages name, fetches the pages that the run has read.
	hosts   []string
	fetches int
	// connectors and pages are where text of strangers came from (sources).
	connectors, pages []string
	// paintings are the pictures that the run has asked for.
	paintings int
	// since is when the person sent the message that the run works on.
	since core.Time
	// found has, by path, the hashes of the files when the run began; made has those
	// of files that its commands changed.
	found, made map[string]string
}

// Names of the tools that a fileMemory learns from.
const (
	readTool   = "read_file"
	writeTool  = "write_file"
	EditTool   = "edit_file"
	renameTool = "rename_file"
	deleteTool = "delete_file"
)

// memoryOf rebuilds a fileMemory from a chat's log. Versions stay known from one run
// to the next, because their hashes tell whether they are still current.
func memoryOf(history []core.Event) fileMemory {
	var memory fileMemory
	calls := map[string]core.ToolCall{}
	for _, event := range history {
		switch p := event.Payload.(type) {
		case core.UserMessage:
			memory.doubted, memory.since, memory.fetches = [sha256.Size]byte{}, event.CreatedAt, 0
			memory.paintings = 0
			memory.hosts = append(memory.hosts, hostsNamed(p.Text)...)
			memory.hosts = memory.hosts[max(0, len(memory.hosts)-maxNamedHosts):]
		case core.ToolCall:
			calls[p.ID] = p
		case core.ToolResult:
			memory.note(calls[p.ID].Tool, calls[p.ID].Args, p.Result, false)
		case core.ToolError:
			memory.note(calls[p.ID].Tool, calls[p.ID].Args, p.Error, true)
		}
	}
	return memory
}

// note learns from the result of a call.
func (m *fileMemory) note(tool string, raw json.RawMessage, text string, failed bool) {
	var args struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	// Arguments that do not fit have failed, and name no file.
	_ = json.Unmarshal(raw, &args)
	path := plainPath(args.Path)
	m.noteSource(tool, raw, text)
	switch {
	case tool == fetchTool:
		m.fetches++
	case tool == PaintTool:
		m.paintings++
	case tool == writeTool || tool == EditTool:
		given := args.Content
		if tool == EditTool {
			given = givenIn(raw)
		}
		m.noteChange(path, given, text, failed)
	case failed:
	case tool == readTool:
		m.showRead(path, shownHash(text))
	case tool == renameTool:
		var moved struct {
			From string `json:"from"`
			To   string `json:"to"`
		}
		_ = json.Unmarshal(raw, &moved)
		m.move(plainPath(moved.From), plainPath(moved.To))
	case tool == deleteTool:
		m.move(path, "")
	}
}

func (m *fileMemory) noteChange(path, given, text string, failed bool) {
	m.doubted = [sha256.Size]byte{}
	switch {
	case failed && strings.Contains(text, writegate.RepeatToConfirm):
		m.doubted = fingerprint(path, given)
	case !failed:
		m.showChange(path, shownHash(text))
	}
}

// showRead notes a version that the model has read.
func (m *fileMemory) showRead(path, hash string) {
	if known := m.versions[path]; hash != "" && (len(known) == 0 || known[len(known)-1] != hash) {
		m.keep(path, []string{hash})
	}
}

// showChange notes the version that the model's own change made of a version that it
// knew. A change of a version that it did not know leaves it without a known version.
func (m *fileMemory) showChange(path, hash string) {
	if hash == "" {
		m.keep(path, nil)
		return
	}
	m.keep(path, append(slices.Clone(m.versions[path]), hash))
}

func (m *fileMemory) keep(path string, hashes []string) {
	if m.versions == nil {
		m.versions = map[string][]string{}
	}
	m.versions[path] = hashes
}

// move renames a path with everything below it; with to "" it forgets them.
func (m *fileMemory) move(from, to string) {
	movePaths(m.versions, from, to)
	movePaths(m.found, from, to)
	movePaths(m.made, from, to)
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
func (m *fileMemory) mayEdit(path core.ProjectPath, named, current string) error {
	known := m.versions[path.String()]
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
func (m *fileMemory) mayReplace(path core.ProjectPath, current string) error {
	if known := m.versions[path.String()]; len(known) > 0 && known[len(known)-1] != current {
		return changedSince(path)
	}
	return nil
}

// isForeign reports whether somebody else wrote the file's current version during the
// run and the model has not read it.
func (m *fileMemory) isForeign(entry core.FileEntry) bool {
	path, current := entry.Path.String(), hashOf(entry.ETag)
	known := m.versions[path]
	return m.found[path] != current && m.made[path] != current && (len(known) == 0 || known[len(known)-1] != current)
}

// findFiles notes the state of the files when a run begins. For a run that resumes
// after a crash it leaves out files that changed since its message: nobody knows by
// whom.
func (m *fileMemory) findFiles(ctx context.Context, files Files, goesOn bool) {
	m.found = map[string]string{}
	entries, err := files.List(ctx)
	if err != nil {
		// Every file counts as somebody else's until it is read.
		return
	}
	for _, entry := range entries {
		if !goesOn || entry.UpdatedAt < m.since {
			m.found[entry.Path.String()] = hashOf(entry.ETag)
		}
	}
}

// keepForeign returns an error if a file, or one in a directory, has a version by
// somebody else that the model has not read, so that the model does not delete it. It
// returns the ETag of a file, "" for a directory.
func (in *invocation) keepForeign(ctx context.Context, path core.ProjectPath) (etag string, err error) {
	entries, err := in.List(ctx)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if path.Contains(entry.Path) && in.memory.isForeign(entry) {
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
func (in *invocation) noteMade(ctx context.Context, changed []core.FileChanged) {
	if len(changed) == 0 {
		return
	}
	entries, err := in.List(ctx)
	if err != nil {
		return
	}
	current := map[string]string{}
	for _, entry := range entries {
		current[entry.Path.String()] = hashOf(entry.ETag)
	}
	if in.memory.made == nil {
		in.memory.made = map[string]string{}
	}
	for _, file := range changed {
		in.memory.made[file.Path] = current[file.Path]
	}
}

func changedMeanwhile(path core.ProjectPath) error {
	return core.Errorf(core.CodePreconditionFailed,
		"%s has been changed since you were asked, and you have not read it, so nothing was done: read it, and keep the others' changes; leave it alone if it cannot be read", path)
}

func changedSince(path core.ProjectPath) error {
	return core.Errorf(core.CodePreconditionFailed, "%s has changed since it was read: read it again, and keep the others' changes", path)
}

func plainPath(text string) string {
	path, err := toolPath(text)
	if err != nil {
		return ""
	}
	return path.String()
}

// Subject is the file that a call is about, and the part of it; "" is all of it.
type Subject struct{ Path, Part string }

// SubjectOf returns the path that a call names, and its range of lines.
func SubjectOf(call ai.Call) Subject {
	var args struct {
		Path string          `json:"path"`
		From json.RawMessage `json:"from"`
		To   json.RawMessage `json:"to"`
	}
	// Arguments of any other form name no path. That of a request is no file's.
	if call.Tool == requestTool || json.Unmarshal(call.Args, &args) != nil || args.Path == "" {
		return Subject{}
	}
	about := Subject{Path: plainPath(args.Path)}
	if call.Tool == readTool && len(args.From)+len(args.To) > 0 {
		about.Part = "\x00" + string(args.From) + "-" + string(args.To)
	}
	return about
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

// givenIn returns the texts of a call of edit_file.
func givenIn(raw json.RawMessage) string {
	var call editCall
	// Arguments that do not fit have failed.
	_ = json.Unmarshal(raw, &call)
	return call.given()
}

// editSeparator separates the texts of an edit in its fingerprint.
const editSeparator = "\x00"

// fingerprint identifies a write.
func fingerprint(path, content string) [sha256.Size]byte {
	return sha256.Sum256([]byte(path + "\x00" + content))
}
