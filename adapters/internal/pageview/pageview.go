// Package pageview tells from a request whether a person opens a page.
package pageview

import (
	"net/http"
	"net/url"
	"strings"
)

// View is what a request tells about the opening of a page.
type View struct{ accept, destination, purpose, agent, referrer string }

// Of returns what a request tells.
func Of(r *http.Request) View {
	var o View
	for name, values := range r.Header {
		if len(values) > 0 {
			o.Add(strings.ToLower(name), values[0])
		}
	}
	return o
}

// Add keeps a field of the request's head if it tells anything. name is in lower case.
func (o *View) Add(name, value string) {
	switch name {
	case "accept":
		o.accept = value
	case "sec-fetch-dest":
		o.destination = value
	case "purpose", "sec-purpose", "x-moz":
		o.purpose = value
	case "user-agent":
		o.agent = value
	case "referer":
		o.referrer = value
	}
}

// IsPersons reports whether somebody opens a page in a browser. Programs that look like one, and
// pages that are shown in a frame of another site, are not told apart with certainty.
func (o View) IsPersons() bool {
	if o.destination != "" && o.destination != "document" || !strings.Contains(o.accept, "text/html") || o.purpose != "" {
		return false
	}
	agent := strings.ToLower(o.agent)
	for _, program := range []string{"bot", "crawl", "spider", "preview", "headless", "monitor"} {
		if strings.Contains(agent, program) {
			return false
		}
	}
	return agent != ""
}

// From returns the host of the page that led here, "" if that is unknown.
func (o View) From() string {
	referrer, err := url.Parse(o.referrer)
	if err != nil {
		return ""
	}
	return referrer.Hostname()
}
