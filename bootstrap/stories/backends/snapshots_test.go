package backends_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// reasons returns why the snapshots of an environment were made, from the newest, and the id of
// the newest.
func (b *book) reasons(env core.DataEnv) (newest core.ID, reasons []core.SnapshotReason) {
	b.T.Helper()
	var found struct{ Items []core.DataSnapshot }
	b.Must(http.StatusOK, http.MethodGet, b.Path("/backend/"+string(env)+"/snapshots"), nil, &found)
	for _, snapshot := range found.Items {
		reasons = append(reasons, snapshot.Reason)
	}
	if len(found.Items) > 0 {
		newest = found.Items[0].ID
	}
	return newest, reasons
}

// TestDataOutlivesAMistake: what was deleted comes back from snapshots, a publish makes one, and
// what is copied or exported holds the data that it should.
func TestDataOutlivesAMistake(t *testing.T) {
	t.Parallel()
	b := newBook(started(t).SignUp())
	preview := b.Preview(b.Caller)
	if got := b.entries(preview); len(got) != 1 {
		t.Fatalf("got %v, want the seed", got)
	}
	test := b.Path("/backend/test/snapshots")
	var made core.DataSnapshot
	b.Must(http.StatusCreated, http.MethodPost, test, nil, &made)
	b.Must(http.StatusNoContent, http.MethodPost, b.Path("/backend/test/reset"), nil, nil)
	if got := b.entries(preview); len(got) != 0 {
		t.Fatalf("got %v after a reset without a seed, want nothing", got)
	}
	b.Must(http.StatusNoContent, http.MethodPost, test+"/"+string(made.ID)+"/restore", nil, nil)
	if got := b.entries(preview); len(got) != 1 || got[0]["text"] != "from the seed" {
		t.Errorf("got %v from the snapshot, want the seed", got)
	}
	if _, got := b.reasons(core.DataTest); !slices.Equal(got, []core.SnapshotReason{core.SnapshotRestore, core.SnapshotManual}) {
		t.Errorf("got the snapshots %q", got)
	}
	b.Must(http.StatusNoContent, http.MethodDelete, test+"/"+string(made.ID), nil, nil)

	site := b.publish(storytest.Fields{})
	b.Must(http.StatusCreated, http.MethodPost, b.of(core.DataLive, "entries", "records"), object{"text": "live"}, nil)
	b.save(core.BackendSchemaPath, guestbook(text, likes))
	b.publish(storytest.Fields{})
	newest, got := b.reasons(core.DataLive)
	if !slices.Equal(got, []core.SnapshotReason{core.SnapshotPublish}) {
		t.Fatalf("got the snapshots %q of live data, want that of the second publish", got)
	}
	b.Must(http.StatusCreated, http.MethodPost, b.of(core.DataLive, "entries", "records"), object{"text": "mistake"}, nil)
	b.Must(http.StatusNoContent, http.MethodPost, b.Path("/backend/live/snapshots/"+string(newest)+"/restore"), nil, nil)
	if got := b.entries(site); len(got) != 1 || got[0]["text"] != "live" || got[0]["likes"] == nil {
		t.Errorf("got %v on the site, want its first entry with the present fields", got)
	}
	b.copiesOf()
}

// copiesOf looks at an export with data, and at a duplicate.
func (b *book) copiesOf() {
	b.T.Helper()
	archive := b.Do(http.MethodGet, b.Path("/export?data=live"), nil)
	packed, err := zip.NewReader(bytes.NewReader(archive.Body), int64(len(archive.Body)))
	if err != nil {
		b.T.Fatalf("got %d %v, want an archive", archive.Status, err)
	}
	if database, err := packed.Open("pb_data/data.db"); err != nil {
		b.T.Error(err)
	} else {
		database.Close()
	}
	var twin struct{ ID core.ID }
	b.Must(http.StatusCreated, http.MethodPost, b.Path("/duplicate"), object{"name": "Twin"}, &twin)
	var state struct {
		Environments struct{ Test, Live *environment }
	}
	b.Must(http.StatusOK, http.MethodGet, "/projects/"+string(twin.ID)+"/backend", nil, &state)
	if state.Environments.Test == nil || state.Environments.Test.Records == 0 || state.Environments.Live != nil {
		b.T.Errorf("got %+v in the copy, want test data and no live data", state.Environments)
	}
}
