package projects

import (
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func testMailClauses() []clause {
	return []clause{
		{"test mails are listed from the newest, each project's own", testMailsListed},
		{"a project keeps its newest test mails", testMailsKept},
		{"test mails go with their project", testMailsOfProject},
		{"a test mail needs a project, an id of its own and text", testMailRefused},
		{"no call on test mails outlives its context", testMailsEnded},
	}
}

func (s testCase) newTestMail(project core.ID, subject string) core.TestMail {
	return core.TestMail{ID: core.NewID(), ProjectID: project, To: "anna@example.com", Subject: subject, Text: "Hello 'Anna'\n", CreatedAt: s.Now()}
}

func testMailsListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, second := s.newTestMail(project.ID, "first"), s.newTestMail(project.ID, "second")
	for _, mail := range []core.TestMail{first, second, s.newTestMail(other.ID, "foreign")} {
		s.Must(s.TestMails.Add(s.Context(), mail))
	}
	got, err := s.TestMails.List(s.Context(), project.ID)
	s.Want(got, err, []core.TestMail{second, first})
	got, err = s.TestMails.List(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
}

func testMailsKept(s testCase) {
	project := s.Project(s.Workspace().ID)
	for i := range core.MaxTestMails + 2 {
		s.Must(s.TestMails.Add(s.Context(), s.newTestMail(project.ID, fmt.Sprint("mail ", i))))
	}
	got, err := s.TestMails.List(s.Context(), project.ID)
	s.Want(len(got), err, core.MaxTestMails)
	s.Want(got[len(got)-1].Subject, nil, "mail 2")
}

func testMailsOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.Must(s.TestMails.Add(s.Context(), s.newTestMail(project.ID, "mail")))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	got, err := s.TestMails.List(s.Context(), project.ID)
	s.Want(len(got), err, 0)
}

func testMailRefused(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.WantCode(s.TestMails.Add(s.Context(), s.newTestMail(core.NewID(), "mail")), core.CodeNotFound)
	for _, text := range fixture.Unstorable() {
		s.WantCode(s.TestMails.Add(s.Context(), s.newTestMail(project.ID, text)), core.CodeValidationFailed)
	}
	mail := s.newTestMail(project.ID, "mail")
	s.Must(s.TestMails.Add(s.Context(), mail))
	s.WantCode(s.TestMails.Add(s.Context(), mail), core.CodeConflict)
}

func testMailsEnded(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.WantCode(s.TestMails.Add(s.Ended(), s.newTestMail(project.ID, "mail")), core.CodeUnavailable)
	_, err := s.TestMails.List(s.Ended(), project.ID)
	s.WantCode(err, core.CodeUnavailable)
}
