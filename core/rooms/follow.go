package rooms

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
)

// followWithin bounds the handling of a notice.
const followWithin = 30 * time.Second

// eventPage is how many events of a chat are read at a time if no notice brought them.
const eventPage = 500

// eventlog is the state that members that follow events were last told.
type eventlog struct {
	// tags are the entity tags of the files.
	tags map[core.ProjectPath]string
	// seqs are the numbers of the chats' last events.
	seqs map[core.ID]int64
	// behind says that members missed something, so that catchUp must find out what.
	behind bool
}

// begin notes the state before the first event.
func (l *eventlog) begin(r *room) error {
	listing, err := r.service.deps.Files.List(r.life, r.project)
	if err != nil {
		return err
	}
	l.tags, l.seqs = make(map[core.ProjectPath]string, len(listing.Entries)), map[core.ID]int64{}
	for _, entry := range listing.Entries {
		l.tags[entry.Path] = entry.ETag
	}
	return nil
}

// hear handles a notice: the document takes up changes of the disk, and members are
// told.
func (r *room) hear(notice *core.Notice) {
	ctx, cancel := context.WithTimeout(r.life, followWithin)
	defer cancel()
	var err error
	switch notice.Kind {
	case core.NoticeFiles:
		err = r.hearFiles(ctx, notice.By, notice.Files)
	case core.NoticeChatEvent:
		err = r.hearChat(ctx, notice.ChatID, *notice.Event)
	case core.NoticePreview:
		if notice.Preview != nil {
			r.hearPreview(*notice.Preview)
		}
	case core.NoticeProject:
		err = r.hearProject(ctx)
	case core.NoticeLagged:
		err = r.catchUp(ctx)
	}
	if err != nil && r.life.Err() == nil {
		r.events.behind = true
		r.service.deps.Log.Warn("room could not follow its project", "project", r.project, "notice", notice.Kind, "error", err)
	}
}

// hearFiles takes up changes of files.
func (r *room) hearFiles(ctx context.Context, by core.Author, changed []core.FileNotice) error {
	if err := r.takeUp(ctx, changed); err != nil {
		return err
	}
	for _, notice := range changed {
		event, err := r.fileEvent(ctx, by, notice)
		if err != nil {
			return err
		}
		r.events.note(notice)
		r.state.tell(event, everybody)
	}
	return nil
}

// takeUp merges the disk's content into the room's texts.
func (r *room) takeUp(ctx context.Context, changed []core.FileNotice) error {
	var paths []core.ProjectPath
	err := r.state.withDocument(func(d *document) error { paths = d.outdated(changed); return nil })
	if err != nil || len(paths) == 0 {
		return err
	}
	err = r.service.deps.Files.Amend(ctx, r.project, core.Author{}, func(ctx context.Context, snapshot files.Snapshot) ([]core.FileChange, error) {
		for _, path := range paths {
			if err := r.compare(ctx, snapshot, path); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}, nil)
	if err != nil {
		return err
	}
	// People may begin to type in a file that has just been added.
	return r.keep(ctx)
}

// outdated returns the changed paths whose content on the disk may differ from what the
// room last saw there.
func (d *document) outdated(changed []core.FileNotice) []core.ProjectPath {
	var paths []core.ProjectPath
	for _, notice := range changed {
		if notice.From != nil {
			paths = append(paths, d.below(*notice.From)...)
		}
		if notice.Entry == nil {
			paths = append(paths, d.below(notice.Path)...)
			continue
		}
		if text, had := d.disk[notice.Path]; !had || files.ETag([]byte(text)) != notice.Entry.ETag {
			paths = append(paths, notice.Path)
		}
	}
	return paths
}

// below returns the shared paths at and below a path.
func (d *document) below(path core.ProjectPath) []core.ProjectPath {
	var paths []core.ProjectPath
	for known := range d.disk {
		if path.Contains(known) {
			paths = append(paths, known)
		}
	}
	return paths
}

// note records that members are told of a change.
func (l *eventlog) note(notice core.FileNotice) {
	if notice.From != nil {
		delete(l.tags, *notice.From)
	}
	if notice.Entry != nil {
		l.tags[notice.Path] = notice.Entry.ETag
		return
	}
	for path := range l.tags {
		if notice.Path.Contains(path) {
			delete(l.tags, path)
		}
	}
}

// fileEvent returns the event for a change, with the current content.
func (r *room) fileEvent(ctx context.Context, by core.Author, notice core.FileNotice) (Event, error) {
	if notice.Entry == nil {
		return FileDeleted{Path: notice.Path, By: by}, nil
	}
	if notice.From != nil {
		return FileRenamed{From: *notice.From, To: notice.Path, By: by}, nil
	}
	event := FileChanged{Path: notice.Path, Size: notice.Entry.Size, ETag: notice.Entry.ETag, UpdatedAt: notice.Entry.UpdatedAt, By: by}
	if notice.Entry.Size > MaxSharedBytes || !r.hasFollowers() {
		return event, nil
	}
	content, err := r.contentOf(ctx, notice.Path)
	if content != nil {
		event.Content, event.Size, event.ETag = content, int64(len(*content)), files.ETag([]byte(*content))
	}
	return event, err
}

// contentOf reads a file for members; it returns nil for a file that is deleted or not
// text.
func (r *room) contentOf(ctx context.Context, path core.ProjectPath) (*string, error) {
	var text *string
	err := r.service.deps.Files.Amend(ctx, r.project, core.Author{}, func(ctx context.Context, snapshot files.Snapshot) ([]core.FileChange, error) {
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

func (r *room) hasFollowers() bool {
	s := r.state.lock()
	defer r.state.unlock()
	return s.members.hasFollowers()
}

// hearChat passes on an event of a chat, after any that no notice brought.
func (r *room) hearChat(ctx context.Context, chat core.ID, event core.Event) error {
	last, known := r.events.seqs[chat]
	switch {
	case known && event.Seq <= last:
		return nil
	case known && event.Seq > last+1:
		return r.catchUpChat(ctx, chat, last)
	}
	r.events.seqs[chat] = event.Seq
	r.state.tell(ChatEvent{ChatID: chat, Event: event}, func(may rights) bool { return may.chat })
	return nil
}

// catchUpChat sends the events of a chat after the given one.
func (r *room) catchUpChat(ctx context.Context, chat core.ID, after int64) error {
	for {
		events, err := r.service.deps.Store.Tables().Events.Read(ctx, chat, storage.EventRange{After: after, Limit: eventPage})
		if err != nil {
			return err
		}
		for _, event := range events {
			after = event.Seq
			r.events.seqs[chat] = after
			r.state.tell(ChatEvent{ChatID: chat, Event: event}, func(may rights) bool { return may.chat })
		}
		if len(events) < eventPage {
			return nil
		}
	}
}

// hearPreview sends the state of the preview, and remembers it for members that join
// later.
func (r *room) hearPreview(now core.PreviewState) {
	r.state.lock().preview = &now
	r.state.unlock()
	r.state.tell(PreviewStatus{now}, everybody)
}

// askPreview asks the process with the project's preview to report its state.
func (r *room) askPreview(ctx context.Context) {
	err := r.service.deps.Bus.Publish(ctx, core.Notice{Kind: core.NoticePreview, ProjectID: r.project})
	if err != nil && ctx.Err() == nil {
		r.service.deps.Log.Warn("nobody could be asked how the preview is", "project", r.project, "error", err)
	}
}

// hearProject sends the project's record, and checks which members may stay.
func (r *room) hearProject(ctx context.Context) error {
	r.look(0)
	project, err := r.service.deps.Store.Tables().Projects.ByID(ctx, r.project)
	if core.IsCode(err, core.CodeNotFound) || err == nil && project.DeletedAt != nil {
		return nil
	}
	if err == nil {
		r.state.tell(ProjectUpdated{r.service.deps.Present(project)}, everybody)
	}
	return err
}

// catchUp finds out what members missed.
func (r *room) catchUp(ctx context.Context) error {
	r.events.behind = false
	listing, err := r.service.deps.Files.List(ctx, r.project)
	if err != nil {
		return err
	}
	if err := r.hearFiles(ctx, somebody, r.events.missed(listing.Entries)); err != nil {
		return err
	}
	for chat, last := range r.events.seqs {
		if err := r.catchUpChat(ctx, chat, last); err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
	}
	return r.hearProject(ctx)
}

// missed compares the files with what members were told about them.
func (l *eventlog) missed(entries []core.FileEntry) []core.FileNotice {
	var missed []core.FileNotice
	there := make(map[core.ProjectPath]bool, len(entries))
	for _, entry := range entries {
		there[entry.Path] = true
		if l.tags[entry.Path] != entry.ETag {
			missed = append(missed, core.FileNotice{Action: core.FileModified, Path: entry.Path, Entry: &entry})
		}
	}
	for path := range l.tags {
		if !there[path] {
			missed = append(missed, core.FileNotice{Action: core.FileDeleted, Path: path})
		}
	}
	return missed
}
