package sitehost_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestPublishingBreaksNoPage loads pages with the asset that each names while the
// site is published again and again: no page may miss its asset or get another's.
func TestPublishingBreaksNoPage(t *testing.T) {
	const publishes, browsers = 50, 4
	s := newStudio(t)
	release := func(n int) {
		s.write("index.html", fmt.Sprintf(`<script src="/assets/app.js"></script>release %d.`, n))
		s.write("assets/app.js", fmt.Sprintf("release %d.", n))
		s.mustPublish()
	}
	release(0)
	done := make(chan struct{})
	var browsing sync.WaitGroup
	var loads atomic.Int64
	for range browsers {
		browsing.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for newest := 0; ; loads.Add(1) {
				select {
				case <-done:
					return
				default:
				}
				page, err := load(client, s.server.URL, "/")
				if err != nil {
					t.Error(err)
					return
				}
				_, said, _ := strings.Cut(page, "</script>")
				// The browser reads the page while the site goes on.
				time.Sleep(time.Millisecond)
				asset, err := load(client, s.server.URL, assetPath(t, page))
				if err != nil || asset != said {
					t.Errorf("got asset %q, %v of page %q, want its own", asset, err, said)
					return
				}
				var release int
				if _, err := fmt.Sscanf(said, "release %d.", &release); err != nil || release < newest {
					t.Errorf("got %q after release %d, want none that is older", said, newest)
				}
				newest = release
			}
		})
	}
	for n := range publishes {
		release(n + 1)
		// Some pages begin before each release and end behind it.
		for seen := loads.Load(); loads.Load() < seen+2 && !t.Failed(); {
			time.Sleep(100 * time.Microsecond)
		}
	}
	close(done)
	browsing.Wait()
	t.Logf("%d pages over %d publishes", loads.Load(), publishes)
}

func load(client *http.Client, server, path string) (string, error) {
	req, err := http.NewRequest(http.MethodGet, server+path, nil)
	if err != nil {
		return "", err
	}
	req.Host = siteHost
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d", path, resp.StatusCode)
	}
	return string(body), err
}
