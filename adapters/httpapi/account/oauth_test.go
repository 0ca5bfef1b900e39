package account

import (
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest/resttest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// FuzzCheckNext compares what is accepted with how a browser reads it: it drops tabs and
// line ends, trims spaces and controls, and treats backslashes as slashes.
func FuzzCheckNext(f *testing.F) {
	for _, trick := range resttest.OpenRedirects() {
		f.Add(trick)
	}
	app, err := url.Parse("https://app.example.com")
	if err != nil {
		f.Fatal(err)
	}
	browser := strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/")
	f.Fuzz(func(t *testing.T, next string) {
		page, err := checkNext(app, next)
		if err != nil {
			if !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("%q: got %v, want %s", next, err, core.CodeValidationFailed)
			}
			return
		}
		seen := browser.Replace(page)
		if seen != page || !strings.HasPrefix(seen, "/") || strings.HasPrefix(seen, "//") || len(page) > accounts.MaxNextBytes {
			t.Errorf("%q: got %q, want a path that browsers read as it is", next, page)
		}
		address, err := url.Parse(pageAt(app, page))
		if err != nil || address.Host != app.Host || address.Scheme != app.Scheme || address.User != nil {
			t.Errorf("%q: got %v and %v, want this origin", next, address, err)
		}
	})
}
