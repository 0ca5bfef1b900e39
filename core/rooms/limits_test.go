package rooms_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

// crowd fills the room with connections of people who may only read.
func crowd(h *house, connections int) []*rooms.Member {
	h.t.Helper()
	var all []*rooms.Member
	for len(all) < connections {
		reader := h.person(fmt.Sprintf("reader%d", len(all)), core.RoleNone)
		for range min(16, connections-len(all)) {
			m, err := h.service.Join(h.t.Context(), reader, h.project, rooms.Documents)
			h.must(err)
			all = append(all, m)
		}
	}
	return all
}

func TestAPersonHasSoManyConnections(t *testing.T) {
	play(t, func(h *house) {
		reader := h.person("reader", core.RoleNone)
		var all []*rooms.Member
		for range 16 {
			m, err := h.service.Join(h.t.Context(), reader, h.project, rooms.Documents)
			h.must(err)
			all = append(all, m)
		}
		if _, err := h.service.Join(h.t.Context(), reader, h.project, rooms.Events); err != rooms.ErrManyConnections {
			h.t.Errorf("the seventeenth: got %v, want %v", err, rooms.ErrManyConnections)
		}
		all[3].Leave()
		_, err := h.service.Join(h.t.Context(), reader, h.project, rooms.Events)
		h.must(err)
	})
}

func TestMembersComeBeforeReaders(t *testing.T) {
	play(t, func(h *house) {
		readers := crowd(h, 512)
		if _, err := h.service.Join(h.t.Context(), h.person("late", core.RoleNone), h.project, rooms.Documents); err != rooms.ErrFull {
			h.t.Errorf("a reader: got %v, want %v", err, rooms.ErrFull)
		}
		ann := h.join(h.owner)
		ann.types(index, "one", "!")
		h.must(ann.member.Show([]core.Awareness{{Client: 1, Clock: 1, Value: []byte(`{}`)}}))
		out := 0
		for _, reader := range readers {
			ctx, cancel := context.WithCancel(h.t.Context())
			cancel()
			for reader.Waits() {
				if _, err := reader.Next(ctx); err != nil {
					break
				}
			}
			if _, err := reader.Next(ctx); err == rooms.ErrFull {
				out++
			}
		}
		if out != 1 {
			h.t.Errorf("got %d readers shown out, want one", out)
		}
	})
}

func TestReadersKeepNobodyFromShowingThemselves(t *testing.T) {
	play(t, func(h *house) {
		readers := crowd(h, 256)
		for at, reader := range readers {
			for client := range 8 {
				h.must(reader.Show([]core.Awareness{{Client: uint64(1000 + 8*at + client), Clock: 1, Value: []byte(`{}`)}}))
			}
			drain(h, readers)
		}
		ann := h.join(h.owner)
		if err := ann.member.Show([]core.Awareness{{Client: 7, Clock: 1, Value: []byte(`{}`)}}); err != nil {
			h.t.Errorf("got %v, want a member to be shown", err)
		}
	})
}

func TestWhatAReaderTypedIsAskedForWhenTheyMayWrite(t *testing.T) {
	play(t, func(h *house) {
		by := h.person("visitor", core.RoleNone)
		visitor := h.join(by)
		if err := visitor.member.Update(visitor.edit(index, "one", " two")); !core.IsCode(err, core.CodeForbidden) {
			h.t.Fatalf("got %v, want code %s", err, core.CodeForbidden)
		}
		h.must(h.store.Tables().Workspaces.PutMember(h.t.Context(), core.Membership{WorkspaceID: h.space, UserID: by.UserID, Role: core.RoleMember}))
		time.Sleep(10 * time.Second)
		visitor.types(index, "two", " three")
		time.Sleep(3 * time.Second)
		want := strings.Replace(page, "one", "one two three", 1)
		if got := h.onDisk(index); got != want {
			h.t.Errorf("got %q on the disk, want %q", got, want)
		}
	})
}

// drain reads the queued frames of members.
func drain(h *house, members []*rooms.Member) {
	h.t.Helper()
	for _, m := range members {
		for m.Waits() {
			_, err := m.Next(h.t.Context())
			h.must(err)
		}
	}
}
