package sitehost_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestThePreviewsHostHasTheScriptsOfItsClient(t *testing.T) {
	built := newStudio(t)
	host := built.previewHost()
	own, server := served(t, &devServer{})
	for path, part := range map[string]string{
		"/@atelier/client.js":  "import('/@atelier/bridge.js')",
		"/@atelier/bridge.js":  "import('/@atelier/picker.js')",
		"/@atelier/picker.js":  "from '/@atelier/bridge.js'",
		"/@atelier/classes.js": "export function declaredBy",
		"/@atelier/pins.js":    "export function textOf",
		"/@atelier/layers.js":  "export function layersOf",
	} {
		for _, got := range []answer{built.get(host, path), own.get(server, path)} {
			if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || !strings.Contains(got.body, part) {
				t.Errorf("%s: got %d %s, want a script with %s", path, got.StatusCode, got.Header.Get("Content-Type"), part)
			}
		}
	}
}
