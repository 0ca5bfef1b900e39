package observe

import (
	"net/http"
	"net/url"
)

// headers are the default headers of every answer. A handler may override them.
type headers struct{ secure bool }

func newHeaders(app *url.URL) headers { return headers{app.Scheme == "https"} }

// set keeps browsers from storing, sniffing, framing or running an answer of the API.
// Vary names everything on which an answer depends.
func (h headers) set(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Authorization, Cookie")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	if h.secure {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
