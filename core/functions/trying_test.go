package functions_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/functions"
)

func TestAMemberTriesAFunction(t *testing.T) {
	h := newHouse(t, map[string]string{
		"echo":   `exports.default = async (req, ctx) => { console.log("was asked"); return new Response(req.method + " " + new URL(req.url).pathname + " " + await req.text() + " " + ctx.user, { status: 201, headers: { "content-type": req.headers.get("content-type") ?? "none" } }) }`,
		"breaks": `exports.default = (req, ctx) => { throw new Error("stock of " + ctx.secrets.API_KEY) }`,
	})
	got, err := h.Try(t.Context(), h.member, h.project.ID, "echo", functions.TrialRequest{Method: "post", Path: "/deeper?a=1", ContentType: "text/x", Body: "body"})
	h.must(err)
	if text := string(got.Response.Body); got.Run.Status != http.StatusCreated || text != "POST /_fn/echo/deeper body null" || got.Response.Header.Get("Content-Type") != "text/x" || len(got.Run.Console) != 1 {
		t.Errorf("got %q and %+v, want the answer to a guest's request, with the console", text, got.Run)
	}
	got, err = h.Try(t.Context(), h.member, h.project.ID, "breaks", functions.TrialRequest{Method: "GET"})
	h.must(err)
	if got.Run.Status != http.StatusInternalServerError || !strings.Contains(got.Run.Error, "stock of [API_KEY]") {
		t.Errorf("got %+v, want why it failed, without the secret", got.Run)
	}
	if runs := h.runs(core.DataTest); len(runs) != 2 {
		t.Errorf("got %d runs, want both logged", len(runs))
	}
}

func TestATrialIsRefused(t *testing.T) {
	h := newHouse(t, map[string]string{"hello": `exports.default = () => new Response("hello")`})
	for _, c := range []struct {
		name  string
		trial functions.TrialRequest
		want  core.Code
	}{
		{"other", functions.TrialRequest{Method: "GET"}, core.CodeNotFound},
		{"_hello", functions.TrialRequest{Method: "GET"}, core.CodeNotFound},
		{"hello", functions.TrialRequest{Method: "TRACE"}, core.CodeValidationFailed},
		{"hello", functions.TrialRequest{Method: "GET", Path: "x"}, core.CodeValidationFailed},
		{"hello", functions.TrialRequest{Method: "GET", Path: "/%zz"}, core.CodeValidationFailed},
		{"hello", functions.TrialRequest{Method: "GET", Path: "/a b\r\nx: y"}, core.CodeValidationFailed},
		{"hello", functions.TrialRequest{Method: "POST", Body: strings.Repeat("x", 1<<20+1)}, core.CodePayloadTooLarge},
	} {
		if _, err := h.Try(t.Context(), h.member, h.project.ID, c.name, c.trial); !core.IsCode(err, c.want) {
			t.Errorf("%s %+v: got %v, want %s", c.name, c.trial.Path, err, c.want)
		}
	}
	if _, err := h.Try(t.Context(), h.nobody, h.project.ID, "hello", functions.TrialRequest{Method: "GET"}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v for a stranger, want %s", err, core.CodeNotFound)
	}
}
