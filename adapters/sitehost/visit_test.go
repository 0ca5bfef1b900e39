package sitehost_test

import (
	"testing"

	"github.com/atelierhq/atelier/core/visits"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func (s *studio) report() visits.Report {
	s.t.Helper()
	report, err := s.visits.Report(s.t.Context(), s.owner, s.project, 1)
	s.must(err)
	return report
}

func TestOnlyPeoplesViewsAreCounted(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	page := s.get(siteHost, "/", "Accept", browser, "User-Agent", firefox, "Referer", "https://search.example/?q=secret")
	for _, headers := range [][]string{
		{"Accept", browser, "User-Agent", firefox, "Referer", "http://shop.sites.test/", "If-None-Match", page.Header.Get("Etag")},
		{"Accept", browser, "User-Agent", firefox, "Sec-Fetch-Dest", "document"},
		{"Accept", browser, "User-Agent", firefox, "Sec-Fetch-Dest", "iframe"},
		{"Accept", browser, "User-Agent", firefox, "Sec-Purpose", "prefetch"},
		{"Accept", browser, "User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1)"},
		{"Accept", "*/*", "User-Agent", "curl/8"},
		{"Accept", browser, "User-Agent", ""},
	} {
		s.get(siteHost, "/about", headers...)
	}
	s.get(siteHost, assetPath(t, page.body), "Accept", browser, "User-Agent", firefox)
	s.ask("HEAD", siteHost, "/", "Accept", browser, "User-Agent", firefox)
	s.get(siteHost, "/missing.js", "Accept", browser, "User-Agent", firefox)
	got := s.report()
	if got.Views != 3 || got.Visits != 2 || len(got.Pages) != 2 || got.Pages[0] != (visits.Page{Path: "/about", Views: 2}) {
		t.Errorf("got %+v, want three views and two visits", got)
	}
	if len(got.Referrers) != 1 || got.Referrers[0] != (visits.Referrer{Host: "search.example", Visits: 1}) {
		t.Errorf("got %+v, want the host alone", got.Referrers)
	}
}

func TestEveryViewOfACachedPageIsCounted(t *testing.T) {
	s := newSite(t)
	s.mustPublish()
	for range 5 {
		s.get(siteHost, "/", "Accept", browser, "User-Agent", firefox)
	}
	if got := s.report(); got.Visits != 5 {
		t.Errorf("got %d visits, want 5", got.Visits)
	}
}
