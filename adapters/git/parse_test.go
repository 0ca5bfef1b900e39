package git

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
)

func FuzzParseTree(f *testing.F) {
	f.Add(encodeTree([]treeChild{{name: "a", mode: modeFile}, {name: "d", mode: modeTree}}))
	f.Add([]byte("100644 a"))
	f.Fuzz(func(t *testing.T, body []byte) {
		children, err := parseTree(body)
		if err != nil {
			return
		}
		again, err := parseTree(encodeTree(children))
		if err != nil || !slices.Equal(again, children) {
			t.Errorf("written again: got %v, %v, want %v", again, err, children)
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	chat := core.NewID()
	version := core.Version{Message: "a\n\nb", Author: core.Author{Kind: core.AuthorAgent, Name: "A <b>"}, ChatID: &chat, CreatedAt: 1000}
	f.Add(record{tree: plumbing.NewHash(strings.Repeat("1", 40)), version: version}.encode())
	f.Add([]byte("tree 1\n\n"))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ngpgsig x\n y\n \n z\nauthor A > 1\ncommitter\n\nAuthored-By: agent"))
	f.Fuzz(func(t *testing.T, body []byte) {
		parsed, err := parseCommit(plumbing.ZeroHash, body)
		if err != nil {
			return
		}
		again, err := parseCommit(plumbing.ZeroHash, parsed.encode())
		if err != nil || again.version.Message != parsed.version.Message || again.version.Author != parsed.version.Author {
			t.Errorf("written again: got %+v, %v, want %+v", again, err, parsed)
		}
	})
}
