package buildworker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// Bounds on what the service reads of a project for one question, in bytes.
const (
	// maxFileBytes is the largest file that a worker gets. It equals the largest file
	// that a builder copies.
	maxFileBytes = 64 << 20
	// maxBatchBytes bounds the files that are sent along with a requested file;
	// maxBesideBytes bounds each of them.
	maxBatchBytes  = 1 << 20
	maxBesideBytes = 128 << 10
	// maxKnown is the number of entries of the largest directory in which every entry is
	// looked up.
	maxKnown = 1000
	// maxAheadDirs and maxAheadBytes bound what is sent in advance.
	maxAheadDirs  = 500
	maxAheadBytes = 8 << 20
)

// requestEnv answers a worker's questions about one request's sources. One goroutine uses
// it.
type requestEnv struct {
	files  fs.FS
	shared *contents
	// dirs are the entries that the worker knows; sent are the files that it has.
	dirs map[string][]entry
	sent map[string]bool
	// kept are contents that may return in the result.
	kept [][]byte
}

// newServing returns the answers about files; nil is a project without files.
func newServing(files fs.FS, shared *contents) *requestEnv {
	if files == nil {
		files = noFiles{}
	}
	return &requestEnv{files: files, shared: shared, dirs: make(map[string][]entry), sent: make(map[string]bool)}
}

// noFiles is an empty file system.
type noFiles struct{}

// Open implements fs.FS.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// answer returns the reply to a question.
func (s *requestEnv) answer(kind frameKind, name string) [][]byte {
	if !fs.ValidPath(name) {
		return [][]byte{{replyInvalid}}
	}
	switch kind {
	case askStat:
		return s.stat(name)
	case askList:
		return s.list(name)
	}
	return s.read(name)
}

func (s *requestEnv) stat(name string) [][]byte {
	found, err := fs.Stat(s.files, name)
	if err != nil {
		return [][]byte{appendError(nil, err)}
	}
	return [][]byte{entryOf(found).appendTo([]byte{replyDone})}
}

// list answers with the entries of a directory.
func (s *requestEnv) list(name string) [][]byte {
	entries, err := s.enter(name)
	if err != nil {
		return [][]byte{appendError(nil, err)}
	}
	return [][]byte{appendEntries([]byte{replyDone}, entries)}
}

// enter reads a directory. It leaves out names that are not UTF-8, which a project cannot
// have.
func (s *requestEnv) enter(name string) ([]entry, error) {
	found, err := fs.ReadDir(s.files, name)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(found))
	for _, one := range found {
		if utf8.ValidString(one.Name()) {
			entries = append(entries, look(one, len(found) <= maxKnown))
		}
	}
	s.dirs[name] = entries
	return entries, nil
}

func appendEntries(text []byte, entries []entry) []byte {
	text = binary.AppendUvarint(text, uint64(len(entries)))
	for _, one := range entries {
		text = one.appendTo(text)
	}
	return text
}

// look describes an entry of a directory to the worker. The worker asks for the target of
// a link, and for an entry that could not be looked up, when it needs it.
func look(one fs.DirEntry, closely bool) entry {
	if closely && one.Type()&fs.ModeSymlink == 0 {
		if found, err := one.Info(); err == nil {
			return entryOf(found)
		}
	}
	return entry{name: one.Name(), mode: one.Type()}
}

// read answers with a file, and with the sources beside it, which a build is about to ask
// for.
func (s *requestEnv) read(name string) [][]byte {
	content, err := s.content(name)
	if err != nil {
		return [][]byte{appendError(nil, err)}
	}
	reply := appendFile([][]byte{{replyDone}}, name, content)
	if isSource(name) {
		s.sent[name] = true
		dir := path.Dir(name)
		reply, _ = s.sources(reply, dir, s.dirs[dir], maxBatchBytes)
	} else if len(content) >= minShared {
		s.kept = append(s.kept, s.shared.share(content, fingerprintOf(content)))
	}
	return reply
}

// sources adds the sources among a directory's entries that the worker does not have yet,
// as long as there is room. It returns the remaining room in bytes.
func (s *requestEnv) sources(parts [][]byte, dir string, entries []entry, room int64) ([][]byte, int64) {
	for _, one := range entries {
		name := path.Join(dir, one.name)
		if !one.known || !one.mode.IsRegular() || !isSource(name) || s.sent[name] || one.size > min(maxBesideBytes, room) {
			continue
		}
		content, err := fs.ReadFile(s.files, name)
		if err != nil || len(content) > maxBesideBytes {
			continue // the worker is told when it asks
		}
		s.sent[name] = true
		room -= int64(len(content))
		parts = appendFile(parts, name, content)
	}
	return parts, room
}

func appendFile(parts [][]byte, name string, content []byte) [][]byte {
	return append(parts, binary.AppendUvarint(appendText(nil, name), uint64(len(content))), content)
}

// ahead returns what is sent in advance of a build: the directories of the project, the
// shallowest first, and the sources in them. The worker asks for everything else.
func (s *requestEnv) ahead() [][]byte {
	var dirs []byte
	var files [][]byte
	count, room := 0, int64(maxAheadBytes)
	for queue := []string{"."}; len(queue) > 0 && count < maxAheadDirs; queue = queue[1:] {
		entries, err := s.enter(queue[0])
		if err != nil {
			continue
		}
		count++
		dirs = appendEntries(appendText(dirs, queue[0]), entries)
		files, room = s.sources(files, queue[0], entries, room)
		for _, one := range entries {
			if one.mode.IsDir() && !isAside(one.name) {
				queue = append(queue, path.Join(queue[0], one.name))
			}
		}
	}
	head := binary.AppendUvarint(nil, uint64(count))
	return append([][]byte{append(head, dirs...)}, files...)
}

// isAside reports whether builds ignore a directory.
func isAside(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "dist" || name == "build"
}

// content reads a file.
func (s *requestEnv) content(name string) ([]byte, error) {
	found, err := fs.Stat(s.files, name)
	if err != nil {
		return nil, err
	}
	if found.Size() > maxFileBytes {
		return nil, tooLarge(name)
	}
	content, err := fs.ReadFile(s.files, name)
	if err == nil && len(content) > maxFileBytes {
		err = tooLarge(name)
	}
	return content, err
}

func tooLarge(name string) error {
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: it is larger than %d bytes", errors.ErrUnsupported, maxFileBytes)}
}

// isSource distinguishes files that builds parse or search for class names from files
// that they copy.
func isSource(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".css", ".json", ".html", ".vue", ".svelte",
		".md", ".mdx", ".txt", ".svg", ".yaml", ".yml", ".toml", ".gitignore":
		return true
	}
	return false
}
