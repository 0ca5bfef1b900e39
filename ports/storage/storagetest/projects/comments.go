package projects

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func commentClauses() []clause {
	return []clause{
		{"a comment comes back as it was stored", commentComesBack},
		{"a comment that is not there is not found", commentNotFound},
		{"threads are listed newest first, a page at a time, open and resolved", threadsListed},
		{"replies are listed by age, each thread's own", repliesListed},
		{"a person's comments are listed newest first, of one project", commentsOfAuthor},
		{"an update of a comment keeps what cannot change", commentUpdate},
		{"replies go with their thread, and all comments with their project", commentsGo},
		{"comments go in and come out as copies", commentCopies},
		{"no call on comments outlives its context", commentsEnded},
	}
}

func newComment(s testCase, project core.ID) core.Comment {
	return core.Comment{
		ID: core.NewID(), ProjectID: project, Text: "Make it \"bold\" \\ 🎉", CreatedBy: core.NewID(), CreatedAt: s.Now(),
		Anchor: core.CommentAnchor{Page: "/", Width: 390, Element: &core.PageElement{
			Tag: "h1", Path: "src/App.tsx", Line: 3, Column: 7, Selector: "body > h1:nth-of-type(1)", Text: "Hello",
		}},
	}
}

func comment(s testCase, project core.ID, alter ...func(*core.Comment)) core.Comment {
	s.Helper()
	made := newComment(s, project)
	for _, alter := range alter {
		alter(&made)
	}
	s.Must(s.Comments.Create(s.Context(), made))
	return made
}

// later makes a comment younger by seconds. Each reading of the clock is a millisecond later.
func later(seconds core.Time) func(*core.Comment) {
	return func(c *core.Comment) { c.CreatedAt += seconds * 1000 }
}

func replyTo(thread core.Comment) func(*core.Comment) {
	return func(c *core.Comment) { c.ThreadID, c.Anchor = &thread.ID, core.CommentAnchor{} }
}

func commentComesBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	at, by := s.Now(), core.NewID()
	full, plain := newComment(s, project.ID), newComment(s, project.ID)
	full.ResolvedAt, full.ResolvedBy, full.EditedAt = at, by, at
	plain.Anchor.Element = nil
	reply := newComment(s, project.ID)
	replyTo(full)(&reply)
	for _, made := range []core.Comment{full, plain, reply} {
		s.Must(s.Comments.Create(s.Context(), made))
		got, err := s.Comments.ByID(s.Context(), made.ID)
		s.Want(got, err, made)
	}
	for _, text := range fixture.Unstorable() {
		wrong := newComment(s, project.ID)
		wrong.Text = text
		s.WantCode(s.Comments.Create(s.Context(), wrong), core.CodeValidationFailed)
		wrong = newComment(s, project.ID)
		wrong.Anchor.Element.Text = text
		s.WantCode(s.Comments.Create(s.Context(), wrong), core.CodeValidationFailed)
	}
	s.WantCode(s.Comments.Create(s.Context(), newComment(s, core.NewID())), core.CodeNotFound)
	lost := newComment(s, project.ID)
	replyTo(newComment(s, project.ID))(&lost)
	s.WantCode(s.Comments.Create(s.Context(), lost), core.CodeNotFound)
	s.WantCode(s.Comments.Create(s.Context(), plain), core.CodeConflict)
}

func commentNotFound(s testCase) {
	comment(s, s.Project(s.Workspace().ID).ID)
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		id := core.ID(text)
		_, err := s.Comments.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Comments.Update(s.Context(), id, func(*core.Comment) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Comments.Delete(s.Context(), id), core.CodeNotFound)
		threads, err := s.Comments.Threads(s.Context(), storage.ThreadFilter{Project: id}, core.Page{Limit: 9})
		s.Want(len(threads), err, 0)
		replies, err := s.Comments.Replies(s.Context(), []core.ID{id})
		s.Want(len(replies), err, 0)
		own, err := s.Comments.OfAuthor(s.Context(), id, id, core.Page{Limit: 9})
		s.Want(len(own), err, 0)
		count, err := s.Comments.CountThreads(s.Context(), id)
		s.Want(count, err, 0)
		count, err = s.Comments.CountReplies(s.Context(), id)
		s.Want(count, err, 0)
	}
}

func threadsListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	at, by := s.Now(), core.NewID()
	first := comment(s, project.ID)
	third := comment(s, project.ID, later(2), func(c *core.Comment) { c.ResolvedAt, c.ResolvedBy = at, by })
	second := comment(s, project.ID, later(1))
	comment(s, project.ID, replyTo(first), later(5))
	comment(s, other.ID)
	open, done := false, true
	for _, c := range []struct {
		resolved *bool
		page     core.Page
		want     []core.Comment
	}{
		{nil, core.Page{Limit: 9}, []core.Comment{third, second, first}},
		{&open, core.Page{Limit: 9}, []core.Comment{second, first}},
		{&done, core.Page{Limit: 9}, []core.Comment{third}},
		{nil, core.Page{Limit: 2}, []core.Comment{third, second}},
		{nil, core.Page{Limit: 2, Before: &core.Position{CreatedAt: second.CreatedAt, ID: second.ID}}, []core.Comment{first}},
	} {
		got, err := s.Comments.Threads(s.Context(), storage.ThreadFilter{Project: project.ID, Resolved: c.resolved}, c.page)
		s.Want(got, err, c.want)
	}
	for _, limit := range []int{0, -1} {
		got, err := s.Comments.Threads(s.Context(), storage.ThreadFilter{Project: project.ID}, core.Page{Limit: limit})
		s.Want(len(got), err, 0)
	}
	count, err := s.Comments.CountThreads(s.Context(), project.ID)
	s.Want(count, err, 3)
}

func repliesListed(s testCase) {
	project := s.Project(s.Workspace().ID)
	one, two, three := comment(s, project.ID), comment(s, project.ID), comment(s, project.ID)
	late := comment(s, project.ID, replyTo(one), later(2))
	early := comment(s, project.ID, replyTo(one))
	middle := comment(s, project.ID, replyTo(two), later(1))
	comment(s, project.ID, replyTo(three))
	got, err := s.Comments.Replies(s.Context(), []core.ID{one.ID, two.ID})
	s.Want(got, err, []core.Comment{early, middle, late})
	got, err = s.Comments.Replies(s.Context(), nil)
	s.Want(len(got), err, 0)
	count, err := s.Comments.CountReplies(s.Context(), one.ID)
	s.Want(count, err, 2)
}

func commentsOfAuthor(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	person := core.NewID()
	mine := func(c *core.Comment) { c.CreatedBy = person }
	thread := comment(s, project.ID, mine)
	reply := comment(s, project.ID, mine, replyTo(thread), later(1))
	comment(s, project.ID)
	comment(s, other.ID, mine)
	got, err := s.Comments.OfAuthor(s.Context(), project.ID, person, core.Page{Limit: 9})
	s.Want(got, err, []core.Comment{reply, thread})
	got, err = s.Comments.OfAuthor(s.Context(), project.ID, person, core.Page{Limit: 1, Before: &core.Position{CreatedAt: reply.CreatedAt, ID: reply.ID}})
	s.Want(got, err, []core.Comment{thread})
}

func commentUpdate(s testCase) {
	project := s.Project(s.Workspace().ID)
	made := comment(s, project.ID)
	at, by := s.Now(), core.NewID()
	got, err := s.Comments.Update(s.Context(), made.ID, func(c *core.Comment) error {
		c.ID, c.ProjectID, c.ThreadID, c.CreatedBy, c.CreatedAt = core.NewID(), core.NewID(), &by, core.NewID(), 1
		c.Text, c.ResolvedAt, c.ResolvedBy, c.EditedAt = "Other", at, by, at
		return nil
	})
	want := made
	want.Text, want.ResolvedAt, want.ResolvedBy, want.EditedAt = "Other", at, by, at
	s.Want(got, err, want)
	_, err = s.Comments.Update(s.Context(), made.ID, func(c *core.Comment) error { c.Text = "lost"; return core.Errorf(core.CodeForbidden, "no") })
	s.WantCode(err, core.CodeForbidden)
	got, err = s.Comments.Update(s.Context(), made.ID, func(c *core.Comment) error { c.ResolvedAt, c.ResolvedBy = 0, ""; return nil })
	want.ResolvedAt, want.ResolvedBy = 0, ""
	s.Want(got, err, want)
}

func commentsGo(s testCase) {
	project := s.Project(s.Workspace().ID)
	thread, other := comment(s, project.ID), comment(s, project.ID)
	reply, stays := comment(s, project.ID, replyTo(thread)), comment(s, project.ID, replyTo(other))
	s.Must(s.Comments.Delete(s.Context(), thread.ID))
	for _, gone := range []core.Comment{thread, reply} {
		_, err := s.Comments.ByID(s.Context(), gone.ID)
		s.WantCode(err, core.CodeNotFound)
	}
	got, err := s.Comments.ByID(s.Context(), stays.ID)
	s.Want(got, err, stays)
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	for _, gone := range []core.Comment{other, stays} {
		_, err := s.Comments.ByID(s.Context(), gone.ID)
		s.WantCode(err, core.CodeNotFound)
	}
}

func commentCopies(s testCase) {
	made := newComment(s, s.Project(s.Workspace().ID).ID)
	thread := comment(s, made.ProjectID)
	id := thread.ID
	made.ThreadID = &id
	want := made
	want.Anchor.Element, want.ThreadID = new(core.PageElement), &thread.ID
	*want.Anchor.Element = *made.Anchor.Element
	s.Must(s.Comments.Create(s.Context(), made))
	made.Anchor.Element.Text, id = "changed", core.NewID()
	got, err := s.Comments.ByID(s.Context(), made.ID)
	s.Want(got, err, want)
	got.Anchor.Element.Text, *got.ThreadID = "changed", core.NewID()
	got, err = s.Comments.ByID(s.Context(), made.ID)
	s.Want(got, err, want)
}

func commentsEnded(s testCase) {
	made := comment(s, s.Project(s.Workspace().ID).ID)
	s.WantCode(s.Comments.Create(s.Ended(), newComment(s, made.ProjectID)), core.CodeUnavailable)
	_, err := s.Comments.ByID(s.Ended(), made.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Comments.Threads(s.Ended(), storage.ThreadFilter{Project: made.ProjectID}, core.Page{Limit: 1})
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Comments.Replies(s.Ended(), []core.ID{made.ID})
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Comments.OfAuthor(s.Ended(), made.ProjectID, made.CreatedBy, core.Page{Limit: 1})
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Comments.CountThreads(s.Ended(), made.ProjectID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Comments.CountReplies(s.Ended(), made.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Comments.Update(s.Ended(), made.ID, func(*core.Comment) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Comments.Delete(s.Ended(), made.ID), core.CodeUnavailable)
}
