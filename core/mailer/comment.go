package mailer

import (
	"context"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxDailyComments bounds the mails about comments to one person a day (UTC).
const MaxDailyComments = 20

// CommentReply tells somebody who takes part in a thread of comments that somebody else replied.
type CommentReply struct {
	ProjectID, ThreadID core.ID
	// Project and Name, who replied, are names for people; the mail leaves out what could be read as
	// a link. It does not have the reply's text, which would travel in the service's name.
	Project, Name string
}

// CommentReplied stores a mail to a user in the caller's transaction. Like Notify it writes only to
// proven addresses, and leaves out what is beyond the limit of the day.
func (q *Queue) CommentReplied(ctx context.Context, tables storage.Tables, user core.User, reply CommentReply) error {
	if !user.EmailVerified {
		return nil
	}
	err := q.count(ctx, tables, "comments to "+string(user.ID), MaxDailyComments, "a person gets at most %d of these mails a day")
	if core.IsCode(err, core.CodeRateLimited) {
		return nil
	}
	if err != nil {
		return err
	}
	return q.store(ctx, tables, letter{Kind: letterComment, To: user.Email, Language: user.Language, Comment: &reply})
}

// commentMail writes the mail about a reply.
func commentMail(id core.ID, origin Origin, language core.Language, to string, reply CommentReply) (mail.Message, error) {
	query := url.Values{"pane": {"preview"}, "comment": {string(reply.ThreadID)}}
	return compose(id, language, letterComment, words{
		To: to, Link: string(origin) + "/projects/" + url.PathEscape(string(reply.ProjectID)) + "?" + query.Encode(),
		Project: harmless(plainName(reply.Project)), Name: harmless(plainName(reply.Name)),
	})
}
