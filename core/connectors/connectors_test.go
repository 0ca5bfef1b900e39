package connectors_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/connectors"
)

func TestConsentDecidesAboutACall(t *testing.T) {
	o, server, other := newOffice(t), newRogue(t), newRogue(t)
	o.connect("Tracker", server.url, core.ConsentAlways)
	o.connect("Asks", server.url, core.ConsentAsk)
	o.connect("Never", server.url, core.ConsentNever)
	o.connect("Other", other.url, core.ConsentAlways)
	for name, c := range map[string]struct {
		connector string
		approved  bool
		read      []string
		runs      bool
		ask       core.ApprovalReason
	}{
		"always":                                  {"Tracker", false, nil, true, ""},
		"always, after its own answer":            {"Tracker", false, []string{"Tracker"}, true, ""},
		"always, after another's answer":          {"Tracker", false, []string{"Tracker", "Other"}, false, core.ApprovalOutside},
		"always, after a page of the web":         {"Tracker", false, []string{"example.com"}, false, core.ApprovalOutside},
		"always, after another's and with a yes":  {"Tracker", true, []string{"Other"}, true, ""},
		"ask":                                     {"Asks", false, nil, false, core.ApprovalConsent},
		"ask, with a yes":                         {"Asks", true, nil, true, ""},
		"never":                                   {"Never", false, nil, false, ""},
		"never, even with a yes":                  {"Never", true, nil, false, ""},
		"a name that only looks like a connector": {"tracker", true, nil, false, ""},
	} {
		before := server.acted()
		request := o.request(c.connector, "read")
		request.Approved, request.Read = c.approved, c.read
		result, err := o.Call(t.Context(), request)
		if ran := server.acted() > before; ran != c.runs || result.Ask != c.ask || (err != nil) != (!c.runs && c.ask == "") {
			t.Errorf("%s: got %+v, %v, ran %v; want it to run: %v, to ask: %q", name, result, err, ran, c.runs, c.ask)
		}
	}
}

func TestAChangedToolIsOnAgainOnceAnAdminLooked(t *testing.T) {
	o, server := newOffice(t), newRogue(t)
	made := o.connect("Tracker", server.url, core.ConsentAlways)
	server.set(described("Reads two issues."))
	seen, err := o.Refresh(t.Context(), o.admin, o.space, made.ID)
	o.must(err)
	tool := seen.Tools[0]
	if tool.State != core.ToolChanged || tool.Pinned.Description != "Reads an issue." || tool.Offered.Description != "Reads two issues." {
		t.Fatalf("got %+v, want it changed, with old and new", tool)
	}
	enable := func(hash string) (connectors.Connector, error) {
		list := []connectors.EnabledTool{{Name: "read", Consent: core.ConsentAlways, Hash: hash}}
		return o.Update(t.Context(), o.admin, o.space, made.ID, connectors.Input{EnabledTools: &list})
	}
	if got, err := enable(""); err != nil || got.Tools[0].State != core.ToolChanged {
		t.Errorf("without a hash: got %+v, %v; want it changed still", got, err)
	}
	if _, err := enable(tool.Pinned.Hash); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("with the old hash: got %v, want %s", err, core.CodeConflict)
	}
	if got, err := enable(tool.Offered.Hash); err != nil || got.Tools[0].State != core.ToolOn {
		t.Errorf("with the new hash: got %+v, %v; want it on", got, err)
	}
	if _, err := o.Call(t.Context(), o.request("Tracker", "read")); err != nil || server.acted() != 1 {
		t.Errorf("got %v and %d actions, want one", err, server.acted())
	}
}

func TestHeadersStayWithTheirServer(t *testing.T) {
	o, server, thief := newOffice(t), newRogue(t), newRogue(t)
	var got string
	server.set(on("initialize", func(w http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization"); w.WriteHeader(500) }))
	stolen := ""
	thief.set(on("initialize", func(w http.ResponseWriter, r *http.Request) {
		stolen = r.Header.Get("Authorization")
		w.WriteHeader(500)
	}))
	name, headers := "Tracker", map[string]string{"Authorization": "Bearer s3cret"}
	made, err := o.Create(t.Context(), o.admin, o.space, connectors.Input{Name: &name, URL: &server.url, Headers: &headers})
	o.must(err)
	text, err := json.Marshal(made)
	o.must(err)
	if got != "Bearer s3cret" || strings.Contains(string(text), "s3cret") || made.Problem == nil {
		t.Errorf("got %q there and %s; want the header there alone, and a problem", got, text)
	}
	_, err = o.Update(t.Context(), o.admin, o.space, made.ID, connectors.Input{URL: &thief.url})
	o.must(err)
	_, err = o.Refresh(t.Context(), o.admin, o.space, made.ID)
	o.must(err)
	if stolen != "" {
		t.Errorf("got %q at another server, want nothing", stolen)
	}
}

func TestOnlyAdminsSeeConnectors(t *testing.T) {
	o := newOffice(t)
	if _, err := o.List(t.Context(), o.member, o.space); !core.IsCode(err, core.CodeForbidden) {
		t.Errorf("got %v, want %s", err, core.CodeForbidden)
	}
}

func TestWrongInputIsRefused(t *testing.T) {
	o, server := newOffice(t), newRogue(t)
	o.connect("Tracker", server.url, core.ConsentAsk)
	for name, c := range map[string]struct {
		name, url string
		headers   map[string]string
		enabled   []connectors.EnabledTool
		code      core.Code
	}{
		"a name that looks the same":       {"trac-ker", server.url, nil, nil, core.CodeConflict},
		"a name in another script":         {"Trаcker 2", server.url, nil, nil, core.CodeValidationFailed},
		"an invisible name":                {"\u200b", server.url, nil, nil, core.CodeValidationFailed},
		"no host":                          {"New", "https://", nil, nil, core.CodeValidationFailed},
		"a metadata service":               {"New", "http://169.254.169.254/", nil, nil, core.CodeForbiddenAddress},
		"another scheme":                   {"New", "file:///etc/passwd", nil, nil, core.CodeValidationFailed},
		"a header of the connection":       {"New", server.url, map[string]string{"Host": "a"}, nil, core.CodeValidationFailed},
		"a header of the protocol":         {"New", server.url, map[string]string{"Mcp-Session-Id": "a"}, nil, core.CodeValidationFailed},
		"two lines in a header":            {"New", server.url, map[string]string{"X-Key": "a\r\nHost: b"}, nil, core.CodeValidationFailed},
		"a tool that is not there":         {"New", server.url, nil, []connectors.EnabledTool{{Name: "write", Consent: core.ConsentAsk}}, core.CodeValidationFailed},
		"a consent that there is not":      {"New", server.url, nil, []connectors.EnabledTool{{Name: "read", Consent: "maybe"}}, core.CodeValidationFailed},
		"a hash of something else":         {"New", server.url, nil, []connectors.EnabledTool{{Name: "read", Consent: core.ConsentAsk, Hash: "0"}}, core.CodeConflict},
		"one tool twice, by its same name": {"New", server.url, nil, []connectors.EnabledTool{{Name: "read", Consent: core.ConsentAsk}, {Name: "read", Consent: core.ConsentAlways}}, core.CodeValidationFailed},
	} {
		input := connectors.Input{Name: &c.name, URL: &c.url, Headers: &c.headers, EnabledTools: &c.enabled}
		if _, err := o.Create(t.Context(), o.admin, o.space, input); !core.IsCode(err, c.code) {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
	}
}
