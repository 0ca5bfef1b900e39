// Package fsfile has the open files of an fs.FS that reads a file, or lists a folder, as a
// whole when it is opened.
package fsfile

import (
	"bytes"
	"io"
	"io/fs"
	"syscall"
)

var (
	_ io.ReadSeeker  = (*File)(nil)
	_ fs.File        = (*File)(nil)
	_ fs.ReadDirFile = (*Dir)(nil)
)

// File is an open file in memory.
type File struct {
	*bytes.Reader
	info fs.FileInfo
}

// NewFile returns an open file. It does not copy the content.
func NewFile(info fs.FileInfo, content []byte) *File { return &File{bytes.NewReader(content), info} }

// Stat implements fs.File.
func (f *File) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close implements fs.File.
func (f *File) Close() error { return nil }

// Dir is an open folder in memory.
type Dir struct {
	info    fs.FileInfo
	entries []fs.DirEntry
}

// NewDir returns an open folder. It does not copy the entries.
func NewDir(info fs.FileInfo, entries []fs.DirEntry) *Dir { return &Dir{info, entries} }

// Stat implements fs.File.
func (d *Dir) Stat() (fs.FileInfo, error) { return d.info, nil }

// Close implements fs.File.
func (d *Dir) Close() error { return nil }

// Read implements fs.File: folders have no content.
func (d *Dir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.Name(), Err: syscall.EISDIR}
}

// ReadDir implements fs.ReadDirFile.
func (d *Dir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.entries) == 0 {
		return nil, io.EOF
	}
	if n <= 0 {
		n = len(d.entries)
	}
	n = min(n, len(d.entries))
	page := d.entries[:n]
	d.entries = d.entries[n:]
	return page, nil
}
