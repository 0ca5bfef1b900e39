package rooms

import (
	"cmp"
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/files"
)

// Times of saving. Edits are on the disk within 2 seconds of the last keystroke.
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

// saver writes the document to the database and to the disk.
type saver struct {
	*scope
	disk    *disk
	journal *journal
	// saving is held while the document is written.
	saving *ctxsync.Mutex
	// edited wakes run.
	edited ctxsync.Signal
}

func newSaver(in *scope, disk *disk) *saver {
	return &saver{scope: in, disk: disk, journal: &journal{in}, saving: ctxsync.NewMutex(), edited: ctxsync.NewSignal()}
}

// run saves edits as they come, debounced, until the room closes.
func (s *saver) run() {
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.edited:
		}
		for {
			wait := s.pause()
			if wait <= 0 {
				break
			}
			if ctxsync.Sleep(s.life, wait) != nil {
				return
			}
		}
		if err := s.save(s.life); err != nil && s.life.Err() == nil {
			s.deps.Log.Warn("could not save the edits of a room", "error", err)
			if ctxsync.Sleep(s.life, retryAfter) != nil {
				return
			}
			s.edited.Send()
		}
	}
}

// pause returns how long saving still waits for a pause in typing.
func (s *saver) pause() (wait time.Duration) {
	_ = s.state.withDocument(func(d *document) error {
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
func (s *saver) save(ctx context.Context) error {
	if err := s.saving.Lock(ctx); err != nil {
		return err
	}
	defer s.saving.Unlock()
	if err := s.journal.store(ctx, false); err != nil {
		return err
	}
	var dirty map[core.Author][]core.ProjectPath
	err := s.state.withDocument(func(d *document) error { dirty = d.dirtyByAuthor(); return nil })
	if err != nil {
		return err
	}
	for by, paths := range dirty {
		if err := s.write(ctx, by, paths); err != nil {
			return err
		}
	}
	return s.journal.dropBases(ctx)
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
func (s *saver) write(ctx context.Context, by core.Author, paths []core.ProjectPath) error {
	texts := map[core.ProjectPath]*string{}
	var changes []core.FileChange
	var failure error
	err := s.deps.Writer.Amend(ctx, s.project, by, func(ctx context.Context, snapshot files.Snapshot) ([]core.FileChange, error) {
		if err := s.disk.mergeFrom(ctx, snapshot, paths); err != nil {
			return nil, err
		}
		// People keep typing while others have the files. The database gets the texts first,
		// with the content that they replace, as a write-ahead note. Otherwise the room would
		// treat them after a crash as somebody else's change, and get them a second time from
		// the clients. This also finds out whether another process has claimed the room.
		s.journal.confirm()
		if err := s.journal.store(ctx, false); err != nil {
			return nil, err
		}
		err := s.state.withDocument(func(d *document) error {
			changes = d.changes(paths, int64(s.deps.MaxFileBytes), texts)
			return nil
		})
		return changes, err
	}, func(results []files.Result) {
		// Booked before the lock is released: otherwise the next reader of the files would
		// treat this write as somebody else's.
		failure = s.state.withDocument(func(d *document) error { return d.written(changes, results, texts) })
	})
	return cmp.Or(err, failure)
}

// store stores the document in the database without writing to the disk.
func (s *saver) store(ctx context.Context) error {
	if err := s.saving.Lock(ctx); err != nil {
		return err
	}
	defer s.saving.Unlock()
	return s.journal.store(ctx, false)
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
			d.log.Warn("could not save a text of a room: it is longer than a file may be", "path", path)
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
			d.log.Warn("could not write a file of a room", "path", path, "error", err)
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

// close saves the remaining edits and releases the claim of the room.
func (s *saver) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	d := s.state.lock().document
	lost, withdraw := d == nil || d.lost, func() {}
	if d != nil {
		withdraw = d.withdraw
	}
	s.state.unlock()
	defer withdraw()
	if lost {
		return
	}
	if err := s.leave(ctx); err != nil {
		s.deps.Log.Error("could not save a room when it closed", "error", err)
	}
}

// leave saves the room and compacts its updates in the database into one, so that the next
// room need not compare it with the disk.
func (s *saver) leave(ctx context.Context) error {
	if err := s.save(ctx); err != nil {
		return err
	}
	if err := s.saving.Lock(ctx); err != nil {
		return err
	}
	defer s.saving.Unlock()
	if err := s.journal.store(ctx, true); err != nil {
		return err
	}
	return s.claims.release(ctx, s.project)
}
