package webhooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// receiver is another program that is told of events.
type receiver struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex
	messages []message
}

// message is one request to it.
type message struct {
	path   string
	header http.Header
	body   string
}

func (m message) id() string { return m.header.Get("webhook-id") }

// newReceiver starts a receiver that records every request and then answers as told.
func newReceiver(t testing.TB, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{t: t}
	r.Server = httptest.NewServer(r.recording(answer))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) recording(answer http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.messages = append(r.messages, message{request.URL.Path, request.Header.Clone(), string(body)})
		r.mu.Unlock()
		answer(w, request)
	})
}

// got are the messages to a path so far.
func (r *receiver) got(path string) (found []message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.messages {
		if one.path == path {
			found = append(found, one)
		}
	}
	return found
}

// await returns the messages to a path as soon as there are n.
func (r *receiver) await(path string, n int) []message {
	r.t.Helper()
	if !conformance.Becomes(func() bool { return len(r.got(path)) >= n }) {
		r.t.Fatalf("got %d messages to %s, want %d", len(r.got(path)), path, n)
	}
	return r.got(path)
}

// verify checks a message as the specification of Standard Webhooks tells receivers to: the signature
// over id, timestamp and body, and a timestamp within five minutes. It shares no code with the sender.
func verify(t testing.TB, m message, secret string) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || len(key) > 64 {
		t.Fatalf("got a key of %d bytes, %v, want 24 to 64", len(key), err)
	}
	seconds, err := strconv.ParseInt(m.header.Get("webhook-timestamp"), 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); err != nil || age < -5*time.Minute || age > 5*time.Minute {
		t.Errorf("got the timestamp %q, want the time of sending", m.header.Get("webhook-timestamp"))
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(m.id() + "." + m.header.Get("webhook-timestamp") + "." + m.body))
	for _, signature := range strings.Split(m.header.Get("webhook-signature"), " ") {
		encoded, isV1 := strings.CutPrefix(signature, "v1,")
		if given, err := base64.StdEncoding.DecodeString(encoded); isV1 && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return
		}
	}
	t.Errorf("got the signature %q of %s, want one of %s", m.header.Get("webhook-signature"), m.body, secret)
}

// TestTheReceiverTakesThePublishedVector holds verify, apart from the age, to the vector of the
// reference libraries of Standard Webhooks.
func TestTheReceiverTakesThePublishedVector(t *testing.T) {
	key, _ := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(`msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}`))
	if got, want := base64.StdEncoding.EncodeToString(mac.Sum(nil)), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// event is a message's body.
type event struct {
	Type core.WebhookEvent
	Data map[string]any
}

func (m message) event(t testing.TB) (read event) {
	t.Helper()
	if err := json.Unmarshal([]byte(m.body), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// hook is a webhook of a caller's workspace.
type hook struct {
	*storytest.Caller
	path, secret string
}

// newHook makes a webhook for events, of all of the workspace.
func newHook(c *storytest.Caller, url string, events ...core.WebhookEvent) hook {
	c.T.Helper()
	var made struct {
		ID     string
		Secret string
	}
	path := "/workspaces/" + string(c.Workspace) + "/webhooks"
	c.Must(http.StatusCreated, http.MethodPost, path, storytest.Fields{"url": url, "events": events}, &made)
	return hook{c, path + "/" + made.ID, made.Secret}
}

// delivery is an entry of a webhook's log.
type delivery struct {
	ID          core.ID
	MessageID   string
	Type        core.WebhookEvent
	State       core.DeliveryState
	Attempts    int
	AttemptedAt *core.Time
	Status      *int
	Response    string
	Error       core.DeliveryProblem
}

func (h hook) log() []delivery {
	h.T.Helper()
	var page struct{ Items []delivery }
	h.Must(http.StatusOK, http.MethodGet, h.path+"/deliveries", nil, &page)
	return page.Items
}

// awaitLog returns the newest entry of the log as soon as it is as wanted.
func (h hook) awaitLog(wanted func(delivery) bool) delivery {
	h.T.Helper()
	var log []delivery
	if !conformance.Becomes(func() bool {
		log = h.log()
		return len(log) > 0 && wanted(log[0])
	}) {
		h.T.Fatalf("got the log %+v", log)
	}
	return log[0]
}

func isTried(d delivery) bool     { return d.AttemptedAt != nil }
func isDelivered(d delivery) bool { return d.State == core.DeliveryDelivered }
