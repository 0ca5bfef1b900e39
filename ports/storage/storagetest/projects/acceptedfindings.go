package projects

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func acceptedFindingClauses() []clause {
	return []clause{
		{"accepted findings are listed by id, each project's own", acceptedFindingsListed},
		{"a finding that was accepted stays as it is", acceptedFindingsStay},
		{"accepted findings go with their project", acceptedFindingsOfProject},
		{"an accepted finding needs a project and text", acceptedFindingRefused},
		{"no call on accepted findings outlives its context", acceptedFindingsEnded},
	}
}

func (s testCase) newAccepted(project core.ID) core.AcceptedFinding {
	return core.AcceptedFinding{ProjectID: project, FindingID: core.NewID(), By: core.NewID(), CreatedAt: s.Now()}
}

func acceptedFindingsListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	accepted := []core.AcceptedFinding{s.newAccepted(project.ID), s.newAccepted(project.ID)}
	slices.SortFunc(accepted, func(a, b core.AcceptedFinding) int {
		return strings.Compare(string(a.FindingID), string(b.FindingID))
	})
	same := accepted[0]
	same.ProjectID = other.ID
	for _, one := range []core.AcceptedFinding{accepted[1], accepted[0], same} {
		s.Must(s.AcceptedFindings.Add(s.Context(), one))
	}
	got, err := s.AcceptedFindings.List(s.Context(), project.ID)
	s.Want(got, err, accepted)
	got, err = s.AcceptedFindings.List(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
}

func acceptedFindingsStay(s testCase) {
	project := s.Project(s.Workspace().ID)
	first := s.newAccepted(project.ID)
	s.Must(s.AcceptedFindings.Add(s.Context(), first))
	again := first
	again.By = core.NewID()
	s.Must(s.AcceptedFindings.Add(s.Context(), again))
	got, err := s.AcceptedFindings.List(s.Context(), project.ID)
	s.Want(got, err, []core.AcceptedFinding{first})
}

func acceptedFindingsOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.Must(s.AcceptedFindings.Add(s.Context(), s.newAccepted(project.ID)))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	got, err := s.AcceptedFindings.List(s.Context(), project.ID)
	s.Want(len(got), err, 0)
}

func acceptedFindingRefused(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.WantCode(s.AcceptedFindings.Add(s.Context(), s.newAccepted(core.NewID())), core.CodeNotFound)
	for _, text := range fixture.Unstorable() {
		accepted := s.newAccepted(project.ID)
		accepted.FindingID = core.ID(text)
		s.WantCode(s.AcceptedFindings.Add(s.Context(), accepted), core.CodeValidationFailed)
	}
}

func acceptedFindingsEnded(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.WantCode(s.AcceptedFindings.Add(s.Ended(), s.newAccepted(project.ID)), core.CodeUnavailable)
	_, err := s.AcceptedFindings.List(s.Ended(), project.ID)
	s.WantCode(err, core.CodeUnavailable)
}
