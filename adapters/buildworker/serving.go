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

// What the service reads of a project for one question, in bytes.
const (
	// maxFileBytes is the largest file that a worker gets. It is what a builder
	// copies at most.
	maxFileBytes = 64 << 20
	// maxBatchBytes bounds the files that travel beside the one that was asked for,
	// maxBesideBytes one of them.
	maxBatchBytes  = 1 << 20
	maxBesideBytes = 128 << 10
	// maxKnown is the largest directory of which all files are looked at, by number
	// of entries.
	maxKnown = 1000
	// maxAheadDirs and maxAheadBytes bound what travels before anybody asks.
	maxAheadDirs  = 500
	maxAheadBytes = 8 << 20
)

// serving answers what a worker asks of one request's sources. It is used by one
// goroutine.
type serving struct {
	files  fs.FS
	shared *contents
	// dirs are the entries that the worker knows, sent the files that it has.
	dirs map[string][]entry
	sent map[string]bool
	// kept are contents that may come back in the result.
	kept [][]byte
}

// newServing returns what answers about files; nil is a project without any.
func newServing(files fs.FS, shared *contents) *serving {
	if files == nil {
		files = noFiles{}
	}
	return &serving{files: files, shared: shared, dirs: make(map[string][]entry), sent: make(map[string]bool)}
}

// noFiles has no file.
type noFiles struct{}

// Open implements fs.FS.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// answer returns the reply to a question.
func (s *serving) answer(kind frameKind, name string) [][]byte {
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

func (s *serving) stat(name string) [][]byte {
	found, err := fs.Stat(s.files, name)
	if err != nil {
		return [][]byte{appendError(nil, err)}
	}
	return [][]byte{entryOf(found).appendTo([]byte{replyDone})}
}

// list answers with the entries of a directory.
func (s *serving) list(name string) [][]byte {
	entries, err := s.enter(name)
	if err != nil {
		return [][]byte{appendError(nil, err)}
	}
	return [][]byte{appendEntries([]byte{replyDone}, entries)}
}

// enter reads a directory. A name that is not UTF-8 is none that a project can have.
func (s *serving) enter(name string) ([]entry, error) {
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

// look returns what the worker is told of a directory's entry. What a link leads to,
// and what could not be looked at, it asks for when it needs that.
func look(one fs.DirEntry, closely bool) entry {
	if closely && one.Type()&fs.ModeSymlink == 0 {
		if found, err := one.Info(); err == nil {
			return entryOf(found)
		}
	}
	return entry{name: one.Name(), mode: one.Type()}
}

// read answers with a file, and with the sources beside it, which a build is about
// to ask for.
func (s *serving) read(name string) [][]byte {
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

// sources adds the sources among a directory's entries that the worker has not got
// yet, as far as there is room, and returns what room is left, in bytes.
func (s *serving) sources(parts [][]byte, dir string, entries []entry, room int64) ([][]byte, int64) {
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

// ahead returns what a build begins with: the directories of the project, those near
// to its root first, and the sources in them. All that is not there is asked for.
func (s *serving) ahead() [][]byte {
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

// isAside tells directories that builds do not look into.
func isAside(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "dist" || name == "build"
}

// content reads a file.
func (s *serving) content(name string) ([]byte, error) {
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

// isSource tells what builds read, to parse it or to look for class names in it, from
// what they copy.
func isSource(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".css", ".json", ".html", ".vue", ".svelte",
		".md", ".mdx", ".txt", ".svg", ".yaml", ".yml", ".toml", ".gitignore":
		return true
	}
	return false
}
