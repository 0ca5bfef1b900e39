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

// followState is the state that members that follow events were last told.
type followState struct {
	// tags are the entity tags of the files.
	tags map[core.ProjectPath]string
	// seqs are the numbers of the chats' last events.
	seqs map[core.ID]int64
	// behind says that members missed something, so that catchUp must find out what.
	behind bool
}

// newFollowState returns the log before the first event, when the project has these files.
func newFollowState(entries []core.FileEntry) followState {
	l := followState{tags: make(map[core.ProjectPath]string, len(entries)), seqs: map[core.ID]int64{}}
	for _, entry := range entries {
		l.tags[entry.Path] = entry.ETag
	}
	return l
}

// follower follows the project's notices: the document takes up changes of the disk, and
// members that follow events are told. Only the room's own goroutine (live) uses it.
type follower struct {
	*scope
	disk       *disk
	saver      *saver
	gatekeeper *gatekeeper
	events     followState
}

// begin subscribes to the project's notices, and notes the state before the first.
func (f *follower) begin() (<-chan *core.Notice, error) {
	notices, err := f.deps.Bus.Follow(f.life, f.project)
	if err != nil {
		return nil, err
	}
	listing, err := f.deps.Reader.List(f.life, f.project)
	f.events = newFollowState(listing.Entries)
	return notices, err
}

// hear handles a notice.
func (f *follower) hear(notice *core.Notice) {
	ctx, cancel := context.WithTimeout(f.life, followWithin)
	defer cancel()
	var err error
	switch notice.Kind {
	case core.NoticeFiles:
		err = f.hearFiles(ctx, notice.By, notice.Files)
	case core.NoticeChatEvent:
		err = f.hearChat(ctx, notice.ChatID, *notice.Event)
	case core.NoticePreview:
		if notice.Preview != nil {
			f.hearPreview(*notice.Preview)
		}
	case core.NoticeProject:
		err = f.hearProject(ctx)
	case core.NoticeTasks:
		f.state.tell(TasksChanged{}, func(may rights) bool { return may.chat })
	case core.NoticeComments:
		f.state.tell(CommentsChanged{}, func(may rights) bool { return may.chat })
	case core.NoticeData:
		f.state.tell(DataChanged{notice.Data}, func(may rights) bool { return may.chat })
	case core.NoticeLagged:
		err = f.catchUp(ctx)
	}
	if err != nil && f.life.Err() == nil {
		f.events.behind = true
		f.deps.Log.Warn("could not follow the project of a room", "notice", notice.Kind, "error", err)
	}
}

// retry finds out what members missed, if they missed something.
func (f *follower) retry() {
	if f.events.behind {
		f.hear(&core.Notice{Kind: core.NoticeLagged, ProjectID: f.project})
	}
}

// hearFiles takes up changes of files.
func (f *follower) hearFiles(ctx context.Context, by core.Author, changed []core.FileNotice) error {
	if err := f.takeUp(ctx, changed); err != nil {
		return err
	}
	for _, notice := range changed {
		event, err := f.fileEvent(ctx, by, notice)
		if err != nil {
			return err
		}
		f.events.note(notice)
		f.state.tell(event, everybody)
	}
	return nil
}

// takeUp merges the disk's content into the room's texts.
func (f *follower) takeUp(ctx context.Context, changed []core.FileNotice) error {
	var paths []core.ProjectPath
	err := f.state.withDocument(func(d *document) error { paths = d.outdated(changed); return nil })
	if err != nil || len(paths) == 0 {
		return err
	}
	if err := f.disk.merge(ctx, paths); err != nil {
		return err
	}
	// People may begin to type in a file that has just been added.
	return f.saver.store(ctx)
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
func (l *followState) note(notice core.FileNotice) {
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
func (f *follower) fileEvent(ctx context.Context, by core.Author, notice core.FileNotice) (Event, error) {
	if notice.Entry == nil {
		return FileDeleted{Path: notice.Path, By: by}, nil
	}
	if notice.From != nil {
		return FileRenamed{From: *notice.From, To: notice.Path, By: by}, nil
	}
	event := FileChanged{Path: notice.Path, Size: notice.Entry.Size, ETag: notice.Entry.ETag, UpdatedAt: notice.Entry.UpdatedAt, By: by}
	if notice.Entry.Size > MaxSharedBytes || !f.hasFollowers() {
		return event, nil
	}
	content, err := f.disk.contentOf(ctx, notice.Path)
	if content != nil {
		event.Content, event.Size, event.ETag = content, int64(len(*content)), files.ETag([]byte(*content))
	}
	return event, err
}

func (f *follower) hasFollowers() bool {
	s := f.state.lock()
	defer f.state.unlock()
	return s.members.hasFollowers()
}

// hearChat passes on an event of a chat, after any that no notice brought.
func (f *follower) hearChat(ctx context.Context, chat core.ID, event core.Event) error {
	last, known := f.events.seqs[chat]
	switch {
	case known && event.Seq <= last:
		return nil
	case known && event.Seq > last+1:
		return f.catchUpChat(ctx, chat, last)
	}
	f.events.seqs[chat] = event.Seq
	f.state.tell(ChatEvent{ChatID: chat, Event: event}, func(may rights) bool { return may.chat })
	return nil
}

// catchUpChat sends the events of a chat after the given one.
func (f *follower) catchUpChat(ctx context.Context, chat core.ID, after int64) error {
	for {
		events, err := f.deps.Store.Tables().Events.Read(ctx, chat, storage.EventRange{After: after, Limit: eventPage})
		if err != nil {
			return err
		}
		for _, event := range events {
			after = event.Seq
			f.events.seqs[chat] = after
			f.state.tell(ChatEvent{ChatID: chat, Event: event}, func(may rights) bool { return may.chat })
		}
		if len(events) < eventPage {
			return nil
		}
	}
}

// hearPreview sends the state of the preview, and remembers it for members that join
// later.
func (f *follower) hearPreview(now core.PreviewState) {
	f.state.lock().preview = &now
	f.state.unlock()
	f.state.tell(PreviewStatus{now}, everybody)
}

// askPreview asks the process with the project's preview to report its state.
func (f *follower) askPreview(ctx context.Context) {
	err := f.deps.Bus.Publish(ctx, core.Notice{Kind: core.NoticePreview, ProjectID: f.project})
	if err != nil && ctx.Err() == nil {
		f.deps.Log.Warn("could not ask for the preview's status", "error", err)
	}
}

// hearProject sends the project's record, and checks which members may stay.
func (f *follower) hearProject(ctx context.Context) error {
	f.gatekeeper.checkAll()
	project, err := f.deps.Store.Tables().Projects.ByID(ctx, f.project)
	if core.IsCode(err, core.CodeNotFound) || err == nil && project.DeletedAt != nil {
		return nil
	}
	if err == nil {
		f.state.tell(ProjectUpdated{f.deps.Present(project)}, everybody)
	}
	return err
}

// catchUp finds out what members missed.
func (f *follower) catchUp(ctx context.Context) error {
	f.events.behind = false
	listing, err := f.deps.Reader.List(ctx, f.project)
	if err != nil {
		return err
	}
	if err := f.hearFiles(ctx, somebody, f.events.missed(listing.Entries)); err != nil {
		return err
	}
	for chat, last := range f.events.seqs {
		if err := f.catchUpChat(ctx, chat, last); err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
	}
	f.state.tell(TasksChanged{}, func(may rights) bool { return may.chat })
	f.state.tell(CommentsChanged{}, func(may rights) bool { return may.chat })
	f.state.tell(DataChanged{}, func(may rights) bool { return may.chat })
	return f.hearProject(ctx)
}

// missed compares the files with what members were told about them.
func (l *followState) missed(entries []core.FileEntry) []core.FileNotice {
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
