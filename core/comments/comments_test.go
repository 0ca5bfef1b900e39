package comments_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/comments"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// board is a workspace with people and a project whose pages they comment on.
type board struct {
	*comments.Service
	t                     *testing.T
	store                 storage.Store
	bus                   broadcast.Bus
	now                   time.Time
	project, other        core.ID
	space                 core.ID
	admin, member, author core.Actor
}

func newBoard(t *testing.T) *board {
	t.Helper()
	b := &board{t: t, store: memory.NewStore(), bus: memory.NewBus(), now: time.Unix(1000, 0)}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	clock := func() time.Time { b.now = b.now.Add(time.Second); return b.now }
	b.Service = comments.New(comments.Deps{
		Store: b.store, Gate: access.NewGate(b.store), Bus: b.bus, Hooks: webhooks.NewQueue(b.store, clock, log), Mail: mailer.New(memory.NewSealer(), clock), Now: clock, Log: log,
	})
	space := core.NewWorkspace("Team", false, nil, core.At(b.now))
	b.must(b.store.Tables().Workspaces.Create(t.Context(), space))
	b.space = space.ID
	b.admin, b.member, b.author = b.person(core.RoleAdmin), b.person(core.RoleMember), b.person(core.RoleMember)
	b.project, b.other = b.newProject(), b.newProject()
	return b
}

func (b *board) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *board) person(role core.Role) core.Actor {
	b.t.Helper()
	user := core.User{ID: core.NewID(), Email: string(core.NewID()) + "@example.com", EmailVerified: true, CreatedAt: core.At(b.now)}
	b.must(b.store.Tables().Users.Create(b.t.Context(), user))
	b.must(b.store.Tables().Workspaces.PutMember(b.t.Context(), core.Membership{WorkspaceID: b.space, UserID: user.ID, Role: role}))
	return core.Actor{UserID: user.ID}
}

func (b *board) newProject() core.ID {
	b.t.Helper()
	project := core.Project{ID: core.NewID(), WorkspaceID: b.space, Name: "Shop", Slug: string(core.NewID()), Visibility: core.VisibilityWorkspace, CreatedBy: b.admin.UserID}
	b.must(b.store.Tables().Projects.Create(b.t.Context(), project))
	return project.ID
}

func (b *board) comment(by core.Actor, text string) comments.Thread {
	b.t.Helper()
	thread, err := b.Create(b.t.Context(), by, b.project, text, core.CommentAnchor{Page: "/", Width: 1440})
	b.must(err)
	return thread
}

func wantCode(t *testing.T, err error, code core.Code, says string) {
	t.Helper()
	if !core.IsCode(err, code) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want the code %s and %q", err, code, says)
	}
}

func TestPeopleTalkAboutAnElement(t *testing.T) {
	b := newBoard(t)
	follow, end := context.WithCancel(t.Context())
	defer end()
	notices, err := b.bus.Follow(follow, b.project)
	b.must(err)
	anchor := core.CommentAnchor{Page: "/about", Width: 390, Element: &core.PageElement{Tag: "h1", Path: "index.html", Line: 3, Column: 5, Selector: "body > h1", Text: "Hello"}}
	thread, err := b.Create(t.Context(), b.author, b.project, "  Too large\n", anchor)
	b.must(err)
	if notice := <-notices; notice.Kind != core.NoticeComments || notice.ProjectID != b.project {
		t.Errorf("got %+v, want a notice of comments", notice)
	}
	if thread.Text != "Too large" || thread.By != b.author.UserID || *thread.Element != *anchor.Element || thread.ResolvedAt != nil || thread.EditedAt != nil {
		t.Errorf("got %+v, want the open thread", thread)
	}
	thread, err = b.Answer(t.Context(), b.member, b.project, thread.ID, "I agree")
	b.must(err)
	reply := thread.Replies[0]
	thread, err = b.Update(t.Context(), b.member, b.project, reply.ID, comments.Change{Text: new("I do agree")})
	b.must(err)
	if got := thread.Replies[0]; got.Text != "I do agree" || got.EditedAt == nil || got.By != b.member.UserID {
		t.Errorf("got %+v, want the changed reply", got)
	}
	thread, err = b.Update(t.Context(), b.member, b.project, thread.ID, comments.Change{Resolved: new(true)})
	b.must(err)
	first := *thread.ResolvedAt
	thread, err = b.Update(t.Context(), b.admin, b.project, thread.ID, comments.Change{Resolved: new(true)})
	b.must(err)
	if *thread.ResolvedBy != b.member.UserID || *thread.ResolvedAt != first {
		t.Errorf("got %+v, want it resolved by the first who did", thread)
	}
	for _, c := range []struct {
		resolved *bool
		want     int
	}{{nil, 1}, {new(true), 1}, {new(false), 0}} {
		if got, err := b.List(t.Context(), b.admin, b.project, c.resolved, core.Page{Limit: 9}); err != nil || len(got) != c.want {
			t.Errorf("got %+v, %v, want %d threads", got, err, c.want)
		}
	}
	thread, err = b.Update(t.Context(), b.author, b.project, thread.ID, comments.Change{Resolved: new(false)})
	if err != nil || thread.ResolvedAt != nil || thread.ResolvedBy != nil || len(thread.Replies) != 1 {
		t.Errorf("got %+v, %v, want it open", thread, err)
	}
}

func TestPeopleChangeOnlyWhatTheyWrote(t *testing.T) {
	b := newBoard(t)
	thread := b.comment(b.author, "x")
	_, err := b.Update(t.Context(), b.admin, b.project, thread.ID, comments.Change{Text: new("y")})
	wantCode(t, err, core.CodeForbidden, "only the author")
	wantCode(t, b.Delete(t.Context(), b.member, b.project, thread.ID), core.CodeForbidden, "resolve it")
	replied, err := b.Answer(t.Context(), b.author, b.project, thread.ID, "z")
	b.must(err)
	reply := replied.Replies[0].ID
	_, err = b.Update(t.Context(), b.author, b.project, reply, comments.Change{Resolved: new(true)})
	wantCode(t, err, core.CodeValidationFailed, "resolved")
	_, err = b.Update(t.Context(), b.author, b.project, reply, comments.Change{})
	wantCode(t, err, core.CodeValidationFailed, "text, resolved")
	_, err = b.Answer(t.Context(), b.author, b.project, reply, "z")
	wantCode(t, err, core.CodeNotFound, "thread")
	b.must(b.Delete(t.Context(), b.admin, b.project, reply))
	b.must(b.Delete(t.Context(), b.author, b.project, thread.ID))
	wantCode(t, b.Delete(t.Context(), b.author, b.project, thread.ID), core.CodeNotFound, "comment")
}

func TestACommentBelongsToItsProject(t *testing.T) {
	b := newBoard(t)
	thread := b.comment(b.author, "x")
	_, err := b.Answer(t.Context(), b.author, b.other, thread.ID, "y")
	wantCode(t, err, core.CodeNotFound, "comment")
	_, err = b.Update(t.Context(), b.author, b.other, thread.ID, comments.Change{Text: new("y")})
	wantCode(t, err, core.CodeNotFound, "comment")
	wantCode(t, b.Delete(t.Context(), b.author, b.other, thread.ID), core.CodeNotFound, "comment")
	stranger := core.Actor{UserID: core.NewID()}
	_, err = b.List(t.Context(), stranger, b.project, nil, core.Page{Limit: 9})
	wantCode(t, err, core.CodeNotFound, "project")
}

// TestTheOthersInAThreadGetAMail wants one mail to each other who still sees the project.
func TestTheOthersInAThreadGetAMail(t *testing.T) {
	b := newBoard(t)
	mails := func() (count int) {
		for {
			if _, err := b.store.Tables().Mails.Claim(t.Context(), core.At(b.now)+1e9, core.At(b.now)+2e9); err != nil {
				return count
			}
			count++
		}
	}
	thread := b.comment(b.author, "x")
	answer := func(by core.Actor, want int, why string) {
		t.Helper()
		_, err := b.Answer(t.Context(), by, b.project, thread.ID, "y")
		b.must(err)
		if got := mails(); got != want {
			t.Errorf("%s: got %d mails, want %d", why, got, want)
		}
	}
	answer(b.author, 0, "alone")
	answer(b.member, 1, "a second person")
	answer(b.admin, 2, "a third person")
	b.must(b.store.Tables().Members.Remove(t.Context(), b.space, b.author.UserID))
	answer(b.admin, 1, "without one who has left")
	_, err := b.store.Tables().Users.Update(t.Context(), b.member.UserID, func(user *core.User) error { user.EmailVerified = false; return nil })
	b.must(err)
	answer(b.admin, 0, "to nobody who has not proven the address")
}

func TestWhatACommentHoldsIsBounded(t *testing.T) {
	b := newBoard(t)
	element := core.PageElement{Tag: "h1", Path: "a.tsx", Line: 1, Column: 1, Selector: "h1"}
	for field, anchor := range map[string]core.CommentAnchor{
		"page":             {Page: "about", Width: 1},
		"page must":        {Page: "/" + strings.Repeat("x", core.MaxCommentPageChars), Width: 1},
		"width":            {Page: "/"},
		"element.tag":      {Page: "/", Width: 1, Element: &core.PageElement{Tag: "H1 x", Selector: "h1"}},
		"element.selector": {Page: "/", Width: 1, Element: &core.PageElement{Tag: "h1"}},
		"element.text":     {Page: "/", Width: 1, Element: &core.PageElement{Tag: "h1", Selector: "h1", Text: strings.Repeat("é", core.MaxElementTextChars+1)}},
		"element.path":     {Page: "/", Width: 1, Element: &core.PageElement{Tag: "h1", Selector: "h1", Path: "../a", Line: 1, Column: 1}},
		"element.line":     {Page: "/", Width: 1, Element: &core.PageElement{Tag: "h1", Selector: "h1", Line: 1}},
		"element.column":   {Page: "/", Width: 1, Element: &core.PageElement{Tag: "h1", Selector: "h1", Path: "a", Line: 1}},
	} {
		_, err := b.Create(t.Context(), b.author, b.project, "x", anchor)
		wantCode(t, err, core.CodeValidationFailed, field)
	}
	for _, text := range []string{"", " \n", strings.Repeat("é", core.MaxCommentChars+1), "a\x00b", "\xff"} {
		_, err := b.Create(t.Context(), b.author, b.project, text, core.CommentAnchor{Page: "/", Width: 1, Element: &element})
		wantCode(t, err, core.CodeValidationFailed, "text")
	}
	thread := b.comment(b.author, strings.Repeat("é", core.MaxCommentChars))
	fill := func(count int, thread *core.ID) {
		for range count {
			made := core.Comment{ID: core.NewID(), ProjectID: b.project, ThreadID: thread, Text: "x", CreatedBy: b.author.UserID}
			b.must(b.store.Tables().Comments.Create(t.Context(), made))
		}
	}
	fill(core.MaxCommentReplies, &thread.ID)
	_, err := b.Answer(t.Context(), b.author, b.project, thread.ID, "one more")
	wantCode(t, err, core.CodeConflict, "100 replies")
	fill(core.MaxCommentThreads-1, nil)
	_, err = b.Create(t.Context(), b.author, b.project, "one more", core.CommentAnchor{Page: "/", Width: 1})
	wantCode(t, err, core.CodeConflict, "500 comments")
}
