package rooms_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/ports/replica"
)

// wornPath is the file in which the ith client types.
func wornPath(i int) core.ProjectPath { return core.MustPath(fmt.Sprintf("worn%d.txt", i)) }

var worn = wornPath(0)

// wearOut has clients of the owner type 18,000 pieces each. It returns the first
// client, which stays, and the text that all files have.
func (h *house) wearOut(clients int) (*client, string) {
	h.t.Helper()
	first := h.join(h.owner)
	text := first.wearsOut(worn, 9000)
	for i := 1; i < clients; i++ {
		c := h.join(h.owner)
		c.wearsOut(wornPath(i), 9000)
		c.member.Leave()
	}
	return first, text
}

// wearsOut types at that many places of a file, so that the document has about twice
// as many pieces, and returns the text.
func (c *client) wearsOut(path core.ProjectPath, places int) string {
	c.h.t.Helper()
	c.mu.Lock()
	text := strings.Repeat("ab", places)
	made, err := c.doc.Edit(path, []replica.Edit{{Insert: text}})
	c.h.must(err)
	edits := make([]replica.Edit, places)
	for i := range edits {
		edits[i] = replica.Edit{At: 2*i + 1, Insert: "-"}
	}
	torn, err := c.doc.Edit(path, edits)
	c.h.must(err)
	text, _ = c.doc.Text(path)
	c.mu.Unlock()
	c.h.must(c.member.Update(made.Update))
	c.h.must(c.member.Update(torn.Update))
	time.Sleep(3 * time.Second)
	return text
}

func (c *client) pieces() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.doc.Stats().Structs
}

// leaves ends the membership, and returns the current copy.
func (c *client) leaves() *client {
	away := c.away()
	c.member.Leave()
	return away
}

func TestAWornDocumentIsMadeAnewAndNothingIsLost(t *testing.T) {
	play(t, func(h *house) {
		ann, text := h.wearOut(6)
		if got := ann.pieces(); got < 100_000 {
			h.t.Fatalf("got %d pieces, want more than 100,000", got)
		}
		away, late := ann.leaves(), ann.away()
		// Typed offline, in a text that no longer exists when the client returns.
		offline := away.edit(worn, "a", "offline ")
		late.edit(worn, text[:30], " late")
		time.Sleep(20 * time.Second)

		bob := h.join(h.person("bob", core.RoleMember))
		if got := bob.pieces(); got > 1000 {
			h.t.Errorf("got %d pieces in a room that opened again, want few", got)
		}
		bob.want(worn, text)
		bob.types(worn, text[:9], "meanwhile ")
		back := h.joinWith(h.owner, away.doc)
		time.Sleep(3 * time.Second)
		want := strings.Replace(text, text[:9], text[:9]+"meanwhile ", 1)
		want = strings.Replace(want, "a", "aoffline ", 1)
		for name, c := range map[string]*client{"who stayed": bob, "who came back": back} {
			if got := c.text(worn); got != want {
				h.t.Errorf("%s: got %.60q, want %.60q", name, got, want)
			}
		}
		if got := back.pieces(); got > 1000 {
			h.t.Errorf("got %d pieces with a client that came back, want few", got)
		}
		h.must(back.member.Update(offline)) // A second time changes nothing.
		h.must(bob.member.Update(offline))
		last := h.joinWith(h.owner, late.doc)
		time.Sleep(3 * time.Second)
		want = strings.Replace(want, text[9:30], text[9:30]+" late", 1)
		for _, c := range []*client{bob, back, last} {
			if got := c.text(worn); got != want {
				h.t.Errorf("got %.60q … %q, want %.60q … %q", got, got[len(got)-9:], want, want[len(want)-9:])
			}
		}
		if got := h.onDisk(worn); got != want {
			h.t.Errorf("got %d bytes on the disk, want %d", len(got), len(want))
		}
		h.restart()
		h.join(h.owner).want(worn, want)
		h.joinWith(h.owner, back.away().doc).want(worn, want)
	})
}

// TestADocumentNearItsBoundIsMadeAnewWithPeopleInIt fills a document nearly up.
func TestADocumentNearItsBoundIsMadeAnewWithPeopleInIt(t *testing.T) {
	play(t, func(h *house) {
		ann, text := h.wearOut(17)
		if got := ann.pieces(); got < 300_000 {
			h.t.Fatalf("got %d pieces, want more than 300,000", got)
		}
		time.Sleep(time.Minute)
		if got := ann.pieces(); got > 1000 {
			h.t.Errorf("got %d pieces after a minute of rest, want few", got)
		}
		for i := range 17 {
			ann.want(wornPath(i), text)
		}
		ann.types(wornPath(1), "a", "goes on ")
		h.write(core.FileChange{Op: core.OpWrite, Path: wornPath(2), Content: []byte("by the API")})
		time.Sleep(3 * time.Second)
		ann.want(wornPath(2), "by the API")
		if got := h.onDisk(wornPath(1)); !strings.HasPrefix(got, "agoes on ") {
			h.t.Errorf("got %.20q on the disk, want what was typed then", got)
		}
	})
}

func TestAYoungDocumentIsLeftAlone(t *testing.T) {
	play(t, func(h *house) {
		ann := h.join(h.owner)
		ann.wearsOut(worn, 1000)
		pieces := ann.pieces()
		ann.leaves()
		time.Sleep(20 * time.Second)
		reader, err := h.service.Join(h.t.Context(), h.owner, h.project, rooms.Documents)
		h.must(err)
		h.must(reader.Sync(nothing))
		if got := h.join(h.owner).pieces(); got != pieces {
			h.t.Errorf("got %d pieces, want all %d", got, pieces)
		}
	})
}
