// Package pageview tells from a request whether a person opens a page.
package pageview

import (
	"net/http"
	"net/url"
	"strings"
)

// IsPersons reports whether somebody opens a page in a browser. Programs that look like one, and
// pages that are shown in a frame of another site, are not told apart with certainty.
func IsPersons(r *http.Request) bool {
	destination := r.Header.Get("Sec-Fetch-Dest")
	if destination != "" && destination != "document" || !strings.Contains(r.Header.Get("Accept"), "text/html") || isSpeculative(r) {
		return false
	}
	agent := strings.ToLower(r.UserAgent())
	for _, program := range []string{"bot", "crawl", "spider", "preview", "headless", "monitor"} {
		if strings.Contains(agent, program) {
			return false
		}
	}
	return agent != ""
}

// isSpeculative reports whether the browser loads the page in case somebody opens it.
func isSpeculative(r *http.Request) bool {
	return r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" || r.Header.Get("X-Moz") != ""
}

// From returns the host of the page that led here, "" if that is unknown.
func From(r *http.Request) string {
	referrer, err := url.Parse(r.Referer())
	if err != nil {
		return ""
	}
	return referrer.Hostname()
}
