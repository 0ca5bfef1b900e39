package doctor

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

// probePage is the page that the browser opens.
const probePage = "<!doctype html><title>Probe</title><p>probe"

// checkBrowser opens a page and takes a picture of it. Without a browser, projects get cards, and
// the agent has no eyes, so only a browser that exists and fails is a failure.
func (d doctor) checkBrowser(ctx context.Context) (string, error) {
	if !d.settings.Thumbnails && !d.settings.Browsing {
		return "off: THUMBNAILS=off and BROWSING=off, projects have cards instead of pictures, and the agent does not see its pages", nil
	}
	tested := bootstrap.Browser(d.settings, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, probePage)
	}), d.log)
	defer tested.Close()
	var known *core.Error
	if err := tested.Available(ctx); errors.As(err, &known) {
		return "off: " + known.Message + "; projects have cards instead of pictures, the agent does not see its pages, and checks are not played", nil
	}
	tab, err := tested.Open(ctx, browser.Page{Address: "http://probe.test/"})
	if err != nil {
		return "", err
	}
	defer tab.Close()
	if _, err := tab.Picture(ctx, browser.DesktopWidth); err != nil {
		return "", err
	}
	return "Chromium opens pages in the sandbox", nil
}
