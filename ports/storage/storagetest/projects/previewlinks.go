package projects

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func previewLinkClauses() []clause {
	return []clause{
		{"links to previews are found and listed, the newest first, each project's own", previewLinksListed},
		{"a link to a preview is extended and deleted", previewLinkChanged},
		{"links to previews go with their project", previewLinksOfProject},
		{"a person's links to the previews of one workspace are deleted together", previewLinksOfMaker},
		{"a link needs a project, an id of its own and text", previewLinkRefused},
		{"no call on links to previews outlives its context", previewLinksEnded},
	}
}

func newPreviewLink(s testCase, project core.ID) core.PreviewLink {
	return core.PreviewLink{
		ID: core.NewID(), ProjectID: project, Kind: core.LinkVersion, Target: "0123456789abcdef0123456789abcdef01234567", Name: "for Ann's \"team\"",
		CreatedBy: core.NewID(), CreatedAt: s.Now(), ExpiresAt: s.Now() + 1000,
	}
}

func previewLinksListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first, second := newPreviewLink(s, project.ID), newPreviewLink(s, project.ID)
	second.CreatedAt, second.Kind, second.Target, second.Name = first.CreatedAt+1, core.LinkShare, "", ""
	for _, link := range []core.PreviewLink{first, second, newPreviewLink(s, other.ID)} {
		s.Must(s.PreviewLinks.Create(s.Context(), link))
	}
	got, err := s.PreviewLinks.List(s.Context(), project.ID)
	s.Want(got, err, []core.PreviewLink{second, first})
	got, err = s.PreviewLinks.List(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
	found, err := s.PreviewLinks.ByID(s.Context(), first.ID)
	s.Want(found, err, first)
	_, err = s.PreviewLinks.ByID(s.Context(), core.NewID())
	s.WantCode(err, core.CodeNotFound)
}

func previewLinkChanged(s testCase) {
	project := s.Project(s.Workspace().ID)
	link, other := newPreviewLink(s, project.ID), newPreviewLink(s, project.ID)
	s.Must(s.PreviewLinks.Create(s.Context(), link))
	s.Must(s.PreviewLinks.Create(s.Context(), other))
	link.ExpiresAt += 5
	s.Must(s.PreviewLinks.Extend(s.Context(), link.ID, link.ExpiresAt))
	s.Must(s.PreviewLinks.Extend(s.Context(), core.NewID(), link.ExpiresAt))
	got, err := s.PreviewLinks.ByID(s.Context(), link.ID)
	s.Want(got, err, link)
	for range 2 {
		s.Must(s.PreviewLinks.Delete(s.Context(), link.ID))
	}
	left, err := s.PreviewLinks.List(s.Context(), project.ID)
	s.Want(left, err, []core.PreviewLink{other})
}

func previewLinksOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	link := newPreviewLink(s, project.ID)
	s.Must(s.PreviewLinks.Create(s.Context(), link))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	_, err := s.PreviewLinks.ByID(s.Context(), link.ID)
	s.WantCode(err, core.CodeNotFound)
}

func previewLinksOfMaker(s testCase) {
	workspace := s.Workspace().ID
	first, second, elsewhere := s.Project(workspace), s.Project(workspace), s.Project(s.Workspace().ID)
	own, more, away, others := newPreviewLink(s, first.ID), newPreviewLink(s, second.ID), newPreviewLink(s, elsewhere.ID), newPreviewLink(s, first.ID)
	more.CreatedBy, away.CreatedBy = own.CreatedBy, own.CreatedBy
	for _, link := range []core.PreviewLink{own, more, away, others} {
		s.Must(s.PreviewLinks.Create(s.Context(), link))
	}
	for _, want := range []int{2, 0} {
		deleted, err := s.PreviewLinks.DeleteOf(s.Context(), workspace, own.CreatedBy)
		s.Want(deleted, err, want)
	}
	for _, gone := range []core.PreviewLink{own, more} {
		_, err := s.PreviewLinks.ByID(s.Context(), gone.ID)
		s.WantCode(err, core.CodeNotFound)
	}
	for _, left := range []core.PreviewLink{away, others} {
		got, err := s.PreviewLinks.ByID(s.Context(), left.ID)
		s.Want(got, err, left)
	}
}

func previewLinkRefused(s testCase) {
	s.WantCode(s.PreviewLinks.Create(s.Context(), newPreviewLink(s, core.NewID())), core.CodeNotFound)
	project := s.Project(s.Workspace().ID)
	link := newPreviewLink(s, project.ID)
	s.Must(s.PreviewLinks.Create(s.Context(), link))
	s.WantCode(s.PreviewLinks.Create(s.Context(), link), core.CodeConflict)
	for _, text := range fixture.Unstorable() {
		link := newPreviewLink(s, project.ID)
		link.Name = text
		s.WantCode(s.PreviewLinks.Create(s.Context(), link), core.CodeValidationFailed)
	}
}

func previewLinksEnded(s testCase) {
	link := newPreviewLink(s, s.Project(s.Workspace().ID).ID)
	s.WantCode(s.PreviewLinks.Create(s.Ended(), link), core.CodeUnavailable)
	_, err := s.PreviewLinks.ByID(s.Ended(), link.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.PreviewLinks.List(s.Ended(), link.ProjectID)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.PreviewLinks.Extend(s.Ended(), link.ID, link.ExpiresAt), core.CodeUnavailable)
	s.WantCode(s.PreviewLinks.Delete(s.Ended(), link.ID), core.CodeUnavailable)
	_, err = s.PreviewLinks.DeleteOf(s.Ended(), core.NewID(), link.CreatedBy)
	s.WantCode(err, core.CodeUnavailable)
}
