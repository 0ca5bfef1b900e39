package websocket_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// TestStockClientsComeBackToTextsThatWereMadeAnew lets a client type without a
// connection, in a document of so many pieces that the room rebuilds it meanwhile.
func TestStockClientsComeBackToTextsThatWereMadeAnew(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	text := h.wearOut()
	p := startPeer(h)
	p.open("owner")
	p.waitFor(0, "has all", func(s stock) bool { return s.Synced && s.Texts["worn5.txt"] == text })
	p.do(command{"do": "disconnect", "at": 0})
	p.do(command{"do": "insert", "at": 0, "path": "worn0.txt", "index": 0, "text": "typed offline "})
	p.do(command{"do": "insert", "at": 0, "path": "worn5.txt", "index": len(text), "text": " and here"})
	h.person("bob", core.RoleMember)
	var pieces int
	h.eventually("the room opens anew", func() bool {
		bob := h.copies("bob", nil)
		bob.waitFor("the page", page)
		bob.mu.Lock()
		pieces = bob.doc.Stats().Structs
		bob.mu.Unlock()
		_ = bob.conn.CloseNow()
		return pieces < 1000
	})
	p.open("bob")
	p.waitFor(1, "in sync", isSynced)
	p.do(command{"do": "insert", "at": 1, "path": "worn0.txt", "index": len(text), "text": " meanwhile"})
	p.do(command{"do": "connect", "at": 0})
	p.waitFor(0, "in sync again", isSynced)
	if got, want := p.wantSame("the first file", "worn0.txt", 0, 1), "typed offline "+text+" meanwhile"; got != want {
		t.Errorf("got %.40q … of %d bytes, want %.40q … of %d", got, len(got), want, len(want))
	}
	if got, want := p.wantSame("the last file", "worn5.txt", 0, 1), text+" and here"; got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	p.do(command{"do": "type", "at": 0, "path": "worn5.txt", "times": 20, "seed": 7})
	p.do(command{"do": "type", "at": 1, "path": "worn5.txt", "times": 20, "seed": 8})
	if got := p.wantSame("what both type then", "worn5.txt", 0, 1); len(got) != len(text)+len(" and here")+40 {
		t.Errorf("got %d bytes, want all that was typed", len(got))
	}
}

// wearOut creates a document of more than 100,000 pieces, and returns the content of six
// files.
func (h *house) wearOut() (text string) {
	h.t.Helper()
	for i := range 6 {
		doc, err := yjs.Maker{}.Open(nil)
		h.must(err)
		path := core.MustPath(fmt.Sprintf("worn%d.txt", i))
		edits := []replica.Edit{{Insert: strings.Repeat("ab", 9000)}}
		for range 2 {
			_, err = doc.Edit(path, edits)
			h.must(err)
			edits = nil
			for place := range 9000 {
				edits = append(edits, replica.Edit{At: 2*place + 1, Insert: "-"})
			}
		}
		text, _ = doc.Text(path)
		state, err := doc.Encode(nil)
		h.must(err)
		c := h.copies("owner", nil)
		c.waitFor("the page", page)
		c.send(yprotocol.Update, state)
		h.eventually("the room has it", func() bool {
			_, found := h.onDisk(path)
			return found
		})
		_ = c.conn.CloseNow()
	}
	return text
}

// onDisk returns what a reader of the files sees.
func (h *house) onDisk(path core.ProjectPath) (string, bool) {
	file, err := h.pipeline.Open(h.t.Context(), core.FileAt{Project: h.project, Path: path})
	if err != nil {
		return "", false
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	return string(content), err == nil
}
