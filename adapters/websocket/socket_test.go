package websocket_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/replica"
)

func TestCopiesOfTheDocumentConverge(t *testing.T) {
	h := newHouse(t)
	h.person("bob", core.RoleMember)
	ann, bob := h.copies("owner", nil), h.copies("bob", nil)
	ann.waitFor("the page", page)
	bob.waitFor("the page", page)
	ann.types(index, "one", " and two")
	bob.types(index, "<h1>", "Number ")
	want := strings.Replace(page, "one", "Number one and two", 1)
	ann.waitFor("what both typed", want)
	bob.waitFor("what both typed", want)
	h.write(index, want+"<p>by the agent</p>\n")
	ann.waitFor("what the agent wrote", want+"<p>by the agent</p>\n")
}

func TestAClientBringsWhatItTypedOffline(t *testing.T) {
	h := newHouse(t)
	before := h.copies("owner", nil)
	before.waitFor("the page", page)
	h.must(before.conn.Close(ws.StatusNormalClosure, ""))
	before.mu.Lock()
	_, err := before.doc.Edit(index, []replica.Edit{{At: strings.Index(page, "one"), Insert: "offline "}})
	before.mu.Unlock()
	h.must(err)
	want := strings.Replace(page, "one", "offline one", 1)
	h.copies("owner", before.doc).waitFor("its own text", want)
	h.copies("owner", nil).waitFor("what was typed offline", want)
}

func TestAReaderIsToldThatItMayNotWrite(t *testing.T) {
	h := newHouse(t)
	h.person("visitor", core.RoleNone)
	ann, visitor := h.copies("owner", nil), h.copies("visitor", nil)
	ann.waitFor("the page", page)
	visitor.waitFor("the page", page)
	if visitor.refused != nil {
		t.Errorf("got refused %q with nothing typed, want nothing", visitor.refused)
	}
	visitor.types(index, "one", " and mine")
	h.eventually("a refusal", func() bool {
		visitor.mu.Lock()
		defer visitor.mu.Unlock()
		return len(visitor.refused) == 1 && strings.Contains(visitor.refused[0], "read")
	})
	ann.types(index, "one", " and two")
	h.eventually("what the owner typed", func() bool { return strings.Contains(visitor.text(), "and two") })
	if text := ann.text(); strings.Contains(text, "mine") {
		t.Errorf("got %q in the room, want nothing by the visitor", text)
	}
}

func TestWhoIsThereIsSeenAndGone(t *testing.T) {
	h := newHouse(t)
	h.person("bob", core.RoleMember)
	ann, follower := h.copies("owner", nil), h.follows("owner")
	follower.until("welcome")
	bob := h.copies("bob", nil)
	show := func(clock uint64, value string) {
		body := yprotocol.WriteStates([]core.Awareness{{Client: 77, Clock: clock, Value: []byte(value)}})
		bob.send(yprotocol.Awareness, body)
	}
	show(1, `{"user":{"name":"Somebody else"},"cursor":null}`)
	h.eventually("bob at both", func() bool {
		return strings.Contains(ann.shows(77), `"name":"bob"`) && strings.Contains(bob.shows(77), `"name":"bob"`)
	})
	if joined := follower.until("presence.join"); joined["clientId"] != 77.0 {
		t.Errorf("got %v, want client 77", joined)
	}
	show(2, `{"cursor":{"file":"index.html","selection":{"start":1,"end":2}}}`)
	if moved := follower.until("presence.update"); moved["path"] != "index.html" {
		t.Errorf("got %v, want bob in index.html", moved)
	}
	late := h.copies("owner", nil)
	h.eventually("bob at who comes late", func() bool { return strings.Contains(late.shows(77), "index.html") })
	late.send(yprotocol.QueryAwareness, nil)
	h.must(bob.conn.Close(ws.StatusNormalClosure, ""))
	h.eventually("bob gone", func() bool { return ann.shows(77) == "" })
	follower.until("presence.leave")
}

func TestFollowersAreToldWhatHappens(t *testing.T) {
	h := newHouse(t)
	ann, first := h.copies("owner", nil), h.follows("owner")
	ann.waitFor("the page", page)
	if welcome := first.next(); welcome["type"] != "welcome" || welcome["clientId"] == nil || welcome["peers"] == nil {
		t.Errorf("got %v, want a welcome", welcome)
	}
	second := h.follows("owner")
	if peers, _ := second.until("welcome")["peers"].([]any); len(peers) != 1 {
		t.Errorf("got the peers %v, want the first follower", peers)
	}
	first.until("presence.join")
	second.say(`{"type":"presence.update","path":"index.html","cursor":{"line":3},"selection":{"start":1,"end":4}}`)
	moved := first.until("presence.update")
	if cursor, _ := moved["cursor"].(map[string]any); moved["path"] != "index.html" || cursor["line"] != 3.0 || moved["selection"] == nil {
		t.Errorf("got %v, want path, cursor and selection", moved)
	}
	ann.types(index, "one", " and two")
	changed := first.until("file.changed")
	if changed["path"] != "index.html" || changed["content"] != strings.Replace(page, "one", "one and two", 1) || changed["etag"] == nil {
		t.Errorf("got %v, want the page as it is now", changed)
	}
	second.say(`{"type":"presence.update"}`)
	if moved := first.until("presence.update"); moved["path"] != nil || moved["selection"] != nil {
		t.Errorf("got %v, want nobody in a file", moved)
	}
	h.must(second.conn.Close(ws.StatusNormalClosure, ""))
	first.until("presence.leave")
	first.say(`{"type":"ping"}`)
	if pong := first.next(); len(pong) != 1 || pong["type"] != "pong" {
		t.Errorf("got %v, want a pong", pong)
	}
}

func TestMistakesOfFollowersAreNamed(t *testing.T) {
	h := newHouse(t)
	f := h.follows("owner")
	f.until("welcome")
	for text, want := range map[string]string{
		``:                                    "JSON object",
		`x`:                                   "JSON object",
		`null`:                                "JSON object",
		`[]`:                                  "JSON object",
		`{"type":"ping"} {}`:                  "JSON object",
		"{\"type\":\"ping\",\"x\":\"\xff\"}":  "JSON object",
		`{}`:                                  "type must be",
		`{"type":7}`:                          "type must be a string",
		`{"type":"file.changed"}`:             "type must be",
		`{"type":"ping","x":1}`:               `"x"`,
		`{"type":"ping","path":"a"}`:          `"path"`,
		`{"type":"presence.update","user":1}`: `"user"`,
		`{"type":"presence.update","path":7}`: "path must be",
		`{"type":"presence.update","path":"../a"}`:                                                                    "path",
		`{"type":"presence.update","selection":[1,2]}`:                                                                "selection must be",
		`{"type":"presence.update","selection":{"start":1}}`:                                                          "selection must be",
		`{"type":"presence.update","selection":{"start":1,"end":null}}`:                                               "selection must be",
		`{"type":"presence.update","selection":{"start":1,"end":2.5}}`:                                                "selection must be",
		`{"type":"presence.update","selection":{"start":1,"end":2,"x":3}}`:                                            "selection must be",
		`{"type":"presence.update","selection":{"start":4,"end":2}}`:                                                  "selection must be",
		`{"type":"presence.update","cursor":"` + strings.Repeat("x", 4096) + `"}`:                                     "cursor is longer",
		`{"type":"presence.update","path":"` + strings.Repeat("x", 70_000) + `"}`:                                     "more than 65536 bytes",
		`{"type":"presence.update","cursor":` + strings.Repeat("[", 30_000) + `1` + strings.Repeat("]", 30_000) + `}`: "JSON object",
	} {
		f.say(text)
		if got := f.until("error"); got["error"] == nil || !strings.Contains(got["message"].(string), want) {
			t.Errorf("%.60q: got %v, want a message with %q", text, got, want)
		}
	}
	f.say(`{"type":"ping"}`)
	f.until("pong")
}

func TestRequestsThatOpenNoSocket(t *testing.T) {
	h := newHouse(t)
	good := map[string]string{
		"Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
	}
	ask := func(method, token string, change map[string]string) (int, http.Header, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, h.address(token), nil)
		h.must(err)
		for _, headers := range []map[string]string{good, change} {
			for name, value := range headers {
				r.Header.Set(name, value)
			}
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		h.must(err)
		defer response.Body.Close()
		if response.StatusCode == http.StatusSwitchingProtocols {
			return response.StatusCode, response.Header, ""
		}
		body, err := io.ReadAll(response.Body)
		h.must(err)
		return response.StatusCode, response.Header, string(body)
	}
	for name, change := range map[string]map[string]string{
		"no upgrade":              {"Connection": "keep-alive"},
		"an upgrade to another":   {"Upgrade": "h2c"},
		"an old version":          {"Sec-WebSocket-Version": "8"},
		"no key":                  {"Sec-WebSocket-Key": ""},
		"a short key":             {"Sec-WebSocket-Key": "AAAA"},
		"an unknown subprotocol":  {"Sec-WebSocket-Protocol": "graphql-ws"},
		"a subprotocol's cousins": {"Sec-WebSocket-Protocol": "atelier.v2, ATELIER.V1"},
	} {
		if status, _, body := ask(http.MethodGet, "owner", change); status != http.StatusTeapot || !strings.HasPrefix(body, "invalid_request") {
			t.Errorf("%s: got %d %q, want invalid_request", name, status, body)
		}
	}
	if status, _, body := ask(http.MethodHead, "owner", nil); status != http.StatusTeapot {
		t.Errorf("HEAD: got %d %q, want a refusal", status, body)
	}
	for protocols, want := range map[string]string{
		"": "", "atelier.v1": "atelier.v1", "bearer.x.y": "bearer.x.y", "bearer.x.y, atelier.v1": "atelier.v1", "other, bearer.x": "bearer.x",
	} {
		if status, header, body := ask(http.MethodGet, "owner", map[string]string{"Sec-WebSocket-Protocol": protocols}); status != http.StatusSwitchingProtocols || header.Get("Sec-WebSocket-Protocol") != want {
			t.Errorf("offered %q: got %d %q %q, want 101 with %q", protocols, status, header.Get("Sec-WebSocket-Protocol"), body, want)
		}
	}
	h.hide()
	h.person("stranger", core.RoleNone)
	if status, _, body := ask(http.MethodGet, "stranger", nil); status != http.StatusTeapot || !strings.HasPrefix(body, "not_found") {
		t.Errorf("a stranger: got %d %q, want not_found", status, body)
	}
}

func TestAHandlerWaitsForItsSockets(t *testing.T) {
	h := newHouse(t)
	owner := h.follows("owner")
	ctx, leave := context.WithCancel(t.Context())
	waited := make(chan error, 1)
	go func() { waited <- h.handler.Wait(ctx) }()
	owner.say(`{"type":"ping"}`)
	owner.until("pong")
	leave()
	if err := conformance.Await(t, "the end of the wait", waited); err != context.Canceled {
		t.Errorf("got %v, want to wait for the socket", err)
	}
}
