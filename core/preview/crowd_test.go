package preview_test

import (
	"context"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

// guestLabel is the label for a reader of the project who is not a member.
func (s *studio) guestLabel() string {
	s.t.Helper()
	s.change(func(p *core.Project) { p.Show(core.VisibilityPublic) })
	status, err := s.preview.Start(s.t.Context(), s.person("guest@example.com", core.RoleNone), s.project)
	s.must(err)
	_, host, _ := strings.Cut(status.URL, "://")
	label, _, _ := strings.Cut(host, ".")
	return label
}

func TestGuestsTakeNoMembersPlace(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		label, ctx := s.guestLabel(), t.Context()
		for range 1000 {
			if _, err := s.preview.WatchBuilds(ctx, label); err != nil {
				if !core.IsCode(err, core.CodeRateLimited) {
					t.Fatalf("got %v for a guest too many, want %s", err, core.CodeRateLimited)
				}
				break
			}
		}
		if _, err := s.preview.WatchBuilds(ctx, label); !core.IsCode(err, core.CodeRateLimited) {
			t.Errorf("got %v for the next guest, want %s", err, core.CodeRateLimited)
		}
		if _, err := s.preview.Watch(ctx, s.owner, s.project); err != nil {
			t.Errorf("got %v for a member, want a stream", err)
		}
		if _, err := s.preview.WatchBuilds(ctx, s.label()); err != nil {
			t.Errorf("got %v for a member's page, want a stream", err)
		}
	})
}

func TestOneMemberTakesNoOthersStreams(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		s.start()
		ctx, cancel := context.WithCancel(t.Context())
		last := error(nil)
		for last == nil {
			_, last = s.preview.Watch(ctx, s.owner, s.project)
		}
		if !core.IsCode(last, core.CodeRateLimited) || !strings.Contains(last.Error(), "16 streams") {
			t.Errorf("got %v for a stream too many, want the bound named", last)
		}
		other := s.person("member@example.com", core.RoleMember)
		if _, err := s.preview.Watch(t.Context(), other, s.project); err != nil {
			t.Errorf("got %v for another member, want a stream", err)
		}
		cancel()
	})
}

func TestAGuestsStatusIsAGuests(t *testing.T) {
	play(t, func(t *testing.T, s *studio) {
		s.start()
		status, err := s.preview.Status(t.Context(), s.project)
		s.must(err)
		if status.URL == s.start().URL {
			t.Error("got the members' address for the camera, want the guests'")
		}
		if status.Status != preview.StateReady {
			t.Errorf("got %s, want ready", status.Status)
		}
	})
}
