package files

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
)

// Rewrite replaces a file's content with the result of rewrite. It holds the
// project's lock from reading to writing, so that no other write through the
// pipeline comes between; rewrite must be quick and must not use the pipeline.
// rewrite gets at most limit+1 bytes of the content. If it returns false, nothing is
// written and the result has the current entry.
//
// The error is rewrite's, unchanged, CodeNotFound if there is no such file, or
// Apply's.
func (p *Pipeline) Rewrite(ctx context.Context, by core.Author, at core.FileAt, limit int64, rewrite func([]byte) ([]byte, bool, error)) (Result, error) {
	locked, err := p.lockSaved(ctx, at.Project)
	if err != nil {
		return Result{}, err
	}
	defer locked.release()
	content, entry, err := locked.read(at.Path, limit+1)
	if err != nil {
		return Result{}, err
	}
	content, changed, err := rewrite(content)
	if err != nil || !changed {
		return Result{Entry: &entry}, err
	}
	results, err := locked.apply(changeSet{by: by, changes: []core.FileChange{{Op: core.OpWrite, Path: at.Path, Content: content}}}, nil)
	if err != nil {
		return Result{}, err
	}
	return results[0], results[0].Err
}

// read returns at most limit bytes of a file, and its entry.
func (l *lockedProject) read(path core.ProjectPath, limit int64) ([]byte, core.FileEntry, error) {
	file, err := l.open(l.ctx, core.FileAt{Project: l.id, Path: path})
	if err != nil {
		return nil, core.FileEntry{}, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, core.FileEntry{}, core.Wrap(core.CodeUnavailable, err, "%s cannot be read", path)
	}
	return content, file.Entry, nil
}
