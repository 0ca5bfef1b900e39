package rooms

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

// disk is the project's files as a room reads them.
type disk struct{ *scope }

// merge merges the disk's content of paths into the room's texts.
func (d *disk) merge(ctx context.Context, paths []core.ProjectPath) error {
	return d.deps.Writer.Amend(ctx, d.project, core.Author{}, func(ctx context.Context, snapshot files.Snapshot) ([]core.FileChange, error) {
		return nil, d.mergeFrom(ctx, snapshot, paths)
	}, nil)
}

// mergeFrom is merge for callers that have the project's lock, and with it a snapshot.
func (d *disk) mergeFrom(ctx context.Context, snapshot files.Snapshot, paths []core.ProjectPath) error {
	for _, path := range paths {
		text, err := d.text(ctx, snapshot, path)
		if err != nil {
			return err
		}
		if err := d.state.withDocument(func(shared *document) error { return shared.mergeFile(path, text) }); err != nil {
			return err
		}
	}
	return nil
}

// text returns the disk's text of a path, nil if there is no file that can be shared. A
// path with unwritten edits may have grown beyond MaxSharedBytes.
func (d *disk) text(ctx context.Context, snapshot files.Snapshot, path core.ProjectPath) (*string, error) {
	content, found, err := snapshot.Read(ctx, path)
	if isNoText(err) {
		return nil, nil
	}
	if err != nil || !found || path.Generated() {
		return nil, err
	}
	text, dirty := string(content), false
	err = d.state.withDocument(func(shared *document) error { _, dirty = shared.dirty[path]; return nil })
	if err != nil || !isText(text) || len(text) > MaxSharedBytes && !dirty {
		return nil, err
	}
	return &text, nil
}

// isNoText reports whether an error means that a file cannot be a text, as opposed to a
// failure to read it.
func isNoText(err error) bool {
	return core.IsCode(err, core.CodePayloadTooLarge) || core.IsCode(err, core.CodePathTraversal)
}

// isText reports whether content is a text, which can be edited together.
func isText(content string) bool {
	return utf8.ValidString(content) && !strings.Contains(content, "\x00")
}

// contentOf reads a file for members; it returns nil for a file that is deleted or no text.
func (d *disk) contentOf(ctx context.Context, path core.ProjectPath) (*string, error) {
	var text *string
	err := d.deps.Writer.Amend(ctx, d.project, core.Author{}, func(ctx context.Context, snapshot files.Snapshot) ([]core.FileChange, error) {
		content, found, err := snapshot.Read(ctx, path)
		if err == nil && found && len(content) <= MaxSharedBytes && isText(string(content)) {
			whole := string(content)
			text = &whole
		}
		if isNoText(err) {
			err = nil
		}
		return nil, err
	}, nil)
	return text, err
}
