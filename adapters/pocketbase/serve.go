package pocketbase

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Bounds of a request.
const (
	// maxBodyBytes bounds the body of a request: several files of PocketBase's default limit.
	maxBodyBytes = 64 << 20
	// bodyTime bounds the time for a body to arrive.
	bodyTime = time.Minute
	// maxStream bounds the time of a stream.
	maxStream = time.Hour
	// maxAnswerBytes bounds an answer, and what a statement returns for it.
	maxAnswerBytes = 32 << 20
	// lastWrite bounds the last writes to an answer after the place was closed.
	lastWrite = time.Second
)

// Serve implements backend.Engine.
func (e *Engine) Serve(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	how := kindOf(r.Method, r.URL.Path)
	if how == refused {
		backend.Refuse(w, http.StatusNotFound, "The requested resource wasn't found.")
		return
	}
	set, done, err := e.places.use(place)
	if err != nil {
		fail(w, err)
		return
	}
	defer done()
	set.owner.note(r.Context())
	if wait := set.rate.Take(time.Now()); wait > 0 && !as.Owner && place.Copy == "" {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		backend.Refuse(w, http.StatusTooManyRequests, fmt.Sprintf("This application takes at most %d requests a second. Try again in a moment.", set.config.Limits.Requests))
		return
	}
	ctx := context.WithValue(r.Context(), identityKey{}, as)
	if usesProviders(r.URL.Path) {
		ctx = context.WithValue(ctx, oauth2.HTTPClient, e.config.outgoing())
		if ctx, err = e.withProviders(ctx, place); err != nil {
			fail(w, err)
			return
		}
	}
	r = r.WithContext(ctx)
	if as != (backend.Identity{}) {
		r.Header.Del("Authorization")
	}
	r.Header.Del("Cookie")
	switch how {
	case short:
		fromElsewhere(r, place)
		err = set.serveShort(w, r)
	case signIn:
		err = set.serveExchange(w, r)
	default:
		err = set.serveLong(w, r, how)
	}
	if err != nil {
		fail(w, err)
	}
}

// readsOfCopies counts the reads of scratch copies.
var readsOfCopies atomic.Uint64

// fromElsewhere gives each read of a scratch copy a different IP address. To prevent
// guessing of hidden values, PocketBase delays filters without matches by up to half a
// second once an address has sent three in three seconds. The attack before publishing
// sends just such filters to copies, and only the service can reach them.
func fromElsewhere(r *http.Request, place backend.Place) {
	if place.Copy == "" || r.Method != http.MethodGet {
		return
	}
	address := [16]byte{0xfd} // of private use
	binary.BigEndian.PutUint64(address[8:], readsOfCopies.Add(1))
	r.RemoteAddr = netip.AddrPortFrom(netip.AddrFrom16(address), 1).String()
}

type identityKey struct{}

func identityOf(ctx context.Context) backend.Identity {
	as, _ := ctx.Value(identityKey{}).(backend.Identity)
	return as
}

// serveShort serves a request under the gate. Slow clients do not hold the gate, neither
// while sending nor while receiving.
func (s *dataSet) serveShort(w http.ResponseWriter, r *http.Request) error {
	body, ok := readBody(w, r)
	if !ok {
		return nil
	}
	answer := &buffer{header: make(http.Header)}
	if err := inTurn(r.Context(), s, func(app *application) error {
		if err := s.checkRoom(r.Method, int64(len(body))); err != nil {
			return err
		}
		app.handler.ServeHTTP(answer, withBody(r, body))
		return nil
	}); err != nil {
		return err
	}
	if answer.broken(r.Method) {
		backend.Refuse(w, http.StatusBadRequest, "The parameter fields is malformed.")
		return nil
	}
	answer.asPage()
	if answer.body.Len() > maxAnswerBytes {
		backend.Refuse(w, http.StatusBadRequest, tooLarge)
		return nil
	}
	answer.sendTo(w)
	return nil
}

// inTurn calls work under the gate once the workspace may have one more request.
func inTurn(ctx context.Context, s *dataSet, work func(app *application) error) error {
	leave, err := s.config.turns.Request(ctx, s.owner.workspace())
	if err != nil {
		return err
	}
	defer leave()
	return onceOpen(ctx, s, work)
}

// readBody reads the body of a request. If that fails, it answers and returns false.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if r.ContentLength == 0 {
		return nil, true
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if beyond := new(http.MaxBytesError); errors.As(err, &beyond) {
		backend.Refuse(w, http.StatusRequestEntityTooLarge, "The request is larger than 64 MiB.")
		return nil, false
	}
	if err != nil {
		backend.Refuse(w, http.StatusBadRequest, "The request's body did not arrive.")
		return nil, false
	}
	return body, true
}

// withBody gives a request the body that was read from it.
func withBody(r *http.Request, body []byte) *http.Request {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

// serveLong serves a stream or a file without the gate.
func (s *dataSet) serveLong(w http.ResponseWriter, r *http.Request, how kind) error {
	if how == stream {
		if !s.join() {
			return core.Errorf(core.CodeRateLimited, "this application has %d realtime connections, which is its limit", s.config.Limits.Streams)
		}
		defer s.leave()
	}
	app, ctx, release, err := s.borrow(r.Context())
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, maxStream)
	defer cancel()
	defer limitLastWrite(ctx, w)()
	app.handler.ServeHTTP(w, r.WithContext(ctx))
	return nil
}

// limitLastWrite limits the remaining writes once ctx has ended, so that a client that does
// not read cannot delay closing. It does not touch w after stop, as net/http requires:
// setting a deadline on a finished answer would crash the process.
func limitLastWrite(ctx context.Context, w http.ResponseWriter) (stop func()) {
	limited := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(limited)
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(lastWrite))
	})
	return func() {
		if !cancel() {
			<-limited
		}
	}
}

// borrow returns the open application for use without the gate. The context ends when the
// place is closed; closing waits for release.
func (s *dataSet) borrow(ctx context.Context) (app *application, life context.Context, release func(), err error) {
	var open context.Context
	err = onceOpen(ctx, s, func(borrowed *application) error {
		app, open = borrowed, s.life
		app.streams.Add(1)
		s.lend(1)
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	life, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(open, cancel)
	return app, life, func() { stop(); cancel(); s.lend(-1); app.streams.Done() }, nil
}

// lend counts the start (1) or end (-1) of a use without the gate.
func (s *dataSet) lend(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.borrowed += n
	s.used = time.Now()
}

// join counts a stream, unless there are too many.
func (s *dataSet) join() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= s.config.Limits.Streams {
		return false
	}
	s.streams++
	return true
}

func (s *dataSet) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams--
	s.used = time.Now()
}

// buffer is an http.ResponseWriter that keeps the answer.
type buffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (b *buffer) Header() http.Header { return b.header }

// WriteHeader implements http.ResponseWriter.
func (b *buffer) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

// Write implements http.ResponseWriter.
func (b *buffer) Write(content []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(content)
}

// broken reports whether PocketBase failed after it had sent the status, because it could
// not select the fields that a request asked for.
func (b *buffer) broken(method string) bool {
	return b.status == http.StatusOK && b.body.Len() == 0 && method != http.MethodHead && b.header.Get("Content-Type") == "application/json"
}

func (b *buffer) sendTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), b.header)
	w.Header().Del("Set-Cookie")
	w.Header().Set("Content-Length", strconv.Itoa(b.body.Len()))
	w.WriteHeader(max(b.status, http.StatusOK))
	_, _ = w.Write(b.body.Bytes())
}

// fail answers an error of the engine in PocketBase's form.
func fail(w http.ResponseWriter, err error) {
	switch core.CodeOf(err) {
	case core.CodeNotFound:
		backend.Refuse(w, http.StatusNotFound, "The requested resource wasn't found.")
	case core.CodePayloadTooLarge:
		backend.Refuse(w, http.StatusRequestEntityTooLarge, messageOf(err))
	case core.CodeRateLimited:
		w.Header().Set("Retry-After", "5")
		backend.Refuse(w, http.StatusTooManyRequests, messageOf(err))
	default:
		w.Header().Set("Retry-After", "1")
		backend.Refuse(w, http.StatusServiceUnavailable, "The data is not available at the moment. Try again.")
	}
}

// messageOf returns what an error says to people.
func messageOf(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return "The request was refused."
}
