package rooms

import (
	"cmp"
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

// Times of saving. Edits are on the disk within 2 seconds of the last keystroke
// (contract, section 7).
const (
	// saveAfter is how long somebody has to pause for what was typed to be saved.
	saveAfter = 300 * time.Millisecond
	// saveWithin bounds how long edits wait that never pause.
	saveWithin = 1500 * time.Millisecond
	// retryAfter is how long a disk rests that could not be written.
	retryAfter = 2 * time.Second
	// closeWithin bounds saving when a room closes.
	closeWithin = 15 * time.Second
)

// keepSaved saves edits as they come, until the room closes.
func (r *room) keepSaved() {
	for {
		select {
		case <-r.life.Done():
			return
		case <-r.edited:
		}
		for {
			wait := r.pause()
			if wait <= 0 {
				break
			}
			if !sleep(r.life, wait) {
				return
			}
		}
		if err := r.save(r.life); err != nil && r.life.Err() == nil {
			r.service.deps.Log.Warn("edits of a room were not saved", "project", r.project, "error", err)
			if !sleep(r.life, retryAfter) {
				return
			}
			r.wake()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (r *room) wake() {
	select {
	case r.edited <- struct{}{}:
	default:
	}
}

// pause returns how long saving has to wait for the end of what is typed.
func (r *room) pause() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text == nil || !r.text.unstored {
		return 0
	}
	now := r.service.deps.Now()
	return min(r.text.last.Add(saveAfter).Sub(now), r.text.since.Add(saveWithin).Sub(now))
}

// save brings database and disk to what the room has. The database comes first: after
// a crash in between it knows what the disk was to get.
func (r *room) save(ctx context.Context) error {
	if err := r.saving.take(ctx); err != nil {
		return err
	}
	defer r.saving.give()
	if err := r.store(ctx, false); err != nil {
		return err
	}
	for by, paths := range r.unwritten() {
		if err := r.write(ctx, by, paths); err != nil {
			return err
		}
	}
	return r.forget(ctx)
}

// unwritten returns the paths that are to be written, by who wrote in them last.
func (r *room) unwritten() map[core.Author][]core.ProjectPath {
	r.mu.Lock()
	defer r.mu.Unlock()
	by := map[core.Author][]core.ProjectPath{}
	if r.text == nil || r.text.lost {
		return by
	}
	for path, author := range r.text.dirty {
		by[author] = append(by[author], path)
	}
	return by
}

// write brings paths of the disk to what the room has, with what the disk has got
// meanwhile taken over.
func (r *room) write(ctx context.Context, by core.Author, paths []core.ProjectPath) error {
	texts := map[core.ProjectPath]*string{}
	var changes []core.FileChange
	var failure error
	err := r.service.deps.Files.Amend(ctx, r.project, by, func(ctx context.Context, snapshot files.Snapshot) ([]core.FileChange, error) {
		for _, path := range paths {
			if err := r.compare(ctx, snapshot, path); err != nil {
				return nil, err
			}
		}
		// People type on while others have the files. What the disk gets is in the database
		// first, with what it takes the place of: whoever opens the room after a crash would
		// else take it for somebody else's, and have it a second time from those who typed it.
		// The database also knows whether the room is another process's by now.
		r.confirm()
		if err := r.store(ctx, false); err != nil {
			return nil, err
		}
		changes = r.changesOf(paths, texts)
		return changes, nil
	}, func(results []files.Result) {
		// Who has the files next would take what was written for somebody else's.
		failure = r.written(changes, results, texts)
	})
	return cmp.Or(err, failure)
}

// compare reads a path of the disk and lays it over the room's text.
func (r *room) compare(ctx context.Context, snapshot files.Snapshot, path core.ProjectPath) error {
	text, err := r.textOn(ctx, snapshot, path)
	if err != nil {
		return err
	}
	return r.withText(func(*document) error { return r.meet(path, text) })
}

// textOn returns what the disk has of a path, nil when there is no file that can be
// shared. A path that people write in may have grown beyond MaxSharedBytes.
func (r *room) textOn(ctx context.Context, snapshot files.Snapshot, path core.ProjectPath) (*string, error) {
	content, found, err := snapshot.Read(ctx, path)
	if isNoText(err) {
		return nil, nil
	}
	if err != nil || !found || path.Generated() {
		return nil, err
	}
	text := string(content)
	if !isText(text) || len(text) > MaxSharedBytes && !r.isDirty(path) {
		return nil, nil
	}
	return &text, nil
}

// isNoText tells what cannot be a text from what could not be read.
func isNoText(err error) bool {
	return core.IsCode(err, core.CodePayloadTooLarge) || core.IsCode(err, core.CodePathTraversal)
}

func (r *room) isDirty(path core.ProjectPath) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, dirty := r.text.dirty[path]
	return dirty
}

// isText tells texts, which can be edited together, from other content.
func isText(content string) bool {
	return utf8.ValidString(content) && !strings.Contains(content, "\x00")
}

// changesOf returns what has to be written of what the database has, and notes the texts
// of it.
func (r *room) changesOf(paths []core.ProjectPath, texts map[core.ProjectPath]*string) []core.FileChange {
	r.mu.Lock()
	defer r.mu.Unlock()
	var changes []core.FileChange
	for _, path := range paths {
		text, known := r.text.kept[path]
		if _, dirty := r.text.dirty[path]; !dirty || !known || r.text.lost {
			continue
		}
		before, had := r.text.disk[path]
		switch {
		case (text != nil) == had && (text == nil || *text == before):
			r.settle(path, text)
		case text != nil && int64(len(*text)) > int64(r.service.deps.MaxFileBytes):
			// The file stays as it is, and those who type go on without the room.
			r.service.deps.Log.Warn("text of a room is longer than files may be", "project", r.project, "path", path)
			r.unshare(path)
		case text != nil:
			texts[path] = text
			changes = append(changes, core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(*text)})
		default:
			texts[path] = nil
			changes = append(changes, core.FileChange{Op: core.OpDelete, Path: path})
		}
	}
	return changes
}

// written books what was written. What can never be written, because a directory is in
// the way, leaves the room.
func (r *room) written(changes []core.FileChange, results []files.Result, texts map[core.ProjectPath]*string) error {
	return r.withText(func(d *document) error {
		var failure error
		for i, result := range results {
			path := changes[i].Path
			switch err := result.Err; {
			case core.IsCode(err, core.CodeUnavailable):
				failure = err
				continue
			case err != nil && !core.IsCode(err, core.CodeNotFound):
				r.service.deps.Log.Warn("file of a room cannot be written", "project", r.project, "path", path, "error", err)
				r.unshare(path)
				continue
			}
			r.settle(path, texts[path])
			if _, dirty := d.dirty[path]; !dirty && len(d.disk[path]) > MaxSharedBytes {
				r.unshare(path)
			}
		}
		return failure
	})
}

// settle books what the disk has now of a path. The caller holds mu.
func (r *room) settle(path core.ProjectPath, text *string) {
	d := r.text
	delete(d.kept, path)
	delete(d.disk, path)
	if text != nil {
		d.disk[path] = *text
	}
	now, there := d.doc.Text(path)
	if there == (text != nil) && (text == nil || now == *text) {
		delete(d.dirty, path)
	}
}

// retire saves what is left and gives the room back.
func (r *room) retire() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	r.mu.Lock()
	d := r.text
	lost := d == nil || d.lost
	r.mu.Unlock()
	if d == nil {
		return
	}
	defer d.withdraw()
	if lost {
		return
	}
	if err := r.leave(ctx); err != nil {
		r.service.deps.Log.Error("room was not saved when it closed", "project", r.project, "error", err)
	}
}

// leave saves, and leaves one update in the database that needs no look at the disk.
func (r *room) leave(ctx context.Context) error {
	if err := r.save(ctx); err != nil {
		return err
	}
	if err := r.saving.take(ctx); err != nil {
		return err
	}
	defer r.saving.give()
	if err := r.store(ctx, true); err != nil {
		return err
	}
	return r.service.deps.Store.Tables().Rooms.Release(ctx, r.project, r.service.owner)
}
