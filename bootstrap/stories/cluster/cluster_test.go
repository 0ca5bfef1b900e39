package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestSeveralProcessesAreOneService(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	second, rooms := c.serve(), c.rooms()
	who := c.signUp()
	page := who.read(second, index)
	one, two := who.copy(), who.copy()
	one.connect(rooms)
	two.connect(rooms)
	one.sees(index, page)

	t.Run("a write through one of them reaches the room", func(t *testing.T) {
		who.write(second, index, page+"<!-- through the second -->\n")
		one.sees(index, "<!-- through the second -->")
		who.write(c.first, index, who.read(c.first, index)+"<!-- through the first -->\n")
		two.sees(index, "<!-- through the first -->")
	})
	t.Run("typed text is there for every reader", func(t *testing.T) {
		for i := range 10 {
			word := fmt.Sprintf("<!-- typed %d -->\n", i)
			one.types(index, word)
			two.sees(index, word)
			if got := who.read(second, index); !strings.Contains(got, word) {
				t.Errorf("got %q, want %q in it", got, word)
			}
		}
	})
	t.Run("a run in one is heard in the room", func(t *testing.T) {
		events := who.dial(rooms, "atelier.v1")
		who.call(c.first, http.StatusOK, http.MethodPost, "/chat/"+string(who.project)+"/messages", toJSON(t, map[string]string{"chatId": string(who.chat), "text": "Write hello into hello.txt"}), nil)
		for !strings.Contains(nextEvent(t, events), `"session.task_complete"`) {
			continue
		}
	})
	t.Run("the rooms are where they are, and nothing else is", func(t *testing.T) {
		if socket, err := who.tryDial(second); err == nil {
			_ = socket.CloseNow()
			t.Error("got a socket at a process without rooms, want none")
		}
		who.call(rooms, http.StatusNotFound, http.MethodGet, "/workspaces", "", nil)
		who.call(rooms, http.StatusOK, http.MethodGet, "/readyz", "", nil)
	})
}

// TestProcessesGoByTheDatabasesClock sets the database's clock two hours ahead of the
// machine's: no process may use its own clock.
func TestProcessesGoByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	c := prepare(t)
	c.ahead(2)
	c.first = c.serve()
	who := c.signUp()
	before := time.Now()
	who.call(c.first, http.StatusOK, http.MethodPost, "/chat/"+string(who.project)+"/messages", toJSON(t, map[string]string{"chatId": string(who.chat), "text": "Write hello into hello.txt"}), nil)
	var page struct {
		Items []struct{ CreatedAt time.Time }
	}
	who.call(c.first, http.StatusOK, http.MethodGet, "/projects/"+string(who.project)+"/chats", "", &page)
	if got := page.Items[0].CreatedAt.Sub(before); got < time.Hour || got > 3*time.Hour {
		t.Errorf("got a chat of %v from here, want one of two hours ahead", got)
	}
}

func TestRoomsOutliveTheirProcess(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	rooms := c.rooms()
	who := c.signUp()
	one, two := who.copy(), who.copy()
	one.connect(rooms)
	two.connect(rooms)
	one.sees(index, "<")
	typed := 0
	for round := range 2 {
		for range 20 {
			one.types(index, fmt.Sprintf("<i id=\"%d\">\n", typed))
			typed++
		}
		rooms.Kill()
		<-one.gone
		<-two.gone
		// People go on typing, and somebody writes through the API.
		one.types(index, fmt.Sprintf("<i id=\"%d\">\n", typed))
		typed++
		who.write(c.first, core.MustPath("index.html"), who.read(c.first, index)+fmt.Sprintf("<b id=\"%d\">\n", round))
		rooms.Restart()
		one.connect(rooms)
		two.connect(rooms)
		one.sees(index, fmt.Sprintf("<b id=\"%d\">", round))
	}
	wait(t, "both copies and the disk equal", func() bool {
		text := one.text(index)
		return text == two.text(index) && text == who.read(c.first, index)
	})
	for i := range typed {
		if got := strings.Count(one.text(index), fmt.Sprintf("<i id=\"%d\">", i)); got != 1 {
			t.Errorf("got the text of keystroke %d %d times, want it once", i, got)
		}
	}
}

func TestAnotherProcessTakesARoomOver(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	rooms, others := c.rooms(), c.rooms()
	who := c.signUp()
	one := who.copy()
	one.connect(rooms)
	one.sees(index, "<")
	one.types(index, "before ")
	wait(t, "the typed text on the disk", func() bool { return strings.HasPrefix(who.read(c.first, index), "before ") })
	if socket, err := who.tryDial(others); err == nil {
		_ = socket.CloseNow()
		t.Error("got a second room of one project, want none while the first is open")
	}
	rooms.Kill()
	<-one.gone
	one.types(index, "between ")
	one.connect(others)
	wait(t, "all that was typed on the disk", func() bool {
		return strings.HasPrefix(who.read(c.first, index), "between before ")
	})
}
