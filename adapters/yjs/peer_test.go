package yjs_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// peer is a Node.js that runs replicas of the real Yjs, by their numbers.
type peer struct {
	t       testing.TB
	to      io.Writer
	answers *bufio.Reader
}

// command is a command to the peer, see testdata/peer/peer.mjs.
type command struct {
	Do      string       `json:"do"`
	At      int          `json:"at"`
	Seed    int64        `json:"seed,omitempty"`
	Clients []peerClient `json:"clients,omitempty"`
	Times   int          `json:"times,omitempty"`
	Rich    bool         `json:"rich,omitempty"`
	Undo    bool         `json:"undo,omitempty"`
	Whole   bool         `json:"whole,omitempty"`
	Path    string       `json:"path,omitempty"`
	Value   string       `json:"value,omitempty"`
	Updates [][]byte     `json:"updates,omitempty"`
	Vector  []byte       `json:"vector,omitempty"`
	State   []byte       `json:"state,omitempty"`
}

// peerClient is a replica that the peer opens; without an ID it chooses one itself.
type peerClient struct {
	ID      uint64 `json:"id,omitempty"`
	GC      bool   `json:"gc"`
	Listens bool   `json:"listens"`
}

// answer is an answer of the peer.
type answer struct {
	Failure string
	Updates [][]byte
	Texts   map[string]string
	Vector  []byte
	State   []byte
	Pending bool
	Lines   []string
}

// startPeer starts a peer that ends with the test.
func startPeer(t testing.TB) *peer {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", "peer", "peer.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", script)
	to, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	node.Stderr = t.Output()
	if err := node.Start(); err != nil {
		t.Fatalf("the tests need Node.js: %v", err)
	}
	t.Cleanup(func() {
		to.Close()
		node.Wait()
	})
	return &peer{t, to, bufio.NewReaderSize(from, 1<<20)}
}

func (p *peer) do(c command) answer {
	p.t.Helper()
	line, err := json.Marshal(c)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.to.Write(append(line, '\n')); err != nil {
		p.t.Fatalf("the peer is gone: %v", err)
	}
	said, err := p.answers.ReadBytes('\n')
	if err != nil {
		p.t.Fatalf("the peer is gone: %v", err)
	}
	var a answer
	if err := json.Unmarshal(said, &a); err != nil {
		p.t.Fatalf("the peer said %.200q: %v", said, err)
	}
	if a.Failure != "" {
		p.t.Fatalf("%s: the peer failed: %s", c.Do, a.Failure)
	}
	return a
}
