package peers

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// BenchmarkDashboard opens the studio's dashboard with thirty projects in a browser
// that has never been there, until these can be seen and a wish can be typed.
func BenchmarkDashboard(b *testing.B) {
	browser := startChromium(b)
	s := startStudio(b)
	for range 30 {
		s.create()
	}
	visit := func() time.Duration {
		tab := open(b, browser)
		defer tab.close()
		tab.enter(s)
		tab.settle()
		start := time.Now()
		tab.begin(s.URL + "/dashboard")
		tab.watch(`document.querySelectorAll('.project__name').length >= 20 && document.querySelector('textarea')?.disabled === false`)
		return tab.seen().Sub(start)
	}
	for b.Loop() {
		b.ReportMetric(float64(median(5, visit).Microseconds())/1000, "ms")
	}
}

// enter makes the tab one in which somebody is signed in, with nothing of the studio
// in the browser's cache.
func (t *tab) enter(s *studio) {
	t.b.Helper()
	cookie := network.SetCookieParams{Name: "app_access_token", Value: s.token, URL: s.URL, Path: "/", HTTPOnly: new(true)}
	if _, err := chromedp.Call(t.ctx, network.SetCookie, cookie); err != nil {
		t.b.Fatal(err)
	}
}
