package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/conformance"
)

// check ends the load and checks the invariants of a cluster after a fault.
func (l *load) check(c *cluster) {
	l.t.Helper()
	l.checkFree()
	l.moves()
	l.stop()
	l.checkChat()
	l.checkNumbers(c)
	l.checkTyping(c)
	for _, at := range append(append([]*process.Service{}, l.serves...), l.rooms...) {
		checkLog(l.t, at)
	}
}

// checkLog checks that the log of a process has neither a panic nor a data race. Call it
// before a process is killed or restarted, which clears its log.
func checkLog(t *testing.T, at *process.Service) {
	t.Helper()
	text := at.Log()
	for _, bad := range []string{"panic", "WARNING: DATA RACE", "fatal error"} {
		if strings.Contains(text, bad) {
			t.Errorf("got %q in the log of a process:\n%s", bad, text)
		}
	}
}

// checkFree writes through every process: nothing is stuck.
func (l *load) checkFree() {
	l.t.Helper()
	path := core.MustPath("free.txt")
	for i, at := range l.serves {
		var got answer
		var err error
		isDone := conformance.Becomes(func() bool {
			got, err = l.ask(at, http.MethodPut, l.who.file(path), fmt.Sprintf("free %d", i))
			return err == nil && got.status < 300
		})
		if !isDone {
			l.t.Fatalf("a write through %s: got %d %s %v after %s, want it done", at.URL, got.status, got.body, err, conformance.Patience)
		}
	}
}

// checkNumbers checks that every file has a value that its writer may expect, and that all
// views agree: each process, its list of files, and the disk.
func (l *load) checkNumbers(c *cluster) {
	l.t.Helper()
	for _, w := range l.writers {
		acked, tried := w.bounds()
		var seen []string
		isWrong := false
		isSettled := conformance.Becomes(func() bool {
			seen = l.views(c, w.path)
			number, err := strconv.Atoi(seen[0])
			isWrong = err == nil && (number < acked || number > tried)
			return isWrong || err == nil && allEqual(seen)
		})
		if isWrong || !isSettled {
			l.t.Errorf("%s: got %q on the disk and through the processes, want one number everywhere, at least %d, which was acknowledged, and at most %d", w.path, seen, acked, tried)
		}
	}
}

// views are the content on the disk, what each process reads, and which of the two each
// process's list of files describes.
func (l *load) views(c *cluster, path core.ProjectPath) []string {
	disk := c.onDisk(l.who, path)
	seen := []string{disk}
	for _, at := range l.serves {
		seen = append(seen, l.who.read(at, path))
		var entries []core.FileEntry
		l.who.call(at, http.StatusOK, http.MethodGet, "/projects/"+string(l.who.project)+"/files", "", &entries)
		listed := "not listed"
		for _, entry := range entries {
			if entry.Path == path {
				listed = "listed as another content"
				if entry.ETag == files.ETag([]byte(disk)) {
					listed = disk
				}
			}
		}
		seen = append(seen, listed)
	}
	return seen
}

func allEqual(texts []string) bool {
	for _, text := range texts {
		if text != texts[0] {
			return false
		}
	}
	return true
}

// onDisk reads a file beside all processes.
func (c *cluster) onDisk(who *caller, path core.ProjectPath) string {
	text, err := os.ReadFile(filepath.Join(c.root, c.projects, string(who.project), filepath.FromSlash(path.String())))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// checkTyping lets everybody rejoin the room, and checks that it has every word once and
// equals the disk.
func (l *load) checkTyping(c *cluster) {
	l.t.Helper()
	for _, p := range l.typists {
		p.leaves()
		wait(l.t, p.name+" back in the room", func() bool {
			p.turn++
			return p.copy.tryConnect(l.rooms[p.turn%len(l.rooms)]) == nil
		})
		defer p.leaves()
	}
	one, two := l.typists[0].copy, l.typists[1].copy
	var text string
	conformance.Becomes(func() bool {
		text = one.text(notes)
		return text == two.text(notes) && text == c.onDisk(l.who, notes) && l.missing(text) == ""
	})
	if word := l.missing(text); word != "" {
		l.t.Errorf("got the word %q %d times in what was typed, want each once:\n%s", word, strings.Count(text, word), text)
	}
	if other, disk := two.text(notes), c.onDisk(l.who, notes); text != other || text != disk {
		l.t.Errorf("got %d and %d bytes in the room's copies and %d on the disk, want the same text", len(text), len(other), len(disk))
	}
}

// missing returns a word that does not occur exactly once in a text, "" if there is none.
func (l *load) missing(text string) string {
	for _, p := range l.typists {
		for i := range p.typed {
			if strings.Count(text, p.word(i)) != 1 {
				return p.word(i)
			}
		}
	}
	return ""
}

// checkChat waits for the end of the last answer. It checks that the chat has one answer
// for each message and seqs without gaps, and that the follower received all of it.
func (l *load) checkChat() {
	l.t.Helper()
	var log []map[string]any
	wait(l.t, "the chat idle", func() bool {
		log = l.log()
		return len(log) > 0 && ends(log[len(log)-1])
	})
	answering := ""
	answered := map[string]int{}
	for i, event := range log {
		if event["seq"] != float64(i+1) {
			l.t.Fatalf("the chat: got the position %v behind %d events, want no gap", event["seq"], i)
		}
		message := event["type"] == string(core.EventUserMessage)
		if message == (answering != "") {
			l.t.Fatalf("the chat: got %v behind %v, want messages and answers in turn", event, log[:i])
		}
		switch {
		case message:
			answering = fmt.Sprint(event["text"])
			answered[answering]++
		case ends(event):
			answering = ""
		}
	}
	for text, accepted := range l.talk.tried {
		if n := answered[text]; n > 1 || accepted && n != 1 {
			l.t.Errorf("got %d answers to %q, which was accepted: %t, want one", n, text, accepted)
		}
	}
	for i, event := range l.talk.heard {
		if !reflect.DeepEqual(event, log[i]) {
			l.t.Errorf("following the chat: got %v, want %v, which is stored", event, log[i])
		}
	}
}

// log returns the chat's events, nil when they cannot be read just now.
func (l *load) log() []map[string]any {
	var all []map[string]any
	for {
		var page struct{ Items []map[string]any }
		path := fmt.Sprintf("/chat/%s/messages?chatId=%s&limit=500&after=%d", l.who.project, l.who.chat, len(all))
		body := l.who.call(l.serves[0], http.StatusOK, http.MethodGet, path, "", nil)
		if err := json.Unmarshal(body, &page); err != nil {
			l.t.Fatal(err)
		}
		all = append(all, page.Items...)
		if len(page.Items) < 500 {
			return all
		}
	}
}
