package buildworker

import (
	"bytes"
	"io/fs"
	"path"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/fsfile"
)

// remoteFiles is the worker's view of the sources of one request, as a file system. It caches
// every answer, so that a build sees every directory at one moment.
type remoteFiles struct {
	ask func(frameKind, string) ([]byte, error)

	mu    sync.Mutex // one question is asked at a time
	dirs  map[string]listing
	stats map[string]lookupResult
	// files arrived with others and were not read yet.
	files map[string][]byte
}

type listing struct {
	entries []fs.DirEntry
	by      map[string]entry
	err     error
}

type lookupResult struct {
	entry entry
	err   error
}

var (
	_ fs.ReadFileFS = (*remoteFiles)(nil)
	_ fs.ReadDirFS  = (*remoteFiles)(nil)
	_ fs.StatFS     = (*remoteFiles)(nil)
)

// newRemote returns the sources of a request. ahead is known in advance (serving.ahead);
// for everything else it asks. ask returns a whole reply.
func newRemote(ahead []byte, ask func(frameKind, string) ([]byte, error)) (*remoteFiles, error) {
	r := &remoteFiles{ask: ask, dirs: make(map[string]listing), stats: make(map[string]lookupResult), files: make(map[string][]byte)}
	known := &reader{left: ahead}
	for left := known.number(); left > 0 && !known.broken; left-- {
		name := string(known.text())
		r.dirs[name] = r.listing(name, known)
	}
	r.keep(known)
	return r, known.end()
}

// keep copies files that were sent in advance. A slice of the message would keep the
// whole message in memory.
func (r *remoteFiles) keep(from *reader) {
	for len(from.left) > 0 {
		name := string(from.text())
		r.files[name] = bytes.Clone(from.text())
	}
}

// close waits for the answer to an open question and prevents further ones: after that,
// the service answers questions about another request.
func (r *remoteFiles) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ask = func(frameKind, string) ([]byte, error) { return nil, fs.ErrClosed }
}

// Stat implements fs.StatFS.
func (r *remoteFiles) Stat(name string) (fs.FileInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, err := r.stat(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return info{e}, nil
}

func (r *remoteFiles) stat(name string) (entry, error) {
	if !fs.ValidPath(name) {
		return entry{}, fs.ErrInvalid
	}
	if name == "." && r.list(name).err == nil {
		return entry{name: name, mode: fs.ModeDir | 0o755, known: true}, nil
	}
	if name != "." {
		dir := r.list(path.Dir(name))
		if dir.err != nil {
			return entry{}, dir.err
		}
		e, there := dir.by[path.Base(name)]
		if !there {
			return entry{}, fs.ErrNotExist
		}
		if e.known {
			return e, nil
		}
	}
	known, asked := r.stats[name]
	if !asked {
		known.entry, known.err = r.askStat(name)
		r.stats[name] = known
	}
	return known.entry, known.err
}

func (r *remoteFiles) askStat(name string) (entry, error) {
	reply, err := r.reply(askStat, name)
	if err != nil {
		return entry{}, err
	}
	e := reply.entry()
	return e, reply.end()
}

// ReadDir implements fs.ReadDirFS.
func (r *remoteFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := listing{err: fs.ErrInvalid}
	if fs.ValidPath(name) {
		dir = r.list(name)
	}
	if dir.err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: dir.err}
	}
	return append([]fs.DirEntry(nil), dir.entries...), nil
}

func (r *remoteFiles) list(name string) listing {
	dir, asked := r.dirs[name]
	if !asked && r.lacks(name) {
		return listing{err: fs.ErrNotExist}
	}
	if !asked {
		dir = r.askList(name)
		r.dirs[name] = dir
	}
	return dir
}

// lacks reports whether the parent directory of name is known to have no entry for it.
func (r *remoteFiles) lacks(name string) bool {
	above, known := r.dirs[path.Dir(name)]
	if !known || above.err != nil || name == "." {
		return false
	}
	_, there := above.by[path.Base(name)]
	return !there
}

func (r *remoteFiles) askList(name string) listing {
	reply, err := r.reply(askList, name)
	if err != nil {
		return listing{err: err}
	}
	dir := r.listing(name, reply)
	dir.err = reply.end()
	return dir
}

func (r *remoteFiles) listing(name string, from *reader) listing {
	dir := listing{by: make(map[string]entry)}
	for left := from.number(); left > 0 && !from.broken; left-- {
		e := from.entry()
		dir.by[e.name] = e
		dir.entries = append(dir.entries, listedEntry{info{e}, r, path.Join(name, e.name)})
	}
	return dir
}

// listedEntry is an entry of a directory. It is looked up on demand.
type listedEntry struct {
	info
	from *remoteFiles
	path string
}

// Info implements fs.DirEntry.
func (l listedEntry) Info() (fs.FileInfo, error) {
	if l.known {
		return l.info, nil
	}
	return l.from.Stat(l.path)
}

// ReadFile implements fs.ReadFileFS.
func (r *remoteFiles) ReadFile(name string) ([]byte, error) {
	content, err := r.read(name)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return content, nil
}

// read returns a file that no other caller holds: one that was sent in advance, or else
// one that it asks the service for.
func (r *remoteFiles) read(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if content, there := r.files[name]; there {
		delete(r.files, name)
		return content, nil
	}
	reply, err := r.reply(askRead, name)
	if err != nil {
		return nil, err
	}
	if asked := string(reply.text()); asked != name {
		return nil, errProtocol
	}
	content := reply.text()
	if len(reply.left) > 0 {
		content = bytes.Clone(content)
	}
	r.keep(reply)
	return content, reply.end()
}

// reply asks, and returns the content of a reply that is no error.
func (r *remoteFiles) reply(kind frameKind, name string) (*reader, error) {
	body, err := r.ask(kind, name)
	if err != nil {
		return nil, err
	}
	reply := &reader{left: body}
	return reply, reply.replyErr()
}

// end checks that a reply was as long as it should be.
func (r *reader) end() error {
	if r.broken || len(r.left) > 0 {
		return errProtocol
	}
	return nil
}

// Open implements fs.FS.
func (r *remoteFiles) Open(name string) (fs.File, error) {
	stat, err := r.Stat(name)
	if err != nil {
		return nil, err
	}
	if stat.IsDir() {
		entries, err := r.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return fsfile.NewDir(stat, entries), nil
	}
	content, err := r.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return fsfile.NewFile(stat, content), nil
}
