package main

import (
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/process"
)

// TestTheMainJob walks from signing up to the published page against the real
// binary, with packages from the real registry.
func TestTheMainJob(t *testing.T) {
	service := process.Start(t, process.Build(t))
	outbox := filepath.Join(service.Dir, "outbox")
	if err := walk(t.Context(), newClient(service.URL), outbox); err != nil {
		t.Fatalf("%v\n%s", err, service.Log())
	}
	service.Stop()
	service.Restart()
	if err := walk(t.Context(), newClient(service.URL), outbox); err != nil {
		t.Fatalf("after a restart: %v\n%s", err, service.Log())
	}
}
