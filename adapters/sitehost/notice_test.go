package sitehost

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestNoticesEscapeDiagnostics(t *testing.T) {
	recorder := httptest.NewRecorder()
	diagnostics := []core.Diagnostic{{Path: `a"><script>.js`, Line: 3, Column: 4, Message: "<script>alert(1)</script>"}, {Message: "no place"}}
	showNotice(recorder, httptest.NewRequest("GET", "/", nil), 503, notYet(diagnostics, []byte("<b id=client></b>")))
	body := recorder.Body.String()
	if strings.Contains(body, "<script>") || !strings.Contains(body, "&lt;script&gt;alert(1)") || !strings.Contains(body, ":3:4</span>") {
		t.Errorf("got %s, want the diagnostics escaped", body)
	}
	if !strings.Contains(body, "<b id=client></b>") || !strings.Contains(body, "<li>no place</li>") {
		t.Errorf("got %s, want the client's tag and the diagnostic without a place", body)
	}
}

func TestNoticeWhileAPreviewStarts(t *testing.T) {
	if got := notYet(nil, nil); !strings.Contains(got.Title, "starting") {
		t.Errorf("got %q, want it to say that the preview is starting", got.Title)
	}
}
