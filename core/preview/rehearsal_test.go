package preview_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

func TestARehearsalHasAnAddressUntilItEnds(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		dataCopy := core.NewID()
		url, end, err := s.preview.Rehearse(t.Context(), s.project, dataCopy)
		if err != nil {
			t.Fatal(err)
		}
		again, endAgain, err := s.preview.Rehearse(t.Context(), s.project, dataCopy)
		if err != nil || again == url {
			t.Errorf("got %s, %v, want another address", again, err)
		}
		defer endAgain()
		_, host, _ := strings.Cut(url, "://")
		label, _, _ := strings.Cut(host, ".")
		if got, err := s.preview.Resolve(t.Context(), strings.ToUpper(label)); err != nil || got != (preview.Visit{Project: s.project, Audience: preview.AudienceRehearsal, Copy: dataCopy}) {
			t.Errorf("got %+v, %v, want the rehearsal", got, err)
		}
		end()
		if _, err := s.preview.Resolve(t.Context(), label); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want nothing there any more", err)
		}
		if _, _, err := s.preview.Rehearse(t.Context(), core.NewID(), dataCopy); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want no such project", err)
		}
	})
}
