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

// entryOf describes an open file and leaves it at its start. It takes the tag from the row if size
// and time match, else from the content. The row must have been read before the file was opened:
// then the tag may be older than the content, but never newer, and a writer with an older tag is
// refused.
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

// sameContent reports whether the row describes the file's current content.
func sameContent(row core.FileEntry, info worktree.Info) bool {
	return row.Size == info.Size && row.UpdatedAt == info.Modified
}

// Guard is a condition on the file that a change is about, for optimistic locking. It is called
// under the project's lock with the file's entry on the disk, or nil if the file does not exist. An
// error stops the change before anything is touched.
type Guard func(current *core.FileEntry) error

// IfMatch holds if the file has one of the tags. The tag "*" matches any file that exists.
// Otherwise the error is CodePreconditionFailed.
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

// IfNoneMatch holds if the file has none of the tags, weak ones included (RFC 9110, section
// 13.1.2); with the tag "*", if there is no file. Otherwise the error is CodePreconditionFailed.
func IfNoneMatch(tags ...string) Guard {
	return func(current *core.FileEntry) error {
		if current != nil && (hasTag(tags, current.ETag) || hasTag(tags, "W/"+current.ETag)) {
			return core.Errorf(core.CodePreconditionFailed, "the file already exists with the tag %s", current.ETag)
		}
		return nil
	}
}

// IfUnmodifiedSince holds if the file has not changed after a time, in whole seconds, or does not
// exist. Otherwise the error is CodePreconditionFailed.
func IfUnmodifiedSince(since time.Time) Guard {
	return func(current *core.FileEntry) error {
		if current != nil && current.UpdatedAt.Std().Truncate(time.Second).After(since) {
			return core.Errorf(core.CodePreconditionFailed, "the file has changed since: it now has the tag %s", current.ETag)
		}
		return nil
	}
}

// Both holds if both guards hold; a nil guard always does.
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
