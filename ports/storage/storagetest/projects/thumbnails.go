package projects

import (
	"bytes"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func thumbnailClauses() []clause {
	return []clause{
		{"a thumbnail comes back as it was stored, and the last one counts", thumbnailComesBack},
		{"a thumbnail of the largest size comes back", largestThumbnail},
		{"a thumbnail that is not there is not found", thumbnailNotFound},
		{"a thumbnail goes with its project", thumbnailGoes},
	}
}

func thumbnailComesBack(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	for _, data := range []string{"first\x00\xff", "second"} {
		want := core.Thumbnail{ProjectID: project.ID, PNG: []byte(data), TakenAt: s.Now()}
		s.Must(s.Thumbnails.Put(s.Context(), want))
		got, err := s.Thumbnails.ByProject(s.Context(), project.ID)
		s.Want(got, err, want)
		copy(got.PNG, "changed")
	}
	got, err := s.Thumbnails.ByProject(s.Context(), project.ID)
	s.Want(string(got.PNG), err, "second")
	_, err = s.Thumbnails.ByProject(s.Context(), other.ID)
	s.WantCode(err, core.CodeNotFound)
}

func largestThumbnail(s testCase) {
	want := core.Thumbnail{ProjectID: s.Project(s.Workspace().ID).ID, PNG: bytes.Repeat([]byte("\x00'\xff?"), core.MaxThumbnailBytes/4), TakenAt: s.Now()}
	s.Must(s.Thumbnails.Put(s.Context(), want))
	got, err := s.Thumbnails.ByProject(s.Context(), want.ProjectID)
	if err != nil || !bytes.Equal(got.PNG, want.PNG) {
		s.Errorf("got %d bytes, %v, want %d", len(got.PNG), err, len(want.PNG))
	}
}

func thumbnailNotFound(s testCase) {
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err := s.Thumbnails.ByProject(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Thumbnails.Put(s.Context(), core.Thumbnail{ProjectID: id, PNG: []byte("x")}), core.CodeNotFound)
	}
}

func thumbnailGoes(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.Must(s.Thumbnails.Put(s.Context(), core.Thumbnail{ProjectID: project.ID, PNG: []byte("x")}))
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	_, err := s.Thumbnails.ByProject(s.Context(), project.ID)
	s.WantCode(err, core.CodeNotFound)
}
