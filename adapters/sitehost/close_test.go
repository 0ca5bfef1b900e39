package sitehost_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

// slowCompressor is a store that compresses until it is told to stop.
type slowCompressor struct {
	sites.Store
	begun chan struct{}
	ended atomic.Bool
}

func (e *slowCompressor) Pack(ctx context.Context, _ core.ID) error {
	close(e.begun)
	<-ctx.Done()
	e.ended.Store(true)
	return ctx.Err()
}

// TestNothingIsCompressedAfterTheEnd closes a handler that compresses a deployment which
// it has just begun to serve.
func TestNothingIsCompressedAfterTheEnd(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	files := &slowCompressor{Store: s.sites, begun: make(chan struct{})}
	handler := sitehost.New(sitehost.Deps{Sites: s.publish, Files: files, Previews: s.preview, Log: slog.New(slog.DiscardHandler)}, sitehost.Settings{
		AppURL: &url.URL{Scheme: "http", Host: "studio.test"}, AppDomain: "sites.test", PreviewDomain: "preview.sites.test",
	})
	request := httptest.NewRequest("GET", "http://shop.sites.test/robots.txt", nil)
	handler.ServeHTTP(httptest.NewRecorder(), request)
	<-files.begun
	handler.Close()
	if !files.ended.Load() {
		t.Error("got a handler that is closed while it compresses, want it to wait")
	}
}
