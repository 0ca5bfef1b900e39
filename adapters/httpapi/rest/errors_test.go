package rest

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, code := range core.Codes() {
		status, listed := statuses[code]
		if !listed || status < 400 || status > 599 {
			t.Errorf("%s: got %d, want a status of an error", code, status)
		}
	}
	if len(statuses) != len(core.Codes()) {
		t.Errorf("got %d codes with a status, want %d", len(statuses), len(core.Codes()))
	}
}
