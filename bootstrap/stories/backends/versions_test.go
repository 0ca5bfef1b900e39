package backends_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// restoreAnswer is the answer to a restore of a version.
type restoreAnswer struct {
	core.Version
	TestData *bool
}

// version makes a version of the present files.
func (b *book) version(message string) core.Version {
	b.T.Helper()
	var made core.Version
	b.Must(http.StatusCreated, http.MethodPost, b.Path("/versions"), object{"message": message}, &made)
	return made
}

// TestTestDataGoBackWithAVersion: who restores a version gets its test data back on request, if they
// are kept, and its files alone otherwise.
func TestTestDataGoBackWithAVersion(t *testing.T) {
	t.Parallel()
	b := newBook(started(t).SignUp())
	preview := b.Preview(b.Caller)
	if got := b.entries(preview); len(got) != 1 {
		t.Fatalf("got %v, want the seed", got)
	}
	withText := b.version("With text")

	// Text is replaced by likes, which loses it.
	b.save(core.BackendSchemaPath, guestbook(likes))
	pending := b.status().Environments.Test.Pending
	if pending == nil {
		t.Fatal("got no pending plan")
	}
	b.Must(http.StatusOK, http.MethodPost, b.Path("/backend/test/apply"), object{"planId": pending.ID}, nil)
	if got := b.entries(preview); len(got) != 1 || got[0]["text"] != nil {
		t.Fatalf("got %v, want an entry without its text", got)
	}
	withLikes := b.version("With likes")
	b.Must(http.StatusCreated, http.MethodPost, b.of(core.DataTest, "entries", "records"), object{"likes": 7}, nil)

	path := b.Path("/versions/" + withText.ID + "/restore")
	for _, wrong := range []any{object{"testdata": true}, object{"testData": "yes"}, []any{}} {
		if got := b.Do(http.MethodPost, path, wrong); got.Status != http.StatusBadRequest {
			t.Errorf("%v: got %d %s, want it refused", wrong, got.Status, got.Body)
		}
	}
	var back restoreAnswer
	b.Must(http.StatusCreated, http.MethodPost, path, object{"testData": true}, &back)
	if got := b.entries(preview); back.TestData == nil || !*back.TestData || len(got) != 1 || got[0]["text"] != "from the seed" {
		t.Errorf("got %+v and %v, want the entry with its text", back, got)
	}
	if pending := b.status().Environments.Test.Pending; pending != nil {
		t.Errorf("got the pending plan %v, want none", pending)
	}
	if _, got := b.reasons(core.DataTest); !slices.Equal(got, []core.SnapshotReason{core.SnapshotRestore, core.SnapshotScheduled}) {
		t.Errorf("got the snapshots %q", got)
	}

	// The way there kept the data of the other version.
	back = restoreAnswer{}
	b.Must(http.StatusCreated, http.MethodPost, b.Path("/versions/"+withLikes.ID+"/restore"), object{"testData": true}, &back)
	if got := b.entries(preview); back.TestData == nil || !*back.TestData || len(got) != 2 {
		t.Errorf("got %+v and %v, want both entries", back, got)
	}
	b.withoutTestData(withLikes)
}

// withoutTestData restores versions whose test data do not go back.
func (b *book) withoutTestData(present core.Version) {
	b.T.Helper()
	var back restoreAnswer
	b.Must(http.StatusOK, http.MethodPost, b.Path("/versions/"+present.ID+"/restore"), nil, &back)
	if back.TestData != nil {
		b.T.Errorf("got %+v, want nothing said of data that nobody asked for", back)
	}
	var versions struct{ Items []core.Version }
	b.Must(http.StatusOK, http.MethodGet, b.Path("/versions"), nil, &versions)
	first := versions.Items[len(versions.Items)-1]
	b.Must(http.StatusCreated, http.MethodPost, b.Path("/versions/"+first.ID+"/restore"), storytest.Fields{"testData": true}, &back)
	if back.TestData == nil || *back.TestData {
		b.T.Errorf("got %+v, want no data from a version without a backend", back)
	}
}
