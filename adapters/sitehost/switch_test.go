package sitehost_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/ports/conformance"
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
	// outdated are closed as soon as a release has a successor.
	outdated := make([]chan struct{}, publishes+1)
	for n := range outdated {
		outdated[n] = make(chan struct{})
	}
	done := outdated[publishes]
	var browsing sync.WaitGroup
	var loads atomic.Int64
	for browser := range browsers {
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
				var release int
				if _, err := fmt.Sscanf(said, "release %d.", &release); err != nil || release < newest {
					t.Errorf("got %q after release %d, want none that is older", said, newest)
				}
				newest = release
				if browser%2 == 0 { // It reads the page while the site goes on.
					<-outdated[release]
				}
				asset, err := load(client, s.server.URL, assetPath(t, page))
				if err != nil || asset != said {
					t.Errorf("got asset %q, %v of page %q, want its own", asset, err, said)
					return
				}
			}
		})
	}
	for n := range publishes {
		release(n + 1)
		close(outdated[n])
		// Some pages begin before each release and end behind it.
		seen := loads.Load()
		conformance.Eventually(t, "two pages", func() bool { return loads.Load() >= seen+2 || t.Failed() })
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
