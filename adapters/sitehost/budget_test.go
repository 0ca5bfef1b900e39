package sitehost_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/streams"
	"github.com/atelierhq/atelier/ports/conformance"
)

// within gives the hosts a budget, before anybody has come.
func (s *studio) within(places int64) *streams.Budget {
	budget := streams.New(places, 0)
	s.handler = sitehost.New(sitehost.Deps{Sites: s.publish, Files: s.sites, Previews: s.preview, Streams: budget, Log: slog.New(slog.DiscardHandler)}, sitehost.Settings{
		AppURL: &url.URL{Scheme: "http", Host: "studio.test:8080"}, AppDomain: "sites.test", PreviewDomain: "preview.sites.test",
	})
	return budget
}

// stream requests the stream of a preview's builds and returns the answer, whose body
// stays open until ctx ends.
func (s *studio) stream(ctx context.Context, host string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/@atelier/events", nil)
	s.must(err)
	req.Host = host
	resp, err := (&http.Transport{}).RoundTrip(req)
	s.must(err)
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestPagesTakePlacesOfTheProcess(t *testing.T) {
	s := newStudio(t)
	budget, host := s.within(16), s.previewHost()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 4 {
		if got := s.stream(ctx, host); got.StatusCode != http.StatusOK {
			t.Fatalf("got %d, want a stream", got.StatusCode)
		}
	}
	if got := s.stream(ctx, host); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "10" {
		t.Errorf("one page more of the preview: got %d and Retry-After %q, want 429 and 10", got.StatusCode, got.Header.Get("Retry-After"))
	}
	for range 4 {
		_, err := budget.OpenPage("another")
		s.must(err)
	}
	cancel()
	s.gaveBack(budget, 4)
}

// gaveBack waits until pages have as many places.
func (s *studio) gaveBack(budget *streams.Budget, want int64) {
	s.t.Helper()
	conformance.Eventually(s.t, fmt.Sprintf("%d places that pages have", want), func() bool {
		_, pages := budget.Count()
		return pages == want
	})
}

func TestWithoutAPlaceAPageIsRefused(t *testing.T) {
	s := newStudio(t)
	budget, host := s.within(8), s.previewHost()
	for n := range 4 {
		_, err := budget.OpenPage(core.ID(fmt.Sprint("preview", n)))
		s.must(err)
	}
	if got := s.stream(t.Context(), host); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "10" {
		t.Errorf("got %d and Retry-After %q, want 503 and 10", got.StatusCode, got.Header.Get("Retry-After"))
	}
}

func TestSocketsOfDevelopmentServersTakePlaces(t *testing.T) {
	s, host := served(t, &devServer{})
	budget := s.within(8)
	open := func() (net.Conn, *http.Response) {
		conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
		s.must(err)
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "GET /socket HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", host)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		s.must(err)
		return conn, response
	}
	first, _ := open()
	open()
	if _, got := open(); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "10" {
		t.Errorf("one socket more: got %d and Retry-After %q, want 429 and 10", got.StatusCode, got.Header.Get("Retry-After"))
	}
	first.Close()
	s.gaveBack(budget, 1)
	if _, got := open(); got.StatusCode != http.StatusSwitchingProtocols {
		t.Errorf("got %d, want a socket again", got.StatusCode)
	}
}
