package sitehost

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Visits counts the views of pages, as visits.Counter does.
type Visits interface {
	Count(project core.ID, path, from string, own bool)
}

// opening is what a request tells about the opening of a page.
type opening struct{ accept, destination, purpose, agent, referrer string }

func openingOf(r *http.Request) opening {
	var o opening
	for name, values := range r.Header {
		if len(values) > 0 {
			o.add(strings.ToLower(name), values[0])
		}
	}
	return o
}

// add keeps a field of the request's head if it tells anything. name is in lower case.
func (o *opening) add(name, value string) {
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

// isPersons reports whether somebody opens a page in a browser. Programs that look like one, and
// pages that are shown in a frame of another site, are not told apart with certainty.
func (o opening) isPersons() bool {
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

// countView counts the view of a page if somebody opens it.
func (h *publishedHost) countView(project core.ID, host, path string, o opening) {
	if h.visits == nil || !o.isPersons() {
		return
	}
	from := ""
	if referrer, err := url.Parse(o.referrer); err == nil {
		from = referrer.Hostname()
	}
	h.visits.Count(project, path, from, from != "" && strings.EqualFold(from, hostname(host)))
}
