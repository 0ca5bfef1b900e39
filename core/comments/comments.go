package comments

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// Deps has the dependencies of a Service. Log gets failures of the bus.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	Bus   broadcast.Bus
	Hooks *webhooks.Queue
	Mail  *mailer.Queue
	Now   func() time.Time
	Log   *slog.Logger
}

// Service has the use cases around comments. Many goroutines may use it. Every method asks the gate
// first; its errors are those of access.Gate.Project and those that the method names.
type Service struct{ deps Deps }

// New returns a service over the ports.
func New(deps Deps) *Service { return &Service{deps} }

// Reply is a comment as people see it. By may be somebody who has left.
type Reply struct {
	ID        core.ID    `json:"id"`
	Text      string     `json:"text"`
	By        core.ID    `json:"by"`
	CreatedAt core.Time  `json:"createdAt"`
	EditedAt  *core.Time `json:"editedAt"`
}

// Thread is a comment with its replies, the oldest first.
type Thread struct {
	Reply
	core.CommentAnchor
	// ResolvedAt and ResolvedBy are nil while the thread is open.
	ResolvedAt *core.Time `json:"resolvedAt"`
	ResolvedBy *core.ID   `json:"resolvedBy"`
	Replies    []Reply    `json:"replies"`
}

func replyOf(comment core.Comment) Reply {
	reply := Reply{ID: comment.ID, Text: comment.Text, By: comment.CreatedBy, CreatedAt: comment.CreatedAt}
	if comment.EditedAt > 0 {
		reply.EditedAt = &comment.EditedAt
	}
	return reply
}

func threadOf(first core.Comment) Thread {
	thread := Thread{Reply: replyOf(first), CommentAnchor: first.Anchor, Replies: []Reply{}}
	if first.ResolvedAt > 0 {
		thread.ResolvedAt, thread.ResolvedBy = &first.ResolvedAt, &first.ResolvedBy
	}
	return thread
}

// threadsOf adds the replies to first comments.
func threadsOf(ctx context.Context, tables storage.Tables, firsts []core.Comment) ([]Thread, error) {
	if len(firsts) == 0 {
		return nil, nil
	}
	ids, at := make([]core.ID, len(firsts)), map[core.ID]int{}
	threads := make([]Thread, len(firsts))
	for i, first := range firsts {
		ids[i], threads[i], at[first.ID] = first.ID, threadOf(first), i
	}
	replies, err := tables.Comments.Replies(ctx, ids)
	for _, reply := range replies {
		thread := &threads[at[*reply.ThreadID]]
		thread.Replies = append(thread.Replies, replyOf(reply))
	}
	return threads, err
}

// List returns a page of a project's threads, newest first. resolved selects those that are resolved,
// or that are open; nil selects both.
func (s *Service) List(ctx context.Context, by core.Actor, project core.ID, resolved *bool, page core.Page) ([]Thread, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionCommentRead, project); err != nil {
		return nil, err
	}
	tables := s.deps.Store.Tables()
	firsts, err := tables.Comments.Threads(ctx, storage.ThreadFilter{Project: project, Resolved: resolved}, page)
	if err != nil {
		return nil, err
	}
	return threadsOf(ctx, tables, firsts)
}

// Create begins a thread. It returns core.CodeValidationFailed, which names the field, and
// core.CodeConflict beyond core.MaxCommentThreads.
func (s *Service) Create(ctx context.Context, by core.Actor, project core.ID, text string, anchor core.CommentAnchor) (Thread, error) {
	made := core.Comment{ID: core.NewID(), ProjectID: project, Text: text, Anchor: anchor, CreatedBy: by.UserID, CreatedAt: s.now()}
	return s.add(ctx, by, made, func(ctx context.Context, tables storage.Tables) error {
		if err := anchor.Check(); err != nil {
			return err
		}
		count, err := tables.Comments.CountThreads(ctx, project)
		if err == nil && count >= core.MaxCommentThreads {
			err = core.Errorf(core.CodeConflict, "the project has %d comments: delete some that are resolved", core.MaxCommentThreads)
		}
		return err
	})
}

// Answer adds a reply to a thread, and returns the thread. It returns core.CodeNotFound if the project
// has no such thread, core.CodeValidationFailed, and core.CodeConflict beyond core.MaxCommentReplies.
func (s *Service) Answer(ctx context.Context, by core.Actor, project, thread core.ID, text string) (Thread, error) {
	made := core.Comment{ID: core.NewID(), ProjectID: project, ThreadID: &thread, Text: text, CreatedBy: by.UserID, CreatedAt: s.now()}
	return s.add(ctx, by, made, func(ctx context.Context, tables storage.Tables) error {
		first, err := ownIn(ctx, tables, project, thread)
		if err != nil {
			return err
		}
		if first.ThreadID != nil {
			return core.NotFound("thread")
		}
		count, err := tables.Comments.CountReplies(ctx, thread)
		if err == nil && count >= core.MaxCommentReplies {
			err = core.Errorf(core.CodeConflict, "the thread has %d replies: start another one", core.MaxCommentReplies)
		}
		return err
	})
}

// ownIn returns a comment of a project.
func ownIn(ctx context.Context, tables storage.Tables, project, id core.ID) (core.Comment, error) {
	comment, err := tables.Comments.ByID(ctx, id)
	if err == nil && comment.ProjectID != project {
		err = core.NotFound("comment")
	}
	if err != nil {
		return core.Comment{}, err
	}
	return comment, nil
}

// threadIn returns the thread with a comment.
func threadIn(ctx context.Context, tables storage.Tables, comment core.Comment) (Thread, error) {
	if comment.ThreadID != nil {
		first, err := tables.Comments.ByID(ctx, *comment.ThreadID)
		if err != nil {
			return Thread{}, err
		}
		comment = first
	}
	threads, err := threadsOf(ctx, tables, []core.Comment{comment})
	if err != nil {
		return Thread{}, err
	}
	return threads[0], nil
}

func (s *Service) now() core.Time { return core.At(s.deps.Now()) }

// announce tells the project's followers that its comments changed. They can read them again at any
// time, so a failure of the bus is only logged.
func (s *Service) announce(ctx context.Context, project core.ID) {
	if err := s.deps.Bus.Publish(context.WithoutCancel(ctx), core.Notice{Kind: core.NoticeComments, ProjectID: project}); err != nil {
		s.deps.Log.WarnContext(ctx, "could not notify followers of a comment", "project", project, "error", err)
	}
}
