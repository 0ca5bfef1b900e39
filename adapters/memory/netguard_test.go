package memory_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard/netguardtest"
)

func TestGuard(t *testing.T) {
	netguardtest.Run(t, func(_ *testing.T, allowPrivate bool) netguardtest.Harness {
		var hits atomic.Int64
		guard := memory.NewGuard()
		if allowPrivate {
			guard.AllowPrivate()
		}
		guard.Handle("127.0.0.1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hits.Add(1)
			if r.URL.Path == "/redirect" {
				http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
				return
			}
			_, _ = io.WriteString(w, "canary")
		}))
		return netguardtest.Harness{
			Guard: guard, Port: 8080, Hits: func() int { return int(hits.Load()) },
			Resolve: func(name string, texts ...string) {
				addrs := make([]netip.Addr, len(texts))
				for i, text := range texts {
					addrs[i] = netip.MustParseAddr(text)
				}
				guard.Resolve(name, addrs...)
			},
		}
	})
}

func TestGuardStreams(t *testing.T) {
	ended := make(chan struct{})
	guard := memory.NewGuard().Handle("vendor.test", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Query", r.URL.RawQuery)
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s;", body)
		<-r.Context().Done()
		close(ended)
	}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://vendor.test/x?q=1", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := guard.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	piece := make([]byte, 5)
	if _, err := io.ReadFull(response.Body, piece); err != nil || string(piece) != "body;" {
		t.Errorf("body: got %q and %v, want %q before the end", piece, err, "body;")
	}
	if response.StatusCode != http.StatusTeapot || response.Header.Get("X-Query") != "q=1" {
		t.Errorf("head: got %d %v, want 418 and the query", response.StatusCode, response.Header)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}

func TestGuardKnowsOnlyItsHosts(t *testing.T) {
	client := memory.NewGuard().Client()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://nobody.test", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	if !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want %s", err, core.CodeUnavailable)
	}
}
