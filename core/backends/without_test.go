package backends_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/nobackend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/backends"
)

func TestAServiceWithoutAnEngineSaysWhy(t *testing.T) {
	h := newHouse(t)
	gate := access.NewGate(h.store)
	h.Service = backends.New(backends.Deps{
		Store: h.store, Gate: gate, Files: h.pipeline, Engine: nobackend.Engine{Reason: "There is no disk here."},
		Audit: h.audit, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	h.must(h.publish("", true))
	h.write("backend/schema.json", notes(textField))
	if wrong, err := h.Sync(t.Context(), h.project); err != nil || len(wrong) != 1 || !strings.Contains(wrong[0].Message, "no disk") {
		t.Errorf("got %v, %v, want a diagnostic with the reason", wrong, err)
	}
	h.wantCode(h.publish("", true), core.CodeBuildFailed)
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		if status, _ := h.ask(env, http.MethodGet, "", ""); status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", env, status)
		}
	}
	status, err := h.Status(t.Context(), h.member, h.project)
	if err != nil || !status.Enabled || len(status.Diagnostics) != 1 || status.Environments.Test != nil {
		t.Errorf("got %+v, %v, want a backend without data", status, err)
	}
}
