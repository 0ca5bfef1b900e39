package objects

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
)

func FuzzParseTree(f *testing.F) {
	f.Add(EncodeTree([]TreeEntry{{Name: "a", Mode: ModeFile}, {Name: "d", Mode: ModeTree}}))
	f.Add([]byte("100644 a"))
	f.Fuzz(func(t *testing.T, body []byte) {
		children, err := ParseTree(body)
		if err != nil {
			return
		}
		again, err := ParseTree(EncodeTree(children))
		if err != nil || !slices.Equal(again, children) {
			t.Errorf("written again: got %v, %v, want %v", again, err, children)
		}
	})
}

func TestAVersionThatNamesItsChatHasTheMark(t *testing.T) {
	chat := core.NewID()
	body := "tree " + strings.Repeat("1", 40) + "\nauthor A <agent@atelier.invalid> 1 +0000\ncommitter A <agent@atelier.invalid> 1 +0000\n\nAdd a\n\nAuthored-By: agent\nChat-Id: " + string(chat) + "\n"
	got, err := ParseCommit(plumbing.ZeroHash, []byte(body))
	if err != nil || got.Version.Chat != core.MarkOf(chat) || got.Version.Message != "Add a" {
		t.Errorf("got %+v, %v, want the mark of the chat", got, err)
	}
}

func FuzzParseCommit(f *testing.F) {
	version := core.Version{Message: "a\n\nb", Author: core.Author{Kind: core.AuthorAgent, Name: "A <b>"}, Chat: core.MarkOf(core.NewID()), CreatedAt: 1000}
	f.Add(Commit{Tree: plumbing.NewHash(strings.Repeat("1", 40)), Version: version}.Encode())
	f.Add([]byte("tree 1\n\n"))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ngpgsig x\n y\n \n z\nauthor A > 1\ncommitter\n\nAuthored-By: agent"))
	f.Fuzz(func(t *testing.T, body []byte) {
		parsed, err := ParseCommit(plumbing.ZeroHash, body)
		if err != nil {
			return
		}
		again, err := ParseCommit(plumbing.ZeroHash, parsed.Encode())
		if err != nil || again.Version.Message != parsed.Version.Message || again.Version.Author != parsed.Version.Author || again.Version.Chat != parsed.Version.Chat {
			t.Errorf("written again: got %+v, %v, want %+v", again, err, parsed)
		}
	})
}
