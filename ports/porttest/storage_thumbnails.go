package porttest

import (
	"bytes"

	"github.com/atelierhq/atelier/core"
)

func storageThumbnailClauses() []storageClause {
	return []storageClause{
		{"a thumbnail comes back as it was stored, and the last one counts", thumbnailComesBack},
		{"a thumbnail of the largest size comes back", largestThumbnail},
		{"a thumbnail that is not there is not found", thumbnailNotFound},
		{"a thumbnail goes with its project", thumbnailGoes},
	}
}

func thumbnailComesBack(s *storageCase) {
	project, other := s.project(s.workspace().ID), s.project(s.workspace().ID)
	for _, data := range []string{"first\x00\xff", "second"} {
		want := core.Thumbnail{ProjectID: project.ID, PNG: []byte(data), TakenAt: s.now()}
		s.must(s.Thumbnails.Put(s.Context(), want))
		got, err := s.Thumbnails.ByProject(s.Context(), project.ID)
		s.want(got, err, want)
		copy(got.PNG, "changed")
	}
	got, err := s.Thumbnails.ByProject(s.Context(), project.ID)
	s.want(string(got.PNG), err, "second")
	_, err = s.Thumbnails.ByProject(s.Context(), other.ID)
	s.wantCode(err, core.CodeNotFound)
}

func largestThumbnail(s *storageCase) {
	want := core.Thumbnail{ProjectID: s.project(s.workspace().ID).ID, PNG: bytes.Repeat([]byte("\x00'\xff?"), core.MaxThumbnailBytes/4), TakenAt: s.now()}
	s.must(s.Thumbnails.Put(s.Context(), want))
	got, err := s.Thumbnails.ByProject(s.Context(), want.ProjectID)
	if err != nil || !bytes.Equal(got.PNG, want.PNG) {
		s.Errorf("got %d bytes, %v, want %d", len(got.PNG), err, len(want.PNG))
	}
}

func thumbnailNotFound(s *storageCase) {
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0])} {
		_, err := s.Thumbnails.ByProject(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Thumbnails.Put(s.Context(), core.Thumbnail{ProjectID: id, PNG: []byte("x")}), core.CodeNotFound)
	}
}

func thumbnailGoes(s *storageCase) {
	project := s.project(s.workspace().ID)
	s.must(s.Thumbnails.Put(s.Context(), core.Thumbnail{ProjectID: project.ID, PNG: []byte("x")}))
	s.must(s.Projects.Delete(s.Context(), project.ID))
	_, err := s.Thumbnails.ByProject(s.Context(), project.ID)
	s.wantCode(err, core.CodeNotFound)
}
