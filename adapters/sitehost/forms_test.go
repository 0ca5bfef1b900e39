package sitehost_test

import (
	"net/http"
	"strings"
	"testing"
)

const formSchema = `{"collections": [{"name": "messages", "listRule": "", "createRule": "", "fields": [{"name": "name", "type": "text", "required": true}, {"name": "news", "type": "bool"}]}, {"name": "inner", "fields": []}]}`

func (s *studio) sendForm(host, path, body string, headers ...string) answer {
	s.t.Helper()
	return s.send(http.MethodPost, host, path, strings.NewReader(body), append([]string{"Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html"}, headers...)...)
}

func TestAFormWithoutAScriptBecomesARecord(t *testing.T) {
	s := newStudio(t)
	s.write("backend/schema.json", formSchema)
	s.write("contact.html", `<form data-atelier action="/thanks.html"><input name="name"><input type="checkbox" name="news"><button>Send</button></form>`)
	s.mustPublish()
	for _, host := range []string{s.previewHost(), "shop.sites.test"} {
		const sentTo = `/_data/forms/messages?from=%2Fcontact.html&amp;next=%2Fthanks.html`
		if got := s.get(host, "/contact.html", "Accept", "text/html"); !strings.Contains(got.body, sentTo) || !strings.Contains(got.body, `<input value="true" type="checkbox"`) {
			t.Fatalf("%s: got %s, want the form with its address", host, got.body)
		}
		got := s.sendForm(host, strings.ReplaceAll(sentTo, "&amp;", "&"), "name=Ana&news=true&_website=")
		if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/thanks.html" {
			t.Errorf("%s: got %d to %s %s, want the page that follows", host, got.StatusCode, got.Header.Get("Location"), got.body)
		}
		if got := s.get(host, "/_data/collections/messages/records").body; strings.Count(got, `"name":"Ana"`) != 1 || !strings.Contains(got, `"news":true`) {
			t.Errorf("%s: got %s, want one record", host, got)
		}
		if got := s.sendForm(host, "/_data/forms/messages", "name=Bob&_website=x"); got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: got %d for spam, want what everybody gets", host, got.StatusCode)
		}
		if got := s.get(host, "/_data/collections/messages/records").body; strings.Contains(got, "Bob") {
			t.Errorf("%s: got %s, want no spam", host, got)
		}
		thanks := s.get(host, "/_data/forms/messages?from=%2Fcontact.html", "Accept", "text/html", "Accept-Language", "fr,de-AT;q=0.9")
		if thanks.StatusCode != http.StatusOK || !strings.Contains(thanks.body, `lang="de"`) || !strings.Contains(thanks.body, "Danke") || !strings.Contains(thanks.body, `href="/contact.html"`) {
			t.Errorf("%s: got %d %s, want thanks in the visitor's language", host, thanks.StatusCode, thanks.body)
		}
	}
}

func TestAFormThatCannotBeKeptSaysWhy(t *testing.T) {
	s := newStudio(t)
	s.write("backend/schema.json", formSchema)
	s.mustPublish()
	for path, c := range map[string]struct {
		body          string
		status        int
		preview, site string
	}{
		"/_data/forms/messages": {"name=", http.StatusBadRequest, "name: ", "name: "},
		"/_data/forms/inner":    {"name=x", http.StatusForbidden, "Visitors may not create records in inner", "takes no answers right now"},
		"/_data/forms/nothing":  {"name=x", http.StatusNotFound, "There is no collection nothing", "takes no answers right now"},
	} {
		for host, text := range map[string]string{s.previewHost(): c.preview, "shop.sites.test": c.site} {
			if got := s.sendForm(host, path, c.body); got.StatusCode != c.status || !strings.Contains(got.body, text) {
				t.Errorf("%s%s: got %d %s, want %d %q", host, path, got.StatusCode, got.body, c.status, text)
			}
		}
	}
	if got := s.sendForm(s.previewHost(), "/_data/forms/messages", "name=Ana&phone=1"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "no field phone") {
		t.Errorf("got %d %s, want to be told on the preview which answers were lost", got.StatusCode, got.body)
	}
	if got := s.sendForm("shop.sites.test", "/_data/forms/messages", "name=Ana&phone=1"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("got %d, want visitors of the site to be thanked", got.StatusCode)
	}
	if got := s.sendForm("shop.sites.test", "/_data/forms/messages", "name=Ana", "Sec-Fetch-Site", "cross-site"); got.StatusCode != http.StatusForbidden {
		t.Errorf("got %d for a form of another site, want 403", got.StatusCode)
	}
	if got := s.send(http.MethodPut, "shop.sites.test", "/_data/forms/messages", nil); got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("got %d for PUT, want 405", got.StatusCode)
	}
}

func TestOneVisitorSendsFewForms(t *testing.T) {
	s := newStudio(t)
	s.write("backend/schema.json", formSchema)
	for range 10 {
		if got := s.sendForm(s.previewHost(), "/_data/forms/messages", "name=Ana"); got.StatusCode != http.StatusSeeOther {
			t.Fatalf("got %d %s", got.StatusCode, got.body)
		}
	}
	if got := s.sendForm(s.previewHost(), "/_data/forms/messages", "name=Ana"); got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("got %d, want 429", got.StatusCode)
	}
}

// TestFormsOfAPrivateSiteAreClosed: the door of a site is before its forms.
func TestFormsOfAPrivateSiteAreClosed(t *testing.T) {
	s := newStudio(t)
	s.write("backend/schema.json", formSchema)
	s.mustPublish()
	s.protect()
	if got := s.sendForm("shop.sites.test", "/_data/forms/messages", "name=Ana"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("got %d %s, want 401", got.StatusCode, got.body)
	}
}
