package objects

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// A version's message ends in a paragraph of trailers that this package writes. It always
// names the kind of the author, so that no message can pass off its own last paragraph as
// trailers. Author-Name is present if git's author line cannot hold the name.
const (
	trailerKind = "Authored-By: "
	trailerName = "Author-Name: "
	trailerChat = "Chat: "
	// trailerChatID names the chat itself. Versions had it, and keep it.
	trailerChatID = "Chat-Id: "
)

// Commit holds the fields of a commit object. Version.FilesChanged is not one of them.
type Commit struct {
	Tree    plumbing.Hash
	Parents []plumbing.Hash
	Version core.Version
}

// Encode returns the body of the commit object. Its e-mail addresses use the top-level
// domain that is reserved for names that never resolve (RFC 2606).
func (c Commit) Encode() []byte {
	v := c.Version
	var body bytes.Buffer
	fmt.Fprintf(&body, "tree %s\n", c.Tree)
	for _, parent := range c.Parents {
		fmt.Fprintf(&body, "parent %s\n", parent)
	}
	name := plainName(v.Author.Name)
	person := fmt.Sprintf("%s <%s@atelier.invalid> %d +0000", name, kindOf(string(v.Author.Kind)), v.CreatedAt.Std().Unix())
	fmt.Fprintf(&body, "author %s\ncommitter %s\n\n", person, person)
	if v.Message != "" {
		fmt.Fprintf(&body, "%s\n\n", v.Message)
	}
	fmt.Fprintf(&body, "%s%s\n", trailerKind, kindOf(string(v.Author.Kind)))
	if name != v.Author.Name {
		fmt.Fprintf(&body, "%s%s\n", trailerName, strconv.QuoteToASCII(v.Author.Name))
	}
	if v.Chat != "" {
		fmt.Fprintf(&body, "%s%s\n", trailerChat, v.Chat)
	}
	return body.Bytes()
}

// ParseCommit parses a commit object, written by this package or by the stock git client.
func ParseCommit(hash plumbing.Hash, body []byte) (Commit, error) {
	head, message, found := strings.Cut(string(body), "\n\n")
	if !found {
		head = string(body)
	}
	c := Commit{Version: core.Version{ID: hash.String()}}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = plumbing.NewHash(value)
		case "parent":
			c.Parents = append(c.Parents, plumbing.NewHash(value))
		case "author":
			c.Version.Author.Name, _ = parsePerson(value)
		case "committer":
			_, c.Version.CreatedAt = parsePerson(value)
		}
	}
	if c.Tree.IsZero() {
		return Commit{}, core.Wrap(core.CodeUnavailable, ErrDamaged, "the repository is damaged")
	}
	c.Version.Author.Kind = core.AuthorUser
	c.Version.Message = c.takeTrailers(vcs.CleanMessage(message))
	return c, nil
}

// takeTrailers reads the trailers of this package and returns the message without
// them.
func (c *Commit) takeTrailers(message string) string {
	rest, last := "", message
	if at := strings.LastIndex(message, "\n\n"); at >= 0 {
		rest, last = message[:at], message[at+2:]
	}
	if !strings.HasPrefix(last, trailerKind) {
		return message
	}
	for line := range strings.SplitSeq(last, "\n") {
		if value, found := strings.CutPrefix(line, trailerKind); found {
			c.Version.Author.Kind = kindOf(value)
		}
		if value, found := strings.CutPrefix(line, trailerName); found {
			if name, err := strconv.Unquote(value); err == nil {
				c.Version.Author.Name = name
			}
		}
		if value, found := strings.CutPrefix(line, trailerChat); found {
			c.Version.Chat = core.ChatMark(value)
		}
		if value, found := strings.CutPrefix(line, trailerChatID); found {
			if chat, err := core.ParseID(value); err == nil {
				c.Version.Chat = core.MarkOf(chat)
			}
		}
	}
	return rest
}

func kindOf(text string) core.AuthorKind {
	if text == string(core.AuthorAgent) {
		return core.AuthorAgent
	}
	return core.AuthorUser
}

// plainName returns a name as git's author line can hold it: git strips some characters
// at its ends and does not allow others at all.
func plainName(name string) string {
	kept := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '<' || r == '>' || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	kept = strings.Trim(kept, " .,:;\"\\'")
	if kept == "" {
		return "unknown"
	}
	return kept
}

// parsePerson reads "Name <address> seconds zone".
func parsePerson(text string) (name string, at core.Time) {
	name, rest, _ := strings.Cut(text, "<")
	if _, times, found := strings.Cut(rest, "> "); found {
		seconds, _, _ := strings.Cut(times, " ")
		if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
			at = core.At(time.Unix(n, 0))
		}
	}
	return strings.ToValidUTF8(strings.TrimSpace(name), "\ufffd"), at
}
