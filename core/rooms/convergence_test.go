package rooms_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/replica"
)

// TestEveryDoorMeetsInTheRoom lets people type, leave and return with offline edits,
// while the agent rewrites files that it read before. In the end all copies equal each
// other and the disk, and have everything that was inserted exactly once; nobody
// deletes anything.
func TestEveryDoorMeetsInTheRoom(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			play(t, func(h *house) { newScene(h, seed).play(800) })
		})
	}
}

// scene is a random play.
type scene struct {
	h       *house
	random  *rand.Rand
	paths   []core.ProjectPath
	clients []*client
	away    map[*client]bool
	words   int
	// bytes is how much was inserted.
	bytes int
}

const beginning = "begin\nmiddle\nend\n"

func newScene(h *house, seed uint64) *scene {
	s := &scene{h: h, random: rand.New(rand.NewPCG(seed, 1)), away: map[*client]bool{}}
	for _, name := range []string{"index.html", "src/app.tsx", "src/äöü.css"} {
		s.paths = append(s.paths, core.MustPath(name))
		h.write(core.FileChange{Op: core.OpWrite, Path: core.MustPath(name), Content: []byte(beginning)})
	}
	for i := range 3 {
		s.clients = append(s.clients, h.join(h.person(fmt.Sprintf("person%d", i), core.RoleMember)))
	}
	return s
}

func (s *scene) play(steps int) {
	for range steps {
		c := s.clients[s.random.IntN(len(s.clients))]
		path := s.paths[s.random.IntN(len(s.paths))]
		switch n := s.random.IntN(100); {
		case n < 70:
			s.typeIn(c, path)
		case n < 80:
			s.write(path)
		case n < 84:
			s.goOrCome(c)
		case n < 85:
			s.restart()
		default:
			time.Sleep(time.Duration(s.random.IntN(900)) * time.Millisecond)
		}
	}
	for _, c := range s.clients {
		if s.away[c] {
			s.goOrCome(c)
		}
	}
	time.Sleep(3 * time.Second)
	s.check()
}

func (s *scene) word() string {
	s.words++
	word := fmt.Sprintf("<w%d>", s.words)
	s.bytes += len(word)
	return word
}

// typeIn inserts a word somewhere, on a copy that may be offline.
func (s *scene) typeIn(c *client, path core.ProjectPath) {
	c.mu.Lock()
	text, _ := c.doc.Text(path)
	at := s.random.IntN(len(text) + 1)
	for at < len(text) && (!utf8.RuneStart(text[at]) || inWord(text, at)) {
		at++
	}
	change, err := c.doc.Edit(path, []replica.Edit{{At: at, Insert: s.word()}})
	c.mu.Unlock()
	s.h.must(err)
	if !s.away[c] {
		s.h.must(c.member.Update(change.Update))
	}
}

// inWord reports whether a place is within an inserted word.
func inWord(text string, at int) bool {
	begin := strings.LastIndexByte(text[:at], '<')
	return begin >= 0 && strings.IndexByte(text[begin:at], '>') < 0
}

// write reads a file and writes it with one more line, as the agent does. People type
// between the two.
func (s *scene) write(path core.ProjectPath) {
	read, _ := s.h.read(path)
	lines := strings.SplitAfter(read, "\n")
	at := s.random.IntN(len(lines))
	wrote := strings.Join(lines[:at], "") + s.word() + "\n" + strings.Join(lines[at:], "")
	synctest.Wait()
	s.bytes++
	s.h.write(core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(wrote)})
	s.typeIn(s.clients[0], path)
}

func (s *scene) goOrCome(c *client) {
	if !s.away[c] {
		c.member.Leave()
		s.away[c] = true
		return
	}
	s.comeBack(c)
}

func (s *scene) comeBack(c *client) {
	<-c.over
	again := s.h.joinWith(s.h.owner, c.doc)
	c.member, s.away[c] = again.member, false
	for i, known := range s.clients {
		if known == c {
			s.clients[i] = again
		}
	}
	delete(s.away, c)
}

func (s *scene) restart() {
	s.h.restart()
	for _, c := range s.clients {
		if !s.away[c] {
			s.comeBack(c)
		}
	}
}

func (s *scene) check() {
	s.h.t.Helper()
	bytes := -len(s.paths) * len(beginning)
	for _, path := range s.paths {
		disk := s.h.onDisk(path)
		bytes += len(disk)
		for i, c := range s.clients {
			if got := c.text(path); got != disk {
				s.h.t.Errorf("client %d has %q in %s, the disk %q", i, got, path, disk)
			}
		}
	}
	if bytes != s.bytes {
		s.h.t.Errorf("got %d bytes put in, want %d", bytes, s.bytes)
	}
}
