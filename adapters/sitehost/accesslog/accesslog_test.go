package accesslog_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/sitehost/accesslog"
)

func now() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }

func visitor(*http.Request) netip.Addr { return netip.MustParseAddr("2001:db8::1") }

// logged returns the line for a request that a handler answers.
func logged(r *http.Request, serve http.HandlerFunc) string {
	var out strings.Builder
	log := accesslog.New(&out, visitor, now, slog.New(slog.DiscardHandler))
	log.Around(serve).ServeHTTP(httptest.NewRecorder(), r)
	return out.String()
}

func TestALineSaysWhatWasAnswered(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "http://Shop.example.com/caf%C3%A9?token=secret", nil)
	r.Header.Set("Referer", "https://ada:pw@example.org/a?token=secret#b")
	r.Header.Set("User-Agent", "Mozilla/5.0")
	got := logged(r, func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/elsewhere" // as handlers do that hand a request on
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "missing")
	})
	want := `shop.example.com 2001:db8::1 - - [02/Jan/2030:03:04:05 +0000] "GET /caf%C3%A9 HTTP/1.1" 404 7 "https://example.org/a" "Mozilla/5.0"` + "\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNoVisitorWritesALineOfTheirOwn(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "http://a.example.com/", nil)
	r.Method = "GE\"T"
	r.Host = "a\" b"
	r.Header["Referer"] = []string{"\r\n::1 - -"}
	r.Header["User-Agent"] = []string{"\"\\\x00é" + strings.Repeat("x", 5000)}
	got := logged(r, func(http.ResponseWriter, *http.Request) {})
	if strings.Count(got, "\n") != 1 || strings.Count(got, `"`) != 6 || len(got) > 1500 || !strings.Contains(got, `200 0 "\x0d\x0a::1 - -" "\x22\x5c\x00\xc3\xa9xxx`) {
		t.Errorf("got %q, want one line with six quotes", got)
	}
}

func TestAnAnswerThatBreaksOffIsLogged(t *testing.T) {
	var out strings.Builder
	log := accesslog.New(&out, func(*http.Request) netip.Addr { return netip.Addr{} }, now, slog.New(slog.DiscardHandler))
	func() {
		defer func() { _ = recover() }()
		log.Around(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://a.example.com/", nil))
	}()
	if !strings.HasPrefix(out.String(), "a.example.com - - - ") || !strings.Contains(out.String(), " 200 4 ") {
		t.Errorf("got %q, want a line without an address", out.String())
	}
}

// fullDisk is a writer that fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAFullDiskIsToldOnce(t *testing.T) {
	var told strings.Builder
	log := accesslog.New(fullDisk{}, visitor, now, slog.New(slog.NewTextHandler(&told, nil)))
	handler := log.Around(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for range 3 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://a.example.com/", nil))
	}
	if strings.Count(told.String(), "no space left") != 1 {
		t.Errorf("got %q, want one line", told.String())
	}
}

// TestTheConnectionStaysInReach checks what streams and downloads need of the writer.
func TestTheConnectionStaysInReach(t *testing.T) {
	log := accesslog.New(io.Discard, visitor, now, slog.New(slog.DiscardHandler))
	failure := make(chan error, 1)
	server := httptest.NewServer(log.Around(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		failure <- errors.Join(control.SetWriteDeadline(time.Time{}), control.Flush())
	})))
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if err := <-failure; err != nil {
		t.Errorf("got %v, want deadlines and flushing", err)
	}
}
