package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/fsfile"
	"github.com/atelierhq/atelier/adapters/internal/nofollow"
)

var (
	_ fs.ReadFileFS = view{}
	_ fs.ReadDirFS  = view{}
	_ fs.StatFS     = view{}
)

// FS implements worktree.Tree.
func (t *tree) FS() fs.FS { return view{t.base} }

// view is a tree as an fs.FS.
type view struct{ base string }

// Open implements fs.FS. It costs two system calls, because searches open every file of a
// project.
func (v view) Open(name string) (fs.File, error) {
	local, err := localName("open", name)
	if err != nil {
		return nil, err
	}
	fd, stat, err := nofollow.OpenAny(v.base, local)
	if err != nil {
		return nil, viewError("open", name, err)
	}
	info := viewedInfo{path.Base(name), stat}
	if !info.IsDir() {
		return &viewedFile{fd: fd, info: info}, nil
	}
	entries, err := v.entries(fd, name)
	if err != nil {
		return nil, err
	}
	return fsfile.NewDir(info, entries), nil
}

// ReadFile implements fs.ReadFileFS.
func (v view) ReadFile(name string) ([]byte, error) {
	local, err := localName("read", name)
	if err != nil {
		return nil, err
	}
	fd, stat, err := nofollow.OpenRegular(v.base, local)
	if err != nil {
		return nil, viewError("read", name, err)
	}
	defer unix.Close(fd)
	content, err := readAll(fd, stat.Size)
	if err != nil {
		return nil, viewError("read", name, err)
	}
	return content, nil
}

// Stat implements fs.StatFS.
func (v view) Stat(name string) (fs.FileInfo, error) {
	local, err := localName("stat", name)
	if err != nil {
		return nil, err
	}
	stat, err := nofollow.Stat(v.base, local)
	if err != nil {
		return nil, viewError("stat", name, err)
	}
	return viewedInfo{path.Base(name), stat}, nil
}

// ReadDir implements fs.ReadDirFS.
func (v view) ReadDir(name string) ([]fs.DirEntry, error) {
	local, err := localName("readdir", name)
	if err != nil {
		return nil, err
	}
	fd, err := nofollow.Open(v.base, local, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, viewError("readdir", name, err)
	}
	return v.entries(fd, name)
}

// entries lists an open directory, sorted by name, and closes it.
func (v view) entries(fd int, name string) ([]fs.DirEntry, error) {
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	found, err := dir.ReadDir(-1)
	if err != nil {
		return nil, viewError("readdir", name, err)
	}
	entries := make([]fs.DirEntry, 0, len(found))
	for _, entry := range found {
		if (entry.Type().IsRegular() || entry.IsDir()) && !isRepository(entry.Name()) {
			entries = append(entries, viewedEntry{v, path.Join(name, entry.Name()), entry.Type()})
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// localName converts a name of the view to a path below the tree's root.
func localName(op, name string) (string, error) {
	if !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if name == "." {
		return "", nil
	}
	for segment := range strings.SplitSeq(name, "/") {
		if isRepository(segment) {
			return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
	}
	return name, nil
}

func isRepository(segment string) bool { return strings.EqualFold(segment, ".git") }

// viewError converts a failure to the errors that readers of an fs.FS expect. A missing
// file, and one behind a link, is fs.ErrNotExist.
func viewError(op, name string, err error) error {
	var number unix.Errno
	if !errors.As(err, &number) || nofollow.IsAbsence(err) {
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// readAll reads a file that had size bytes when it was opened, and may have grown since.
func readAll(fd int, size int64) ([]byte, error) {
	content := make([]byte, 0, size+1)
	for {
		if len(content) == cap(content) {
			content = slices.Grow(content, 4096)
		}
		var n int
		err := durable.Retried(func() (err error) {
			n, err = unix.Read(fd, content[len(content):cap(content)])
			return err
		})
		if n <= 0 || err != nil {
			return content, err
		}
		content = content[:len(content)+n]
	}
}

type viewedInfo struct {
	name string
	stat unix.Stat_t
}

// Name implements fs.FileInfo.
func (i viewedInfo) Name() string { return i.name }

// ModTime implements fs.FileInfo.
func (i viewedInfo) ModTime() time.Time { return time.Unix(i.stat.Mtim.Unix()) }

// IsDir implements fs.FileInfo.
func (i viewedInfo) IsDir() bool { return nofollow.IsDir(i.stat) }

// Sys implements fs.FileInfo.
func (i viewedInfo) Sys() any { return nil }

// Size implements fs.FileInfo.
func (i viewedInfo) Size() int64 { return i.stat.Size }

// Mode implements fs.FileInfo.
func (i viewedInfo) Mode() fs.FileMode {
	mode := fs.FileMode(i.stat.Mode & 0o777)
	if i.IsDir() {
		mode |= fs.ModeDir
	}
	return mode
}

// viewedFile is a regular file without the overhead of os.File, because a search opens
// thousands of files and polls none. One goroutine uses it at a time.
type viewedFile struct {
	fd   int
	info viewedInfo
}

// Stat describes the file as it was when it was opened.
func (f *viewedFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Read implements fs.File.
func (f *viewedFile) Read(to []byte) (n int, err error) {
	if f.fd < 0 {
		return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: fs.ErrClosed}
	}
	if len(to) == 0 {
		return 0, nil
	}
	err = durable.Retried(func() (err error) {
		n, err = unix.Read(f.fd, to)
		return err
	})
	switch {
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: err}
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Close implements fs.File.
func (f *viewedFile) Close() error {
	if f.fd < 0 {
		return &fs.PathError{Op: "close", Path: f.info.name, Err: fs.ErrClosed}
	}
	err := unix.Close(f.fd)
	f.fd = -1
	return err
}

// viewedEntry describes its file through the view, which follows no link.
type viewedEntry struct {
	view view
	path string
	mode fs.FileMode
}

// Name implements fs.DirEntry.
func (e viewedEntry) Name() string { return path.Base(e.path) }

// IsDir implements fs.DirEntry.
func (e viewedEntry) IsDir() bool { return e.mode.IsDir() }

// Type implements fs.DirEntry.
func (e viewedEntry) Type() fs.FileMode { return e.mode }

// Info implements fs.DirEntry.
func (e viewedEntry) Info() (fs.FileInfo, error) { return e.view.Stat(e.path) }
