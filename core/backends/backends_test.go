package backends_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

func TestTestDataFollowsTheSchemaFile(t *testing.T) {
	h := newHouse(t)
	if status, _ := h.ask(core.DataTest, http.MethodGet, "", ""); status != http.StatusNotFound {
		t.Errorf("got %d without a schema, want 404", status)
	}
	h.write("backend/seed.json", `{"notes": [{"text": "from the seed"}]}`)
	h.write("backend/schema.json", notes(textField))
	if got := h.records(core.DataTest); len(got) != 1 {
		t.Fatalf("got %v, want the record of the seed", got)
	}
	h.write("backend/schema.json", notes(textField, starsField))
	if got, _ := h.records(core.DataTest)[0].(map[string]any); got["text"] != "from the seed" || got["stars"] != 0.0 {
		t.Errorf("got %v, want the old record with the new field", got)
	}
	types, err := h.pipeline.Open(t.Context(), core.FileAt{Project: h.project, Path: core.MustPath(core.BackendTypesPath)})
	if err != nil {
		t.Fatalf("got %v, want the generated types", err)
	}
	_ = types.Close()
}

// TestTheStockClientsPathsAreServed: the client adds /api to its base address.
func TestTheStockClientsPathsAreServed(t *testing.T) {
	h := newHouse(t)
	h.write("backend/schema.json", notes(textField))
	for path, want := range map[string]int{
		"/_data/collections/notes/records": http.StatusOK, "/_data/api/collections/notes/records": http.StatusOK, "/_data/api/health": http.StatusOK,
		"/_data/api/api/health": http.StatusNotFound, "/_data/api": http.StatusNotFound, "/_data/api/settings": http.StatusNotFound,
	} {
		w := httptest.NewRecorder()
		h.Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil), backend.Place{Project: h.project, Env: core.DataTest})
		if w.Code != want {
			t.Errorf("%s: got %d %s, want %d", path, w.Code, w.Body, want)
		}
	}
}

// TestAStepThatWaitedIsTakenOnceNothingIsLost: nobody could confirm it any more.
func TestAStepThatWaitedIsTakenOnceNothingIsLost(t *testing.T) {
	h := newHouse(t)
	h.write("backend/schema.json", notes(textField))
	h.add(core.DataTest, `{"text": "in the way"}`)
	h.write("backend/schema.json", notes(starsField))
	record, _ := h.records(core.DataTest)[0].(map[string]any)
	h.must(h.DeleteRecord(t.Context(), h.member, backend.Place{Project: h.project, Env: core.DataTest}, "notes", record["id"].(string)))
	status, err := h.Status(t.Context(), h.member, h.project)
	if err != nil || len(status.Diagnostics) != 0 || status.Environments.Test.Pending != nil || status.Collections[0].Fields[0].Name != "stars" {
		t.Errorf("got %+v, %v, want the new schema in force", status, err)
	}
}

// TestARenamingIsDoneOnce: a file keeps its renamings, and is read again with each other change.
func TestARenamingIsDoneOnce(t *testing.T) {
	for name, fields := range map[string][]string{
		"the old name is in use again": {`{"name": "words", "type": "text", "renamedFrom": "text"}`, textField},
		"two fields exchange names":    {`{"name": "other", "type": "text", "renamedFrom": "text"}`, `{"name": "text", "type": "text", "renamedFrom": "other"}`},
		"each moves on by one":         {`{"name": "other", "type": "text", "renamedFrom": "text"}`, `{"name": "third", "type": "text", "renamedFrom": "other"}`},
	} {
		h := newHouse(t)
		h.write("backend/schema.json", notes(textField, `{"name": "other", "type": "text"}`))
		h.add(core.DataTest, `{"text": "one", "other": "two"}`)
		if name == "the old name is in use again" {
			fields = append(fields, `{"name": "other", "type": "text"}`)
		}
		h.write("backend/schema.json", notes(fields...))
		before := h.records(core.DataTest)
		h.write("backend/schema.json", notes(append(fields, starsField)...))
		after, _ := h.records(core.DataTest)[0].(map[string]any)
		for field, value := range before[0].(map[string]any) {
			if after[field] != value && field != "updated" {
				t.Errorf("%s: got %s = %v, want %v", name, field, after[field], value)
			}
		}
		if after["stars"] != 0.0 {
			t.Errorf("%s: got %v, want the new field", name, after)
		}
	}
}

func TestAWrongSchemaLeavesTheLastGoodOneInForce(t *testing.T) {
	h := newHouse(t)
	h.write("backend/schema.json", notes(textField))
	h.add(core.DataTest, `{"text": "kept"}`)
	h.write("backend/schema.json", "{\n\"collections\": [{\"name\": \"notes\", \"fields\": [{\"name\": \"text\", \"type\": \"txt\"}]}]}")
	if got := h.records(core.DataTest); len(got) != 1 {
		t.Errorf("got %v, want the data as before", got)
	}
	status, err := h.Status(t.Context(), h.member, h.project)
	if err != nil || len(status.Diagnostics) != 1 || status.Diagnostics[0].Path != "backend/schema.json" || status.Diagnostics[0].Line != 2 {
		t.Errorf("got %v, %v, want a diagnostic at line 2", status.Diagnostics, err)
	}
}

func TestAChangeThatLosesTestDataWaitsForAYes(t *testing.T) {
	h := newHouse(t)
	h.write("backend/schema.json", notes(textField))
	h.add(core.DataTest, `{"text": "dear to me"}`)
	h.write("backend/schema.json", notes(starsField))
	if got, _ := h.records(core.DataTest)[0].(map[string]any); got["text"] != "dear to me" {
		t.Fatalf("got %v, want nothing lost", got)
	}
	status, err := h.Status(t.Context(), h.member, h.project)
	if err != nil || status.Environments.Test.Pending == nil {
		t.Fatalf("got %+v, %v, want a pending plan", status.Environments.Test, err)
	}
	plan := *status.Environments.Test.Pending
	if step := plan.Steps[0]; step.Kind != core.StepDrop || step.Field != "text" || step.Records != 1 || !step.Loses {
		t.Errorf("got %+v, want the loss of one text", step)
	}
	h.wantCode(h.ApplyPending(t.Context(), h.nobody, h.project, plan.ID), core.CodeNotFound)
	h.wantCode(h.ApplyPending(t.Context(), h.member, h.project, core.NewID()), core.CodeConflict)
	h.must(h.ApplyPending(t.Context(), h.member, h.project, plan.ID))
	if got, _ := h.records(core.DataTest)[0].(map[string]any); got["text"] != nil || got["stars"] != 0.0 {
		t.Errorf("got %v, want the new schema", got)
	}
	h.wantCode(h.ApplyPending(t.Context(), h.member, h.project, plan.ID), core.CodeConflict)
}

func TestAResetMakesTestDataAnew(t *testing.T) {
	h := newHouse(t)
	h.wantCode(h.Reset(t.Context(), h.member, h.project, true), core.CodeNotFound)
	h.write("backend/seed.json", `{"notes": [{"text": "from the seed"}]}`)
	h.write("backend/schema.json", notes(textField))
	h.add(core.DataTest, `{"text": "typed"}`)
	for seed, want := range map[bool]int{true: 1, false: 0} {
		h.must(h.Reset(t.Context(), h.member, h.project, seed))
		if got := h.records(core.DataTest); len(got) != want {
			t.Errorf("with seed %v: got %v, want %d records", seed, got, want)
		}
	}
}

func TestLiveDataFollowsAtPublish(t *testing.T) {
	h := newHouse(t)
	h.write("backend/schema.json", notes(textField))
	h.add(core.DataTest, `{"text": "only for tests"}`)
	h.must(h.publish("", true))
	if got := h.records(core.DataLive); len(got) != 0 {
		t.Fatalf("got %v, want live data empty and separate", got)
	}
	h.add(core.DataLive, `{"text": "dear to others"}`)
	h.write("backend/schema.json", notes(textField, starsField))
	if got, _ := h.records(core.DataLive)[0].(map[string]any); got["stars"] != nil {
		t.Errorf("got %v before the publish, want no new field", got)
	}
	h.must(h.publish("", false))
	if got, _ := h.records(core.DataLive)[0].(map[string]any); got["stars"] != nil {
		t.Errorf("got %v after a publish that failed, want no new field", got)
	}
	h.must(h.publish("", true))
	if got, _ := h.records(core.DataLive)[0].(map[string]any); got["stars"] != 0.0 || got["text"] != "dear to others" {
		t.Errorf("got %v after the publish, want the new field", got)
	}
}

func TestAPublishThatLosesLiveDataIsRefusedUntilAccepted(t *testing.T) {
	h := newHouse(t)
	h.write("backend/schema.json", notes(textField))
	h.must(h.publish("", true))
	h.add(core.DataLive, `{"text": "dear to others"}`)
	h.write("backend/schema.json", notes(starsField))
	for _, accepted := range []core.ID{"", core.NewID()} {
		err := h.publish(accepted, true)
		h.wantCode(err, core.CodeDataLoss)
		if known := new(core.Error); !errors.As(err, &known) || known.Plan == nil || known.Plan.Steps[0].Records != 1 {
			t.Fatalf("got %v, want the plan", err)
		}
		if got, _ := h.records(core.DataLive)[0].(map[string]any); got["text"] != "dear to others" {
			t.Fatalf("got %v, want nothing lost", got)
		}
	}
	known := new(core.Error)
	errors.As(h.publish("", true), &known)
	h.must(h.publish(known.Plan.ID, true))
	if got, _ := h.records(core.DataLive)[0].(map[string]any); got["text"] != nil {
		t.Errorf("got %v, want the accepted loss", got)
	}
}

func TestAWrongSchemaIsNotPublished(t *testing.T) {
	h := newHouse(t)
	h.write("backend/schema.json", `{"collections": [{"name": "notes", "listRule": "nothing = 1"}]}`)
	err := h.publish("", true)
	h.wantCode(err, core.CodeBuildFailed)
	if known := new(core.Error); !errors.As(err, &known) || len(known.Diagnostics) != 1 || !strings.Contains(known.Diagnostics[0].Message, "nothing") {
		t.Errorf("got %v, want a diagnostic of the rule", err)
	}
}

func TestAClosedPageLeavesNoTestDataWithoutItsSeed(t *testing.T) {
	h := newHouse(t)
	h.write("backend/seed.json", `{"notes": [{"text": "from the seed"}]}`)
	h.write("backend/schema.json", notes(textField))
	ctx, cancel := context.WithCancel(t.Context())
	h.onApply = cancel
	if _, err := h.Sync(ctx, h.project); err != nil {
		t.Fatal(err)
	}
	if got := h.records(core.DataTest); len(got) != 1 {
		t.Errorf("got %v, want the record of the seed", got)
	}
}
