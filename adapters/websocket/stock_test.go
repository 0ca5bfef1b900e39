package websocket_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// peer is a Node.js that runs clients of the stock y-websocket, by their numbers.
type peer struct {
	h       *house
	to      io.Writer
	answers *bufio.Reader
}

// command is a command to the peer, see testdata/peer/peer.mjs.
type command map[string]any

// stock is the state of a client.
type stock struct {
	Texts     map[string]string
	Others    []json.RawMessage
	Synced    bool
	Connected bool
	Wants     bool
	Closed    int
	Warned    []string
}

// startPeer starts a peer that ends with the test.
func startPeer(h *house) *peer {
	h.t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", "peer", "peer.mjs"))
	h.must(err)
	node := exec.Command("node", "--experimental-websocket", "--no-warnings", script)
	to, err := node.StdinPipe()
	h.must(err)
	from, err := node.StdoutPipe()
	h.must(err)
	node.Stderr = h.t.Output()
	if err := node.Start(); err != nil {
		h.t.Fatalf("the tests need Node.js: %v", err)
	}
	h.t.Cleanup(func() {
		to.Close()
		node.Wait()
	})
	return &peer{h, to, bufio.NewReaderSize(from, 1<<20)}
}

func (p *peer) do(c command) stock {
	p.h.t.Helper()
	line, err := json.Marshal(c)
	p.h.must(err)
	if _, err := p.to.Write(append(line, '\n')); err != nil {
		p.h.t.Fatalf("the peer is gone: %v", err)
	}
	said, err := p.answers.ReadBytes('\n')
	if err != nil {
		p.h.t.Fatalf("the peer is gone: %v", err)
	}
	var s stock
	if err := json.Unmarshal(said, &s); err != nil {
		p.h.t.Fatalf("the peer said %.200q: %v", said, err)
	}
	return s
}

func (p *peer) open(token string) {
	p.h.t.Helper()
	address := "ws://" + p.h.listener.Addr().String() + "/ws/project"
	p.do(command{"do": "open", "url": address, "room": p.h.project, "params": command{"token": token}, "protocols": []string{}})
}

func (p *peer) state(at int) stock {
	p.h.t.Helper()
	return p.do(command{"do": "state", "at": at})
}

// waitFor waits until a client is in a state.
func (p *peer) waitFor(at int, what string, is func(stock) bool) {
	p.h.t.Helper()
	var last stock
	defer func() {
		if p.h.t.Failed() {
			p.h.t.Logf("client %d is %+v", at, last)
		}
	}()
	p.h.eventually(fmt.Sprintf("client %d %s", at, what), func() bool {
		last = p.state(at)
		return is(last)
	})
}

func isSynced(s stock) bool { return s.Synced }

// wantSame waits until all have the same texts, and the disk too.
func (p *peer) wantSame(what, path string, clients ...int) string {
	p.h.t.Helper()
	var text string
	var last []stock
	defer func() {
		if !p.h.t.Failed() {
			return
		}
		for i, s := range last {
			p.h.t.Logf("client %d has %d bytes, the disk %d; synced: %t, closed with %d", clients[i], len(s.Texts[path]), len(text), s.Synced, s.Closed)
		}
	}()
	p.h.eventually(what, func() bool {
		var texts []string
		last = nil
		for _, at := range clients {
			last = append(last, p.state(at))
			texts = append(texts, last[len(last)-1].Texts[path])
		}
		file, err := p.h.pipeline.Open(context.Background(), core.FileAt{Project: p.h.project, Path: core.MustPath(path)})
		if err != nil {
			return false
		}
		defer file.Close()
		disk, err := io.ReadAll(file)
		p.h.must(err)
		text = string(disk)
		return len(slices.Compact(append(texts, text))) == 1
	})
	return text
}

func TestStockClientsConverge(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.person("bob", core.RoleMember)
	p := startPeer(h)
	for at, token := range []string{"owner", "bob", "bob"} {
		p.open(token)
		p.waitFor(at, "in sync", isSynced)
	}
	for at := range 3 {
		p.do(command{"do": "type", "at": at, "path": "index.html", "times": 300, "seed": at + 1})
	}
	if text := p.wantSame("what all typed", "index.html", 0, 1, 2); len(text) != len(page)+900 {
		t.Errorf("got %d bytes, want all %d", len(text), len(page)+900)
	}
	p.do(command{"do": "disconnect", "at": 1})
	p.do(command{"do": "insert", "at": 1, "path": "index.html", "index": 0, "text": "offline ü😀 "})
	p.do(command{"do": "insert", "at": 1, "path": "new.txt", "index": 0, "text": "made offline"})
	p.do(command{"do": "insert", "at": 0, "path": "index.html", "index": 0, "text": "meanwhile "})
	h.write(core.MustPath("agent.txt"), "by the agent\n")
	p.do(command{"do": "connect", "at": 1})
	p.waitFor(1, "in sync again", isSynced)
	text := p.wantSame("what was typed offline", "index.html", 0, 1, 2)
	if !strings.Contains(text, "offline ü😀 ") || !strings.Contains(text, "meanwhile ") {
		t.Errorf("got %.60q, want what both typed", text)
	}
	if got := p.wantSame("the new file", "new.txt", 0, 1, 2); got != "made offline" {
		t.Errorf("got %q in new.txt, want what was typed", got)
	}
	if got := p.wantSame("the agent's file", "agent.txt", 0, 1, 2); got != "by the agent\n" {
		t.Errorf("got %q in agent.txt, want what the agent wrote", got)
	}
	if s := p.state(2); len(s.Warned) > 0 || s.Closed != 0 {
		t.Errorf("got warnings %q, want none", s.Warned)
	}
}

func TestStockClientsGetManyFilesAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := startPeer(h)
	p.open("owner")
	p.waitFor(0, "in sync", isSynced)
	var changes []core.FileChange
	for i := range 700 {
		changes = append(changes, core.FileChange{Op: core.OpWrite, Path: core.MustPath(fmt.Sprintf("%d.css", i)), Content: []byte("a {}")})
	}
	_, err := h.pipeline.Apply(t.Context(), h.project, core.Author{Kind: core.AuthorAgent, Name: "agent"}, changes, nil)
	h.must(err)
	p.waitFor(0, "with all files", func(s stock) bool { return len(s.Texts) == 1+len(changes) && s.Texts["699.css"] == "a {}" })
	if s := p.state(0); s.Closed != 0 {
		t.Errorf("got closed with %d, want the client to stay", s.Closed)
	}
}

func TestStockClientsSeeEachOther(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.person("bob", core.RoleMember)
	p := startPeer(h)
	p.open("owner")
	p.open("bob")
	p.waitFor(1, "in sync", isSynced)
	p.do(command{"do": "show", "at": 1, "field": "user", "value": command{"name": "Somebody else", "color": "#112233"}})
	p.do(command{"do": "show", "at": 1, "field": "cursor", "value": command{"file": "index.html", "selection": nil}})
	p.waitFor(0, "sees bob", func(s stock) bool {
		return len(s.Others) == 1 && strings.Contains(string(s.Others[0]), `"name":"bob"`) && strings.Contains(string(s.Others[0]), "index.html")
	})
	p.open("owner")
	p.waitFor(2, "sees bob, who came before", func(s stock) bool {
		return slices.ContainsFunc(s.Others, func(o json.RawMessage) bool { return strings.Contains(string(o), `"name":"bob"`) })
	})
	p.do(command{"do": "destroy", "at": 1})
	p.waitFor(0, "sees bob no more", func(s stock) bool {
		return !slices.ContainsFunc(s.Others, func(o json.RawMessage) bool { return strings.Contains(string(o), `"name":"bob"`) })
	})
}

func TestStockClientsStayAwayWhenTheyMust(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.person("visitor", core.RoleNone)
	by := h.person("late", core.RoleMember)
	by.Until = core.At(time.Now().Add(3 * time.Second))
	h.admit("late", by)
	p := startPeer(h)
	p.open("visitor")
	p.open("late")
	p.waitFor(0, "in sync", isSynced)
	p.do(command{"do": "insert", "at": 0, "path": "index.html", "index": 0, "text": "mine"})
	p.waitFor(0, "is told that it may not write", func(s stock) bool { return strings.Contains(strings.Join(s.Warned, ""), "Permission denied") })
	p.waitFor(1, "closed", func(s stock) bool { return s.Closed == 4401 && !s.Wants })
	h.hide()
	p.waitFor(0, "closed", func(s stock) bool { return s.Closed == 4403 && !s.Wants })
}
