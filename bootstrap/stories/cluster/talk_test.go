package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
)

// followTime is how long a client follows a chat before it reconnects: otherwise a client
// of a suspended process would hear nothing forever.
const followTime = 3 * time.Second

// talk is a chat with the agent, and a client that follows it from where it was.
type talk struct {
	load *load

	mu sync.Mutex
	// tried are the messages that were sent, and whether each was accepted.
	tried map[string]bool
	// heard are the follower's events, the first of which has seq 1.
	heard []map[string]any
}

func newTalk(l *load) *talk { return &talk{load: l, tried: map[string]bool{}} }

// count is how many answers the follower has heard the end of.
func (k *talk) count() int {
	ended := 0
	for _, event := range k.events() {
		if ends(event) {
			ended++
		}
	}
	return ended
}

func (k *talk) send() {
	for i := 0; k.load.rest(2 * pace); i++ {
		k.say(k.load.serves[i%len(k.load.serves)], fmt.Sprintf("Change the title to Number %d", i))
	}
}

// say sends a message, and follows the answer to its end.
func (k *talk) say(at *process.Service, text string) {
	ctx, cancel := k.load.within(2 * callTime)
	defer cancel()
	body := toJSON(k.load.t, map[string]any{"chatId": k.load.who.chat, "text": text, "detach": true})
	k.note(text, false)
	response, err := k.load.who.open(ctx, at, http.MethodPost, "/chat/"+string(k.load.who.project)+"/messages", body)
	if err != nil {
		return
	}
	defer response.Body.Close()
	k.load.judge(response.StatusCode, "a message", "")
	if response.StatusCode != http.StatusOK {
		return
	}
	lines(response.Body, func(line string) bool {
		event := eventOf(line)
		if event["type"] == string(core.EventUserMessage) && event["text"] == text {
			k.note(text, true)
		}
		return !ends(event)
	})
}

func (k *talk) note(text string, accepted bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried[text] = accepted
}

// eventOf reads a line of a stream; nil when it holds no event.
func eventOf(line string) map[string]any {
	data, is := strings.CutPrefix(line, "data: ")
	if !is {
		return nil
	}
	var event map[string]any
	if json.Unmarshal([]byte(data), &event) != nil {
		return nil
	}
	return event
}

// ends reports whether an event is the last of an answer.
func ends(event map[string]any) bool {
	return event["type"] == string(core.EventTaskComplete) || event["type"] == string(core.EventSessionError)
}

// follow follows the chat through one process after the other.
func (k *talk) follow() {
	for i := 0; k.load.rest(200 * time.Millisecond); i++ {
		k.listen(k.load.serves[i%len(k.load.serves)])
	}
}

func (k *talk) listen(at *process.Service) {
	ctx, cancel := k.load.within(followTime)
	defer cancel()
	query := url.Values{"chatId": {string(k.load.who.chat)}, "after": {fmt.Sprint(len(k.events()))}}
	response, err := k.load.who.open(ctx, at, http.MethodGet, "/chat/"+string(k.load.who.project)+"/stream?"+query.Encode(), "")
	if err != nil {
		return
	}
	defer response.Body.Close()
	k.load.judge(response.StatusCode, "following the chat", "")
	if response.StatusCode != http.StatusOK {
		return
	}
	var seq int
	lines(response.Body, func(line string) bool {
		if _, err := fmt.Sscanf(line, "id: %d", &seq); err == nil {
			return true
		}
		event := eventOf(line)
		if event == nil {
			return true
		}
		// A process that cannot store the end of a run says so, with an event that is in no
		// log and ends the stream.
		if event["seq"] == 0.0 && event["type"] == string(core.EventSessionError) {
			return false
		}
		if want := len(k.events()) + 1; seq != want {
			k.load.t.Errorf("following the chat: got the event %d, want %d", seq, want)
			return false
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.heard = append(k.heard, event)
		return true
	})
}

// events returns the follower's events.
func (k *talk) events() []map[string]any {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.heard
}
