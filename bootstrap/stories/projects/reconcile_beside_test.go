package projects_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestReconcilingBesideTheServiceLosesNothing opens the same data a second time, as
// `atelier reconcile` does while the service runs, and reconciles while somebody writes.
func TestReconcilingBesideTheServiceLosesNothing(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), local.New, nil)
	w := s.SignUp().Create("blank")
	beside, release, err := local.New(t.Context(), s.App.Settings, slog.New(slog.DiscardHandler))
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
		w.Must(http.StatusCreated, http.MethodPut, w.Path(fmt.Sprintf("/files/f%d.txt", i)), fmt.Sprint(i), nil)
	}
	close(written)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	found, err := s.App.Pipeline.Reconcile(t.Context(), w.ID)
	if err != nil || len(found.Changes) > 0 || found.Staged > 0 {
		t.Errorf("got %+v, %v, want files, list and repository in step", found, err)
	}
	for i := range files {
		if got := source(w, fmt.Sprintf("f%d.txt", i)); got.Status != http.StatusOK {
			t.Errorf("f%d.txt: got %d, want it kept", i, got.Status)
		}
	}
}
