package projects

import (
	"bytes"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func checkOutcomeClauses() []clause {
	return []clause{
		{"the outcomes of checks are listed by name, each project's own", checkOutcomesListed},
		{"the last outcome of a check counts, and the picture of its last failure", lastCheckOutcome},
		{"a picture of the largest size comes back", largestCheckPicture},
		{"outcomes of checks that are gone are removed", checkOutcomesKept},
		{"outcomes of checks go with their project", checkOutcomesOfProject},
		{"an outcome needs a project and text", checkOutcomeRefused},
		{"no call on outcomes of checks outlives its context", checkOutcomesEnded},
	}
}

func newCheckOutcome(s testCase, project core.ID, name string) core.CheckOutcome {
	return core.CheckOutcome{ProjectID: project, Name: name, Step: 3, Message: "there is no button 'Save'\n", Millis: 1200, PlayedAt: s.Now()}
}

func checkOutcomesListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, second := newCheckOutcome(s, project.ID, "a-b"), newCheckOutcome(s, project.ID, "ab")
	second.Passed, second.Step, second.Message = true, 0, ""
	for _, outcome := range []core.CheckOutcome{second, first, newCheckOutcome(s, other.ID, "a-b")} {
		s.Must(s.CheckOutcomes.Put(s.Context(), outcome, nil))
	}
	got, err := s.CheckOutcomes.List(s.Context(), project.ID)
	s.Want(got, err, []core.CheckOutcome{first, second})
	got, err = s.CheckOutcomes.List(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
}

func lastCheckOutcome(s testCase) {
	project := s.Project(s.Workspace().ID)
	failed := newCheckOutcome(s, project.ID, "add")
	s.Must(s.CheckOutcomes.Put(s.Context(), failed, nil))
	_, err := s.CheckOutcomes.Picture(s.Context(), project.ID, "add")
	s.WantCode(err, core.CodeNotFound)
	failed.PicturedAt = s.Now()
	for _, data := range []string{"first\x00\xff", "second"} {
		s.Must(s.CheckOutcomes.Put(s.Context(), failed, []byte(data)))
		picture, err := s.CheckOutcomes.Picture(s.Context(), project.ID, "add")
		s.Want(string(picture), err, data)
		copy(picture, "changed")
	}
	passed := core.CheckOutcome{ProjectID: project.ID, Name: "add", Passed: true, Millis: 7, PlayedAt: failed.PlayedAt + 1}
	s.Must(s.CheckOutcomes.Put(s.Context(), passed, nil))
	passed.PicturedAt = failed.PicturedAt
	got, err := s.CheckOutcomes.List(s.Context(), project.ID)
	s.Want(got, err, []core.CheckOutcome{passed})
	picture, err := s.CheckOutcomes.Picture(s.Context(), project.ID, "add")
	s.Want(string(picture), err, "second")
	_, err = s.CheckOutcomes.Picture(s.Context(), project.ID, "other")
	s.WantCode(err, core.CodeNotFound)
}

func largestCheckPicture(s testCase) {
	project := s.Project(s.Workspace().ID)
	want := bytes.Repeat([]byte("\x00'\xff?"), core.MaxCheckPicture/4)
	s.Must(s.CheckOutcomes.Put(s.Context(), newCheckOutcome(s, project.ID, "add"), want))
	got, err := s.CheckOutcomes.Picture(s.Context(), project.ID, "add")
	if err != nil || !bytes.Equal(got, want) {
		s.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
}

func checkOutcomesKept(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	foreign := newCheckOutcome(s, other.ID, "gone")
	s.Must(s.CheckOutcomes.Put(s.Context(), foreign, []byte("x")))
	kept := newCheckOutcome(s, project.ID, "kept")
	kept.PicturedAt = s.Now()
	for _, outcome := range []core.CheckOutcome{kept, newCheckOutcome(s, project.ID, "gone")} {
		s.Must(s.CheckOutcomes.Put(s.Context(), outcome, []byte("x")))
	}
	s.Must(s.CheckOutcomes.Keep(s.Context(), project.ID, []string{"kept", "new"}))
	got, err := s.CheckOutcomes.List(s.Context(), project.ID)
	s.Want(got, err, []core.CheckOutcome{kept})
	_, err = s.CheckOutcomes.Picture(s.Context(), project.ID, "gone")
	s.WantCode(err, core.CodeNotFound)
	s.Must(s.CheckOutcomes.Keep(s.Context(), project.ID, nil))
	got, err = s.CheckOutcomes.List(s.Context(), project.ID)
	s.Want(len(got), err, 0)
	got, err = s.CheckOutcomes.List(s.Context(), other.ID)
	s.Want(len(got), err, 1)
}

func checkOutcomesOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.Must(s.CheckOutcomes.Put(s.Context(), newCheckOutcome(s, project.ID, "add"), []byte("x")))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	got, err := s.CheckOutcomes.List(s.Context(), project.ID)
	s.Want(len(got), err, 0)
	_, err = s.CheckOutcomes.Picture(s.Context(), project.ID, "add")
	s.WantCode(err, core.CodeNotFound)
}

func checkOutcomeRefused(s testCase) {
	s.WantCode(s.CheckOutcomes.Put(s.Context(), newCheckOutcome(s, core.NewID(), "add"), nil), core.CodeNotFound)
	project := s.Project(s.Workspace().ID)
	for _, text := range fixture.Unstorable() {
		outcome := newCheckOutcome(s, project.ID, "add")
		outcome.Message = text
		s.WantCode(s.CheckOutcomes.Put(s.Context(), outcome, nil), core.CodeValidationFailed)
		s.WantCode(s.CheckOutcomes.Put(s.Context(), newCheckOutcome(s, project.ID, text), nil), core.CodeValidationFailed)
	}
}

func checkOutcomesEnded(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.WantCode(s.CheckOutcomes.Put(s.Ended(), newCheckOutcome(s, project.ID, "add"), nil), core.CodeUnavailable)
	_, err := s.CheckOutcomes.List(s.Ended(), project.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.CheckOutcomes.Picture(s.Ended(), project.ID, "add")
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.CheckOutcomes.Keep(s.Ended(), project.ID, nil), core.CodeUnavailable)
}
