package chats

import (
	"bytes"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func attachmentClauses() []clause {
	return []clause{
		{"an image comes back as it was stored", imageComesBack},
		{"an image of the largest size comes back", largestImage},
		{"an image goes in and comes out as a copy", imageIsCopied},
		{"an image that is not there is not found", imageNotFound},
		{"a rollback leaves neither a run nor its images", imagesRollBack},
		{"after an image that was refused a transaction goes on without it", imagesGoOn},
		{"no call on images outlives its context", imagesEnded},
	}
}

func imageComesBack(s testCase) {
	run := s.RunOf(s.Chat().ID, core.RunQueued)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	stored := map[core.ID]core.Image{
		core.NewID(): {MediaType: "image/png", Data: every},
		core.NewID(): {MediaType: "image/it's", Data: []byte(`'\x00"?`)},
	}
	for id, image := range stored {
		s.Must(s.Attachments.Create(s.Context(), run.ID, id, image))
		s.WantCode(s.Attachments.Create(s.Context(), run.ID, id, core.Image{MediaType: "image/gif", Data: every}), core.CodeConflict)
	}
	for id, image := range stored {
		got, err := s.Attachments.ByID(s.Context(), id)
		s.Want(got, err, image)
	}
}

func largestImage(s testCase) {
	id, image := core.NewID(), core.Image{MediaType: "image/webp", Data: bytes.Repeat([]byte("\x00'\xff?"), core.MaxImageBytes/4)}
	s.Must(s.Attachments.Create(s.Context(), s.RunOf(s.Chat().ID, core.RunQueued).ID, id, image))
	got, err := s.Attachments.ByID(s.Context(), id)
	if err != nil || got.MediaType != image.MediaType || !bytes.Equal(got.Data, image.Data) {
		s.Errorf("got %s of %d bytes, %v, want %s of %d", got.MediaType, len(got.Data), err, image.MediaType, len(image.Data))
	}
}

func imageIsCopied(s testCase) {
	id, data := core.NewID(), []byte("before")
	s.Must(s.Attachments.Create(s.Context(), s.RunOf(s.Chat().ID, core.RunQueued).ID, id, core.Image{MediaType: "image/png", Data: data}))
	copy(data, "after!")
	want := core.Image{MediaType: "image/png", Data: []byte("before")}
	for range 2 {
		got, err := s.Attachments.ByID(s.Context(), id)
		s.Want(got, err, want)
		copy(got.Data, "after!")
	}
}

func imageNotFound(s testCase) {
	run := s.RunOf(s.Chat().ID, core.RunQueued)
	s.Attachment(run.ID)
	for _, id := range []core.ID{core.NewID(), run.ID, core.ID(fixture.Unstorable()[0])} {
		_, err := s.Attachments.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
	}
	image := core.Image{MediaType: "image/png", Data: []byte("png")}
	s.WantCode(s.Attachments.Create(s.Context(), core.NewID(), core.NewID(), image), core.CodeNotFound)
	s.WantCode(s.Attachments.Create(s.Context(), run.ID, core.ID(fixture.Unstorable()[1]), image), core.CodeValidationFailed)
	image.MediaType = fixture.Unstorable()[0]
	s.WantCode(s.Attachments.Create(s.Context(), run.ID, core.NewID(), image), core.CodeValidationFailed)
}

func imagesRollBack(s testCase) {
	chat, id := s.Chat(), core.NewID()
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		run := s.NewRun(chat.ID)
		s.Must(in.Runs.Create(in.Ctx, run))
		s.Must(in.Attachments.Create(in.Ctx, run.ID, id, core.Image{MediaType: "image/png", Data: []byte("png")}))
		_, err := in.Attachments.ByID(in.Ctx, id)
		s.Must(err)
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.Attachments.ByID(s.Context(), id)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Runs.Busy(s.Context(), chat.ID)
	s.WantCode(err, core.CodeNotFound)
}

func imagesGoOn(s testCase) {
	run, id := s.RunOf(s.Chat().ID, core.RunQueued), core.NewID()
	there := s.Attachment(run.ID)
	image := core.Image{MediaType: "image/png", Data: []byte("other")}
	s.Must(s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		s.WantCode(in.Attachments.Create(in.Ctx, run.ID, there, image), core.CodeConflict)
		return in.Attachments.Create(in.Ctx, run.ID, id, image)
	})))
	got, err := s.Attachments.ByID(s.Context(), id)
	s.Want(got, err, image)
	got, err = s.Attachments.ByID(s.Context(), there)
	s.Want(string(got.Data), err, "png")
}

func imagesEnded(s testCase) {
	run := s.RunOf(s.Chat().ID, core.RunQueued)
	id := s.Attachment(run.ID)
	_, err := s.Attachments.ByID(s.Ended(), id)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Attachments.Create(s.Ended(), run.ID, core.NewID(), core.Image{MediaType: "image/png", Data: []byte("png")}), core.CodeUnavailable)
}
