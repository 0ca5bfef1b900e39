package comments

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/storage"
)

// add stores a comment that refuse returns no error for, and returns its thread.
func (s *Service) add(ctx context.Context, by core.Actor, made core.Comment, refuse func(context.Context, storage.Tables) error) (Thread, error) {
	var thread Thread
	err := s.change(ctx, by, core.ActionCommentAdd, made.ProjectID, func(ctx context.Context, tables storage.Tables) error {
		text, err := core.CheckCommentText("text", made.Text)
		if err != nil {
			return err
		}
		made.Text = text
		if err := refuse(ctx, tables); err != nil {
			return err
		}
		if err := tables.Comments.Create(ctx, made); err != nil {
			return err
		}
		if err := s.deps.Hooks.Add(ctx, tables, webhooks.CommentCreated(made)); err != nil {
			return err
		}
		if thread, err = threadIn(ctx, tables, made); err != nil {
			return err
		}
		return s.mail(ctx, tables, made, thread)
	})
	if err == nil {
		s.deps.Hooks.Wake()
		s.deps.Mail.Wake()
	}
	return thread, err
}

// mail tells the others who wrote in a thread of a reply, if they still see the project.
func (s *Service) mail(ctx context.Context, tables storage.Tables, made core.Comment, thread Thread) error {
	if made.ThreadID == nil {
		return nil
	}
	project, err := tables.Projects.ByID(ctx, made.ProjectID)
	if err != nil {
		return err
	}
	author, err := tables.Users.ByID(ctx, made.CreatedBy)
	if err != nil {
		return err
	}
	reply := mailer.CommentReply{ProjectID: project.ID, ThreadID: thread.ID, Project: project.Name}
	if author.DisplayName != nil {
		reply.Name = *author.DisplayName
	}
	told := map[core.ID]bool{made.CreatedBy: true}
	for _, said := range append([]Reply{thread.Reply}, thread.Replies...) {
		if told[said.By] {
			continue
		}
		told[said.By] = true
		reader, err := tables.Users.OnProject(ctx, said.By, project.ID)
		if core.IsCode(err, core.CodeNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		sees := core.RuleOf(core.ActionCommentRead).AuthorizeProject(core.Actor{UserID: said.By}, reader.Standing, reader.Access) == nil
		if !sees || reader.User.DisabledAt > 0 {
			continue
		}
		if err := s.deps.Mail.CommentReplied(ctx, tables, reader.User, reply); err != nil {
			return err
		}
	}
	return nil
}

// change runs do in a transaction for a caller who may do action, and tells the project's followers.
func (s *Service) change(ctx context.Context, by core.Actor, action core.Action, project core.ID, do func(context.Context, storage.Tables) error) error {
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, action, project); err != nil {
			return err
		}
		return do(ctx, tables)
	})
	if err == nil {
		s.announce(ctx, project)
	}
	return err
}

// Change is a change of a comment; nil leaves a field as it is.
type Change struct {
	// Text is for the comment's author alone.
	Text *string
	// Resolved resolves the comment's thread, or opens it again. It is for first comments.
	Resolved *bool
}

// Update changes a comment, and returns its thread. It returns core.CodeNotFound if the project has no
// such comment, core.CodeForbidden for the text of somebody else, and core.CodeValidationFailed.
func (s *Service) Update(ctx context.Context, by core.Actor, project, id core.ID, change Change) (Thread, error) {
	var thread Thread
	err := s.change(ctx, by, core.ActionCommentChange, project, func(ctx context.Context, tables storage.Tables) error {
		if _, err := ownIn(ctx, tables, project, id); err != nil {
			return err
		}
		changed, err := tables.Comments.Update(ctx, id, func(comment *core.Comment) error { return s.apply(comment, by, change) })
		if err != nil {
			return err
		}
		thread, err = threadIn(ctx, tables, changed)
		return err
	})
	return thread, err
}

func (s *Service) apply(comment *core.Comment, by core.Actor, change Change) error {
	if change.Text == nil && change.Resolved == nil {
		return core.Errorf(core.CodeValidationFailed, "send text, resolved or both")
	}
	now := s.now()
	if change.Text != nil {
		text, err := core.CheckCommentText("text", *change.Text)
		if err != nil {
			return err
		}
		if comment.CreatedBy != by.UserID {
			return core.Errorf(core.CodeForbidden, "only the author of a comment changes its text: reply instead")
		}
		if text != comment.Text {
			comment.Text, comment.EditedAt = text, now
		}
	}
	if change.Resolved == nil {
		return nil
	}
	switch isResolved := comment.ResolvedAt > 0; {
	case comment.ThreadID != nil:
		return core.Errorf(core.CodeValidationFailed, "resolved is for the first comment of a thread")
	case *change.Resolved && !isResolved:
		comment.ResolvedAt, comment.ResolvedBy = now, by.UserID
	case !*change.Resolved:
		comment.ResolvedAt, comment.ResolvedBy = 0, ""
	}
	return nil
}

// Delete deletes a comment; the first of a thread takes the replies with it. It returns
// core.CodeNotFound if the project has no such comment, and core.CodeForbidden to members who neither
// wrote it nor administer the workspace.
func (s *Service) Delete(ctx context.Context, by core.Actor, project, id core.ID) error {
	return s.change(ctx, by, core.ActionCommentChange, project, func(ctx context.Context, tables storage.Tables) error {
		comment, err := ownIn(ctx, tables, project, id)
		if err != nil {
			return err
		}
		if comment.CreatedBy != by.UserID {
			_, standing, err := tables.Projects.SeenBy(ctx, project, by.UserID)
			if err != nil {
				return err
			}
			if !standing.Role.AtLeast(core.RoleAdmin) {
				return core.Errorf(core.CodeForbidden, "only its author and admins of the workspace delete a comment: resolve it instead")
			}
		}
		return tables.Comments.Delete(ctx, id)
	})
}
