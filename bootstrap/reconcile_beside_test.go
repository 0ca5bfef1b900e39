package bootstrap_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
)

// TestReconcilingBesideTheServiceLosesNothing opens the same data a second time, as
// `atelier reconcile` does while the service runs, and reconciles while somebody writes.
func TestReconcilingBesideTheServiceLosesNothing(t *testing.T) {
	s := serve(t, t.TempDir(), local.New, nil)
	w := s.signUp().create("blank")
	beside, release, err := local.New(t.Context(), s.app.Settings, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	defer beside.Close(t.Context())
	written, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-written:
				done <- nil
				return
			default:
			}
			if _, err := beside.Pipeline.Reconcile(t.Context(), w.ID); err != nil {
				done <- err
				return
			}
		}
	}()
	const files = 60
	for i := range files {
		w.must(http.StatusCreated, http.MethodPut, w.path(fmt.Sprintf("/files/f%d.txt", i)), fmt.Sprint(i), nil)
	}
	close(written)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	found, err := s.app.Pipeline.Reconcile(t.Context(), w.ID)
	if err != nil || len(found.Changes) > 0 || found.Staged > 0 {
		t.Errorf("got %+v, %v, want files, list and repository in step", found, err)
	}
	for i := range files {
		if got := w.source(fmt.Sprintf("f%d.txt", i)); got.status != http.StatusOK {
			t.Errorf("f%d.txt: got %d, want it kept", i, got.status)
		}
	}
}
