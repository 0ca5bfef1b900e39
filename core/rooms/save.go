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
	// saveAfter is the debounce time: edits are saved after a pause in typing of this length.
	saveAfter = 300 * time.Millisecond
	// saveWithin bounds how long edits wait if typing never pauses.
	saveWithin = 1500 * time.Millisecond
	// retryAfter is the pause before another attempt after a save failed.
	retryAfter = 2 * time.Second
	// closeWithin bounds saving when a room closes.
	closeWithin = 15 * time.Second
)

// keepSaved saves edits as they come, debounced, until the room closes.
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
			r.edited.send()
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

// pause returns how long saving still waits for a pause in typing.
func (r *room) pause() (wait time.Duration) {
	_ = r.state.withDocument(func(d *document) error {
		if d.unstored {
			now := d.now()
			wait = min(d.last.Add(saveAfter).Sub(now), d.since.Add(saveWithin).Sub(now))
		}
		return nil
	})
	return wait
}

// save writes the room's state to the database and then to the disk. After a crash in between
// the database knows what the disk was to get.
func (r *room) save(ctx context.Context) error {
	if err := r.saving.Lock(ctx); err != nil {
		return err
	}
	defer r.saving.Unlock()
	if err := r.store(ctx, false); err != nil {
		return err
	}
	var dirty map[core.Author][]core.ProjectPath
	err := r.state.withDocument(func(d *document) error { dirty = d.dirtyByAuthor(); return nil })
	if err != nil {
		return err
	}
	for by, paths := range dirty {
		if err := r.write(ctx, by, paths); err != nil {
			return err
		}
	}
	return r.forget(ctx)
}

// dirtyByAuthor returns the paths to write, by their last author.
func (d *document) dirtyByAuthor() map[core.Author][]core.ProjectPath {
	by := map[core.Author][]core.ProjectPath{}
	if d.lost {
		return by
	}
	for path, author := range d.dirty {
		by[author] = append(by[author], path)
	}
	return by
}

// write writes paths to the disk, after it has merged changes of the disk into the room.
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
		// People keep typing while others have the files. The database gets the texts first,
		// with the content that they replace, as a write-ahead note. Otherwise the room would
		// treat them after a crash as somebody else's change, and get them a second time from
		// the clients. This also finds out whether another process has claimed the room.
		r.confirm()
		if err := r.store(ctx, false); err != nil {
			return nil, err
		}
		err := r.state.withDocument(func(d *document) error {
			changes = d.changes(paths, int64(r.service.deps.MaxFileBytes), texts)
			return nil
		})
		return changes, err
	}, func(results []files.Result) {
		// Booked before the lock is released: otherwise the next reader of the files would
		// treat this write as somebody else's.
		failure = r.state.withDocument(func(d *document) error { return d.written(changes, results, texts) })
	})
	return cmp.Or(err, failure)
}

// compare reads a path of the disk and merges it into the room's text.
func (r *room) compare(ctx context.Context, snapshot files.Snapshot, path core.ProjectPath) error {
	text, err := r.textOn(ctx, snapshot, path)
	if err != nil {
		return err
	}
	return r.state.withDocument(func(d *document) error { return d.mergeFile(path, text) })
}

// textOn returns the disk's text of a path, nil if there is no file that can be shared. A
// path with unwritten edits may have grown beyond MaxSharedBytes.
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

// isNoText reports whether an error means that a file cannot be a text, as opposed to a
// failure to read it.
func isNoText(err error) bool {
	return core.IsCode(err, core.CodePayloadTooLarge) || core.IsCode(err, core.CodePathTraversal)
}

func (r *room) isDirty(path core.ProjectPath) (dirty bool) {
	_ = r.state.withDocument(func(d *document) error { _, dirty = d.dirty[path]; return nil })
	return dirty
}

// isText reports whether content is a text, which can be edited together.
func isText(content string) bool {
	return utf8.ValidString(content) && !strings.Contains(content, "\x00")
}

// changes returns the changes to write, limited to texts that the database has, and adds
// their texts to texts.
func (d *document) changes(paths []core.ProjectPath, maxBytes int64, texts map[core.ProjectPath]*string) []core.FileChange {
	var changes []core.FileChange
	for _, path := range paths {
		text, known := d.kept[path]
		if _, dirty := d.dirty[path]; !dirty || !known || d.lost {
			continue
		}
		before, had := d.disk[path]
		switch {
		case (text != nil) == had && (text == nil || *text == before):
			d.noteOnDisk(path, text)
		case text != nil && int64(len(*text)) > maxBytes:
			// The file stays unchanged and leaves the shared document.
			d.log.Warn("text of a room is longer than files may be", "path", path)
			d.unshare(path)
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

// written books the results of a write. A path that can never be written, because it is a
// directory, leaves the document.
func (d *document) written(changes []core.FileChange, results []files.Result, texts map[core.ProjectPath]*string) error {
	var failure error
	for i, result := range results {
		path := changes[i].Path
		switch err := result.Err; {
		case core.IsCode(err, core.CodeUnavailable):
			failure = err
			continue
		case err != nil && !core.IsCode(err, core.CodeNotFound):
			d.log.Warn("file of a room cannot be written", "path", path, "error", err)
			d.unshare(path)
			continue
		}
		d.noteOnDisk(path, texts[path])
		if _, dirty := d.dirty[path]; !dirty && len(d.disk[path]) > MaxSharedBytes {
			d.unshare(path)
		}
	}
	return failure
}

// noteOnDisk books the current content of a path on the disk.
func (d *document) noteOnDisk(path core.ProjectPath, text *string) {
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

// retire saves what is left and releases the claim of the room.
func (r *room) retire() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	s := r.state.lock()
	d := s.document
	lost, withdraw := d == nil || d.lost, func() {}
	if d != nil {
		withdraw = d.withdraw
	}
	r.state.unlock()
	defer withdraw()
	if lost {
		return
	}
	if err := r.leave(ctx); err != nil {
		r.service.deps.Log.Error("room was not saved when it closed", "project", r.project, "error", err)
	}
}

// leave saves the room and compacts its updates in the database into one, so that the next
// room need not compare it with the disk.
func (r *room) leave(ctx context.Context) error {
	if err := r.save(ctx); err != nil {
		return err
	}
	if err := r.saving.Lock(ctx); err != nil {
		return err
	}
	defer r.saving.Unlock()
	if err := r.store(ctx, true); err != nil {
		return err
	}
	return r.service.claims.release(ctx, r.project)
}
