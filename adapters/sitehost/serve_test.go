package sitehost_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/atelierhq/atelier/adapters/sitehost"
)

// serve calls a handler without a network, with a host and a path that no client
// would send.
func serve(handler http.Handler, host, path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	req.Host, req.URL = host, &url.URL{Path: path}
	handler.ServeHTTP(recorder, req)
	return recorder
}

// handlerFor is the studio's handler under other addresses.
func (s *studio) handlerFor(app, sites, previews string) *sitehost.Handler {
	address, err := url.Parse(app)
	s.must(err)
	return sitehost.New(
		sitehost.Deps{Sites: s.publish, Files: s.sites, Previews: s.preview, Log: slog.New(slog.DiscardHandler)},
		sitehost.Settings{AppURL: address, AppDomain: sites, PreviewDomain: previews},
	)
}
