package projects

import (
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func versionMarkClauses() []clause {
	return []clause{
		{"the marks of versions are listed, the last changed first, each project's own", versionMarksListed},
		{"a mark without a name and a star is removed", versionMarkRemoved},
		{"marks of versions go with their project", versionMarksOfProject},
		{"a mark needs a project and text", versionMarkRefused},
		{"no call on marks of versions outlives its context", versionMarksEnded},
	}
}

func newVersionMark(s testCase, project core.ID, version string) core.VersionMark {
	return core.VersionMark{ProjectID: project, Version: strings.Repeat(version, 40), Name: "Before the launch's 'day'", MarkedAt: s.Now()}
}

func versionMarksListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, second := newVersionMark(s, project.ID, "a"), newVersionMark(s, project.ID, "b")
	second.MarkedAt++
	for _, mark := range []core.VersionMark{first, second, newVersionMark(s, other.ID, "a")} {
		s.Must(s.VersionMarks.Put(s.Context(), mark))
	}
	first.Name, first.Starred, first.MarkedAt = "", true, second.MarkedAt+1
	s.Must(s.VersionMarks.Put(s.Context(), first))
	got, err := s.VersionMarks.List(s.Context(), project.ID)
	s.Want(got, err, []core.VersionMark{first, second})
	got, err = s.VersionMarks.List(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
}

func versionMarkRemoved(s testCase) {
	project := s.Project(s.Workspace().ID)
	mark := newVersionMark(s, project.ID, "a")
	s.Must(s.VersionMarks.Put(s.Context(), mark))
	mark.Name = ""
	for range 2 {
		s.Must(s.VersionMarks.Put(s.Context(), mark))
	}
	got, err := s.VersionMarks.List(s.Context(), project.ID)
	s.Want(len(got), err, 0)
}

func versionMarksOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.Must(s.VersionMarks.Put(s.Context(), newVersionMark(s, project.ID, "a")))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	got, err := s.VersionMarks.List(s.Context(), project.ID)
	s.Want(len(got), err, 0)
}

func versionMarkRefused(s testCase) {
	s.WantCode(s.VersionMarks.Put(s.Context(), newVersionMark(s, core.NewID(), "a")), core.CodeNotFound)
	project := s.Project(s.Workspace().ID)
	for _, text := range fixture.Unstorable() {
		mark := newVersionMark(s, project.ID, "a")
		mark.Name = text
		s.WantCode(s.VersionMarks.Put(s.Context(), mark), core.CodeValidationFailed)
	}
}

func versionMarksEnded(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.WantCode(s.VersionMarks.Put(s.Ended(), newVersionMark(s, project.ID, "a")), core.CodeUnavailable)
	_, err := s.VersionMarks.List(s.Ended(), project.ID)
	s.WantCode(err, core.CodeUnavailable)
}
