package backendtest

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

func snapshots(t *testing.T, s *suite) {
	author, id := s.filled(t)
	file := s.upload(t, "hello")
	first := core.NewID()
	if size, err := s.engine.Snapshot(t.Context(), s.place, first); err != nil || size <= 0 {
		t.Fatalf("Snapshot returned %d, %v", size, err)
	}
	author.must(t, http.StatusOK, "POST", "collections/entries/records", map[string]any{"text": "third", "author": id})
	s.apply(t, guestbook())
	s.engine = s.harness.Reopen(t)
	conformance.Must(t, s.engine.Restore(t.Context(), s.place, first))
	if got := s.texts(t); !slices.Equal(got, []string{"first entry", "second"}) {
		t.Errorf("after the restore the records are %q", got)
	}
	if got := s.download(t, file); got != "hello" {
		t.Errorf("after the restore the file reads %q", got)
	}
	schema, err := s.engine.Schema(t.Context(), s.place)
	conformance.Must(t, err)
	if len(schema.Collections) != 3 {
		t.Errorf("after the restore the schema has %d collections, want 3", len(schema.Collections))
	}
	author.s = s
	author.must(t, http.StatusOK, "POST", "collections/entries/records", map[string]any{"text": "goes on", "author": id})
	conformance.Must(t, s.engine.Forget(t.Context(), s.place, first))
	conformance.Must(t, s.engine.Forget(t.Context(), s.place, first))
	if err := s.engine.Restore(t.Context(), s.place, first); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("Restore returned %v, want code %s", err, core.CodeNotFound)
	}
}

func copies(t *testing.T, s *suite) {
	author, _ := s.filled(t)
	copied := backend.Place{Project: s.place.Project, Env: core.DataTest, Copy: core.NewID()}
	conformance.Must(t, s.engine.Copy(t.Context(), s.place, copied))
	inCopy := suite{harness: s.harness, engine: s.engine, place: copied}
	if got := inCopy.texts(t); len(got) != 2 {
		t.Errorf("the copy holds %q", got)
	}
	stranger := caller{s: s, place: copied, token: author.token}
	entry := inCopy.owner().must(t, http.StatusOK, "GET", "collections/entries/records", nil).items()[0].(map[string]any)["id"].(string)
	stranger.must(t, http.StatusNotFound, "DELETE", "collections/entries/records/"+entry, nil)
	inCopy.owner().must(t, http.StatusNoContent, "DELETE", "collections/entries/records/"+entry, nil)
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("a change of the copy reached the data: %q", got)
	}
	conformance.Must(t, s.engine.Remove(t.Context(), copied))
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the removal of the copy reached the data: %q", got)
	}
}

func copiesEnd(t *testing.T, s *suite) {
	s.filled(t)
	copied := backend.Place{Project: s.place.Project, Env: core.DataTest, Copy: core.NewID()}
	conformance.Must(t, s.engine.Copy(t.Context(), s.place, copied))
	s.engine = s.harness.Reopen(t)
	if _, err := s.engine.Schema(t.Context(), copied); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("Schema of the copy returned %v, want code %s", err, core.CodeNotFound)
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the data holds %q", got)
	}
}

func copiesAreNotLimited(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	copied := backend.Place{Project: s.place.Project, Env: core.DataTest, Copy: core.NewID()}
	conformance.Must(t, s.engine.Copy(t.Context(), s.place, copied))
	for range 50 {
		caller{s: s, place: copied}.must(t, http.StatusOK, "GET", "collections/entries/records", nil)
	}
}

func exports(t *testing.T, s *suite) {
	s.filled(t)
	var archive bytes.Buffer
	conformance.Must(t, s.engine.Export(t.Context(), s.place, &archive))
	var names []string
	for reader := tar.NewReader(&archive); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		conformance.Must(t, err)
		names = append(names, header.Name)
	}
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "pb_data/") }) {
		t.Errorf("the archive holds %q", names)
	}
}
