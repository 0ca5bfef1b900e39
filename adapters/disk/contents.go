package disk

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/ports/sites"
)

// contents is a content-addressed store of what deployments share, by digest. Every file
// of a deployment is a hard link to its content here. So publishing writes only new
// contents, and the link count says whether a content is still needed. The compressed
// forms are beside the contents (packed.go).
type contents struct {
	dir     string
	scratch *scratch
}

const (
	contentsDir = "contents"
	formsDir    = "forms"
	// unusedAfter is how long an unused content is kept when a process starts: another
	// process may be about to publish it.
	unusedAfter = time.Hour
)

// openContents creates the folders and removes unused contents that crashes left behind.
func openContents(dir string, scratch *scratch) (contents, error) {
	c := contents{dir, scratch}
	for _, part := range []string{contentsDir, formsDir} {
		if err := os.MkdirAll(filepath.Join(dir, part), 0o700); err != nil {
			return contents{}, err
		}
	}
	return c, c.sweep()
}

// path returns the path of a content. Digests are computed here and never come from
// outside.
func (c contents) path(digest string) string { return filepath.Join(c.dir, contentsDir, digest) }

// put creates a synced file of a deployment: a link to the content if that exists and is
// sound, else a new file, which becomes the content.
func (c contents) put(path string, content []byte, digest string) error {
	shared := c.path(digest)
	if known, err := os.ReadFile(shared); err == nil && bytes.Equal(known, content) && os.Link(shared, path) == nil {
		return nil
	}
	if err := durable.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	return c.adopt(path, shared)
}

// adopt makes a file of a deployment the content of its digest, replacing a damaged one.
// On a disk without hard links every file stays separate.
func (c contents) adopt(path, shared string) error {
	aside := c.scratch.name()
	err := os.Link(path, aside)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EMLINK) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.Rename(aside, shared); err != nil {
		return err
	}
	// Renaming a file to another hard link of it does nothing.
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// dropUnused removes contents to which no deployment links any more, and their forms. A
// deployment that links to one at this moment keeps its file.
func (c contents) dropUnused(entries []sites.Entry) error {
	var failed []error
	for _, entry := range entries {
		failed = append(failed, c.dropIf(entry.Digest, func(fs.FileInfo) bool { return true }))
	}
	return errors.Join(failed...)
}

// sweep removes contents that have been unused for a while.
func (c contents) sweep() error {
	listed, err := os.ReadDir(filepath.Join(c.dir, contentsDir))
	if err != nil {
		return err
	}
	for _, entry := range listed {
		err := c.dropIf(entry.Name(), func(info fs.FileInfo) bool { return time.Since(info.ModTime()) > unusedAfter })
		if err != nil {
			return err
		}
	}
	return nil
}

// dropIf removes a content without links if the caller's condition holds for its file.
func (c contents) dropIf(digest string, wanted func(fs.FileInfo) bool) error {
	info, err := os.Lstat(c.path(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if about, known := info.Sys().(*syscall.Stat_t); !known || about.Nlink > 1 || !wanted(info) {
		return nil
	}
	failed := []error{os.Remove(c.path(digest))}
	for _, as := range encodings {
		if err := os.Remove(c.formPath(digest, as)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
