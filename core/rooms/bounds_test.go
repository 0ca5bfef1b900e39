package rooms_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

func TestATextThatOutgrowsTheDocumentIsSavedAndLeavesIt(t *testing.T) {
	play(t, func(h *house) {
		ann, f := h.join(h.owner), h.follow(h.owner)
		f.told()
		ann.types(index, "one", strings.Repeat("x", rooms.MaxSharedBytes))
		time.Sleep(3 * time.Second)
		want := strings.Replace(page, "one", "one"+strings.Repeat("x", rooms.MaxSharedBytes), 1)
		if got := h.onDisk(index); got != want {
			h.t.Errorf("got %d bytes on the disk, want all %d that were typed", len(got), len(want))
		}
		if got := ann.paths(); got != "" {
			h.t.Errorf("got %q in the document, want nothing of that length", got)
		}
		f.want(`file.changed {"path":"index.html","content":null,`)
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(page)})
		time.Sleep(time.Second)
		ann.want(index, page)
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(want)})
		time.Sleep(time.Second)
		if got := ann.paths(); got != "" {
			h.t.Errorf("got %q in the document after a write beside it, want nothing of that length", got)
		}
	})
}

func TestATextLongerThanAFileMayBeIsNotWritten(t *testing.T) {
	play(t, func(h *house) {
		ann := h.join(h.owner)
		ann.types(index, "one", strings.Repeat("x", maxFileBytes))
		time.Sleep(3 * time.Second)
		if got := h.onDisk(index); got != page {
			h.t.Errorf("got %d bytes on the disk, want the file as it was", len(got))
		}
		if got := ann.paths(); got != "" {
			h.t.Errorf("got %q in the document, want nothing of that length", got)
		}
		ann.make(core.MustPath("other.txt"), "goes on")
		time.Sleep(3 * time.Second)
		if got := h.onDisk(core.MustPath("other.txt")); got != "goes on" {
			h.t.Errorf("got %q, want other files to be saved", got)
		}
	})
}

func TestMembersAreToldTheAddressOfTheSite(t *testing.T) {
	play(t, func(h *house) {
		f := h.follow(h.owner)
		h.must(h.bus.Publish(h.t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: h.project}))
		f.want(`project.updated {"project":{`, `"url":"http://shop.sites.test"`)
	})
}

func TestANewcomerIsToldHowThePreviewIs(t *testing.T) {
	play(t, func(h *house) {
		notices, err := h.bus.Follow(h.t.Context(), h.project)
		h.must(err)
		first := h.follow(h.owner)
		if asked := <-notices; asked.Kind != core.NoticePreview || asked.Preview != nil {
			h.t.Errorf("got %+v, want that somebody asks for the preview", asked)
		}
		state := &core.PreviewState{Status: "error", Diagnostics: []core.Diagnostic{}}
		h.must(h.bus.Publish(h.t.Context(), core.Notice{Kind: core.NoticePreview, ProjectID: h.project, Preview: state}))
		first.want(`preview.status {"status":"error","diagnostics":[]}`)
		h.follow(h.owner).want(`welcome {`, `preview.status {"status":"error","diagnostics":[]}`)
		if got := first.told(); strings.Contains(got, "preview.status") {
			h.t.Errorf("got %s, want nobody told twice", got)
		}
	})
}
