package files

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// ETag returns the entity tag of content, with its quotes: the first 16 bytes of
// its SHA-256 in hexadecimal.
func ETag(content []byte) string {
	sum := sha256.Sum256(content)
	return quoteTag(sum[:])
}

func quoteTag(sum []byte) string { return `"` + hex.EncodeToString(sum[:16]) + `"` }

// entryOf describes an open file. The tag comes from the row where size and time
// say that it is about this content, else from the content itself; the file is
// left at its start. The row must have been read before the file was opened: then
// a tag may be older than the content, but never newer, and a writer who shows an
// older tag is turned away.
func entryOf(file worktree.File, row *core.FileEntry) (core.FileEntry, error) {
	info := file.Info()
	if row != nil && sameContent(*row, info) {
		return *row, nil
	}
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return core.FileEntry{}, core.Wrap(core.CodeUnavailable, err, "%s cannot be read", info.Path)
	}
	return core.FileEntry{Path: info.Path, Size: size, UpdatedAt: info.Modified, ETag: quoteTag(hash.Sum(nil))}, nil
}

// readAtMost reads the whole of a file that must not be larger than limit, in
// bytes. A larger one has code CodePayloadTooLarge.
func readAtMost(file worktree.File, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "%s cannot be read", file.Info().Path)
	}
	if int64(len(content)) > limit {
		return nil, core.Errorf(core.CodePayloadTooLarge, "%s is larger than %d bytes", file.Info().Path, limit)
	}
	return content, nil
}

// sameContent reports whether the row is about the file as it stands.
func sameContent(row core.FileEntry, info worktree.Info) bool {
	return row.Size == info.Size && row.UpdatedAt == info.Modified
}

// Guard is a condition on the file that a change is about. It is asked under the
// project's lock, with the file's entry as it stands on the disk, or nil when
// there is no such file; an error stops the change before anything is touched.
type Guard func(current *core.FileEntry) error

// IfMatch holds when the file has one of the tags. The tag "*" stands for any
// file, but there must be one. Otherwise the error is CodePreconditionFailed.
func IfMatch(tags ...string) Guard {
	return func(current *core.FileEntry) error {
		if current == nil {
			return core.Errorf(core.CodePreconditionFailed, "the file does not exist")
		}
		if !hasTag(tags, current.ETag) {
			return core.Errorf(core.CodePreconditionFailed, "the file has changed: it now has the tag %s", current.ETag)
		}
		return nil
	}
}

// IfNoneMatch holds when the file has none of the tags, weak ones among them (RFC
// 9110, section 13.1.2); with the tag "*", when there is no file. Otherwise the error is CodePreconditionFailed.
func IfNoneMatch(tags ...string) Guard {
	return func(current *core.FileEntry) error {
		if current != nil && (hasTag(tags, current.ETag) || hasTag(tags, "W/"+current.ETag)) {
			return core.Errorf(core.CodePreconditionFailed, "the file exists with the tag %s", current.ETag)
		}
		return nil
	}
}

// IfUnmodifiedSince holds when the file has not changed after a time, which is in
// whole seconds, or is not there. Otherwise the error is CodePreconditionFailed.
func IfUnmodifiedSince(since time.Time) Guard {
	return func(current *core.FileEntry) error {
		if current != nil && current.UpdatedAt.Std().Truncate(time.Second).After(since) {
			return core.Errorf(core.CodePreconditionFailed, "the file has changed since: it now has the tag %s", current.ETag)
		}
		return nil
	}
}

// Both holds when each of two guards does; nil guards always hold.
func Both(one, other Guard) Guard {
	if one == nil {
		return other
	}
	if other == nil {
		return one
	}
	return func(current *core.FileEntry) error {
		if err := one(current); err != nil {
			return err
		}
		return other(current)
	}
}

// hasTag compares byte by byte. Since tags of files are strong, that is the strong
// comparison of RFC 9110, section 8.8.3.2: a weak tag says nothing about the bytes.
func hasTag(tags []string, tag string) bool {
	return slices.Contains(tags, "*") || slices.Contains(tags, tag)
}
