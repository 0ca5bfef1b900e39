package main

import (
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// TestTheMainJob walks from signing up to the published page against the real
// binary, with packages from the real registry.
func TestTheMainJob(t *testing.T) {
	service := process.Start(t, process.Build(t))
	outbox := filepath.Join(service.Dir, "outbox")
	walked, err := walk(t.Context(), newClient(service.URL), outbox)
	if err != nil {
		t.Fatalf("%v\n%s", err, service.Log())
	}
	for _, address := range []string{walked.site, walked.preview} {
		if err := walked.findHeading(address); err != nil {
			t.Errorf("an address that was printed at the end: %v", err)
		}
	}
	service.Stop()
	service.Restart()
	if _, err := walk(t.Context(), newClient(service.URL), outbox); err != nil {
		t.Fatalf("after a restart: %v\n%s", err, service.Log())
	}
}
