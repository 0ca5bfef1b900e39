package main

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/core"
)

// probePage is the page that the browser takes a picture of.
const probePage = "<!doctype html><title>Probe</title><p>probe"

// checkBrowser takes a picture of a page. Without a browser, projects get cards, so only
// a browser that exists and fails is a failure.
func (d doctor) checkBrowser(ctx context.Context) (string, error) {
	if !d.settings.Thumbnails {
		return "off: THUMBNAILS=off, projects have cards instead of pictures", nil
	}
	camera := bootstrap.Camera(d.settings, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, probePage)
	}), d.log)
	defer camera.Close()
	var known *core.Error
	if err := camera.Available(ctx); errors.As(err, &known) {
		return "off: " + known.Message + "; projects have cards instead", nil
	}
	if _, err := camera.Take(ctx, "http://probe.test/"); err != nil {
		return "", err
	}
	return "Chromium takes pictures in the sandbox", nil
}
