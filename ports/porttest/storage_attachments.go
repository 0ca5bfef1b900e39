package porttest

import (
	"bytes"

	"github.com/atelierhq/atelier/core"
)

func storageAttachmentClauses() []storageClause {
	return []storageClause{
		{"an image comes back as it was stored", imageComesBack},
		{"an image of the largest size comes back", largestImage},
		{"an image goes in and comes out as a copy", imageIsCopied},
		{"an image that is not there is not found", imageNotFound},
		{"a rollback leaves neither a run nor its images", imagesRollBack},
		{"after an image that was refused a transaction goes on without it", imagesGoOn},
		{"no call on images outlives its context", imagesEnded},
	}
}

// attachment stores an image of a run and returns its id.
func (s *storageCase) attachment(run core.ID) core.ID {
	s.Helper()
	id := core.NewID()
	s.must(s.Attachments.Create(s.Context(), run, id, core.Image{MediaType: "image/png", Data: []byte("png")}))
	return id
}

func imageComesBack(s *storageCase) {
	run := s.run(s.chat().ID, core.RunQueued)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	stored := map[core.ID]core.Image{
		core.NewID(): {MediaType: "image/png", Data: every},
		core.NewID(): {MediaType: "image/it's", Data: []byte(`'\x00"?`)},
	}
	for id, image := range stored {
		s.must(s.Attachments.Create(s.Context(), run.ID, id, image))
		s.wantCode(s.Attachments.Create(s.Context(), run.ID, id, core.Image{MediaType: "image/gif", Data: every}), core.CodeConflict)
	}
	for id, image := range stored {
		got, err := s.Attachments.ByID(s.Context(), id)
		s.want(got, err, image)
	}
}

func largestImage(s *storageCase) {
	id, image := core.NewID(), core.Image{MediaType: "image/webp", Data: bytes.Repeat([]byte("\x00'\xff?"), core.MaxImageBytes/4)}
	s.must(s.Attachments.Create(s.Context(), s.run(s.chat().ID, core.RunQueued).ID, id, image))
	got, err := s.Attachments.ByID(s.Context(), id)
	if err != nil || got.MediaType != image.MediaType || !bytes.Equal(got.Data, image.Data) {
		s.Errorf("got %s of %d bytes, %v, want %s of %d", got.MediaType, len(got.Data), err, image.MediaType, len(image.Data))
	}
}

func imageIsCopied(s *storageCase) {
	id, data := core.NewID(), []byte("before")
	s.must(s.Attachments.Create(s.Context(), s.run(s.chat().ID, core.RunQueued).ID, id, core.Image{MediaType: "image/png", Data: data}))
	copy(data, "after!")
	want := core.Image{MediaType: "image/png", Data: []byte("before")}
	for range 2 {
		got, err := s.Attachments.ByID(s.Context(), id)
		s.want(got, err, want)
		copy(got.Data, "after!")
	}
}

func imageNotFound(s *storageCase) {
	run := s.run(s.chat().ID, core.RunQueued)
	s.attachment(run.ID)
	for _, id := range []core.ID{core.NewID(), run.ID, core.ID(unstorable[0])} {
		_, err := s.Attachments.ByID(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
	}
	image := core.Image{MediaType: "image/png", Data: []byte("png")}
	s.wantCode(s.Attachments.Create(s.Context(), core.NewID(), core.NewID(), image), core.CodeNotFound)
	s.wantCode(s.Attachments.Create(s.Context(), run.ID, core.ID(unstorable[1]), image), core.CodeValidationFailed)
	image.MediaType = unstorable[0]
	s.wantCode(s.Attachments.Create(s.Context(), run.ID, core.NewID(), image), core.CodeValidationFailed)
}

func imagesRollBack(s *storageCase) {
	chat, id := s.chat(), core.NewID()
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		run := s.newRun(chat.ID)
		s.must(in.Runs.Create(in.ctx, run))
		s.must(in.Attachments.Create(in.ctx, run.ID, id, core.Image{MediaType: "image/png", Data: []byte("png")}))
		_, err := in.Attachments.ByID(in.ctx, id)
		s.must(err)
		return errStop
	}))
	s.want(err, nil, errStop)
	_, err = s.Attachments.ByID(s.Context(), id)
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Runs.Busy(s.Context(), chat.ID)
	s.wantCode(err, core.CodeNotFound)
}

func imagesGoOn(s *storageCase) {
	run, id := s.run(s.chat().ID, core.RunQueued), core.NewID()
	there := s.attachment(run.ID)
	image := core.Image{MediaType: "image/png", Data: []byte("other")}
	s.must(s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		s.wantCode(in.Attachments.Create(in.ctx, run.ID, there, image), core.CodeConflict)
		return in.Attachments.Create(in.ctx, run.ID, id, image)
	})))
	got, err := s.Attachments.ByID(s.Context(), id)
	s.want(got, err, image)
	got, err = s.Attachments.ByID(s.Context(), there)
	s.want(string(got.Data), err, "png")
}

func imagesEnded(s *storageCase) {
	run := s.run(s.chat().ID, core.RunQueued)
	id := s.attachment(run.ID)
	_, err := s.Attachments.ByID(s.ended(), id)
	s.wantCode(err, core.CodeUnavailable)
	s.wantCode(s.Attachments.Create(s.ended(), run.ID, core.NewID(), core.Image{MediaType: "image/png", Data: []byte("png")}), core.CodeUnavailable)
}
