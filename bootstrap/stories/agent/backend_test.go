package agent_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

const (
	notesSchema = `{"collections":[
{"name":"users","type":"auth","createRule":""},
{"name":"notes","type":"base","listRule":"owner = @request.auth.id","viewRule":"owner = @request.auth.id","createRule":"@request.auth.id != '' && owner = @request.auth.id",
"fields":[{"name":"text","type":"text"},{"name":"owner","type":"relation","collection":"users","required":true}]}]}`
	notesSeed  = `{"users":[{"id":"ana","email":"ana@example.com","password":"a password for tests"},{"id":"ben","email":"ben@example.com","password":"a password for tests"}],"notes":[{"text":"of Ana","owner":"ana"}]}`
	notesPath  = "/_data/collections/notes/records"
	notesQuery = "SELECT text FROM notes"
)

// results are what tools answered, in order; a failure begins with "failed: ".
func results(all []storytest.Event) []string {
	var got []string
	for _, e := range all {
		switch e.Kind() {
		case "tool.result":
			got = append(got, e.Data["result"].(string))
		case "tool.error":
			got = append(got, "failed: "+e.Data["error"].(string))
		}
	}
	return got
}

// wantResults checks what is in each tool's answer.
func wantResults(t *testing.T, all []storytest.Event, want ...string) {
	t.Helper()
	got := results(all)
	if len(got) != len(want) {
		t.Fatalf("got %d answers %q, want %d", len(got), got, len(want))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("answer %d: got %q, want %q in it", i, got[i], want[i])
		}
	}
}

// notes is a project of the real program whose model follows a screenplay.
func notes(t *testing.T, scripts map[string][]storytest.ToolCall) *storytest.Work {
	t.Helper()
	play := storytest.Screenplay{Scripts: scripts}
	var env []string
	for name, value := range play.Env(t) {
		env = append(env, name+"="+value)
	}
	service := process.Start(t, process.Build(t), env...)
	s := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
	return s.SignUp().Create("static-html")
}

func request(method, path, as, body string) storytest.ToolCall {
	return storytest.Calls("backend_request", "method", method, "path", path, "as", as, "body", body)
}

func TestTheAgentBuildsABackendAndTriesItsRules(t *testing.T) {
	w := notes(t, map[string][]storytest.ToolCall{
		"look": {storytest.Calls("read_file", "path", "backend/schema.json"), storytest.Calls("backend_query", "sql", notesQuery)},
		"build": {
			storytest.Calls("write_file", "path", "backend/seed.json", "content", notesSeed),
			storytest.Calls("write_file", "path", "backend/schema.json", "content", strings.Replace(notesSchema, "@request.auth.id != ''", "nothing = 1", 1)),
			storytest.Calls("write_file", "path", "backend/schema.json", "content", notesSchema),
			storytest.Calls("backend_query", "sql", notesQuery),
			storytest.Calls("backend_query", "sql", "DELETE FROM notes"),
			storytest.Calls("backend_query", "sql", "SELECT password, tokenKey FROM users LIMIT 1"),
			request("GET", notesPath, "guest", ""),
			request("GET", notesPath, "ana@example.com", ""),
			request("GET", notesPath, "ben@example.com", ""),
			request("POST", notesPath, "ben@example.com", `{"text":"x"}`),
			request("GET", notesPath, "nobody@example.com", ""),
			request("GET", "/_data/realtime", "guest", ""),
			storytest.Calls("read_file", "path", "src/backend.gen.ts"),
		},
	})
	wantResults(t, w.Send("look"), "failed: not_found: the project has no backend yet", "failed: not_found: the project has no backend yet")
	wantResults(t, w.Send("build"),
		"backend/seed.json created",
		"as before, because the schema is wrong",
		"The test data have the schema; records: notes 1, users 2.\n- ",
		"text\nof Ana\n",
		"failed: validation_failed",
		"null | null",
		`"items":[]`,
		`"text":"of Ana"`,
		`"items":[]`,
		"Status 400",
		"Status 404",
		"failed: validation_failed: files and realtime streams",
		"NotesRecord",
	)
	if made := w.Versions()[0]; made.Author.Kind != core.AuthorAgent || made.FilesChanged != 3 {
		t.Errorf("got the version %+v, want the schema, the seed and the types in it", made)
	}
}

// TestNothingThatTheAgentCallsReachesLiveDataOrConfirmsAPlan lets a model try.
func TestNothingThatTheAgentCallsReachesLiveDataOrConfirmsAPlan(t *testing.T) {
	without := strings.Replace(notesSchema, `{"name":"text","type":"text"},`, "", 1)
	scripts := map[string][]storytest.ToolCall{
		"build": {
			storytest.Calls("write_file", "path", "backend/seed.json", "content", notesSeed),
			storytest.Calls("write_file", "path", "backend/schema.json", "content", notesSchema),
		},
	}
	w := notes(t, scripts)
	w.Send("build")
	var published struct{ URL string }
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]string{"slug": "notes-live"}, &published)
	credentials := map[string]string{"identity": "live@example.com", "email": "live@example.com", "password": "a live password", "passwordConfirm": "a live password"}
	visit(w, http.MethodPost, published.URL+"/_data/collections/users/records", "", credentials, nil)
	var session struct {
		Token  string
		Record struct{ ID string }
	}
	visit(w, http.MethodPost, published.URL+"/_data/collections/users/auth-with-password", "", credentials, &session)
	visit(w, http.MethodPost, published.URL+notesPath, session.Token, map[string]string{"text": "live secret", "owner": session.Record.ID}, nil)
	before := visit(w, http.MethodGet, published.URL+notesPath, session.Token, nil, nil)
	if !strings.Contains(before, "live secret") {
		t.Fatalf("got the live data %s, want the secret in it", before)
	}

	api := "/projects/" + string(w.ID) + "/backend"
	scripts["try"] = []storytest.ToolCall{
		storytest.Calls("write_file", "path", "backend/schema.json", "content", without),
		request("GET", published.URL+notesPath, "owner", ""),
		request("GET", "//"+strings.TrimPrefix(published.URL, "http://")+notesPath, "owner", ""),
		request("GET", "/_data/../.."+api+"/live/collections/notes/records", "owner", ""),
		request("POST", "/_data"+api+"/test/apply", "owner", `{}`),
		request("POST", "/_data/"+strings.TrimPrefix(w.Path("/publish"), "/"), "owner", `{}`),
		request("GET", notesPath, "live@example.com", ""),
		request("GET", notesPath+"?env=live", "owner", ""),
		storytest.Calls("backend_query", "sql", notesQuery),
		storytest.Calls("backend_query", "sql", "ATTACH DATABASE '../live/data.db' AS live"),
		storytest.Calls("backend_query", "sql", notesQuery, "env", "live"),
	}
	all := w.Send("try")
	wantResults(t, all,
		"it waits for a person, who can confirm it under Data. You cannot.",
		"failed: validation_failed", "failed: validation_failed", "failed: validation_failed",
		"Status 404", "Status 404", "Status 404",
		"of Ana", "of Ana", "failed: validation_failed", "of Ana",
	)
	for _, result := range results(all) {
		if strings.Contains(result, "live secret") || strings.Contains(result, "live@example.com") {
			t.Errorf("got live data: %s", result)
		}
	}
	if last := storytest.LastOf(all); last["reason"] != "done" {
		t.Errorf("got %v, want a run that ends although a plan is pending", last)
	}
	if said := spoken(all); !strings.Contains(said, "One thing waits for you.") || !strings.Contains(said, "Remove the field text of notes.") {
		t.Errorf("got %q, want the person told what waits for them", said)
	}
	var status struct {
		Environments struct {
			Test struct{ Pending *core.SchemaPlan }
		}
	}
	w.Must(http.StatusOK, http.MethodGet, w.Path("/backend"), nil, &status)
	if status.Environments.Test.Pending == nil {
		t.Error("got no pending plan, want it to wait for a person")
	}
	if after := visit(w, http.MethodGet, published.URL+notesPath, session.Token, nil, nil); after != before {
		t.Errorf("got live data %s, want %s", after, before)
	}
}

// visit calls a published site as its pages do, and expects success.
func visit(w *storytest.Work, method, url, token string, body, into any) string {
	w.T.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		w.T.Fatal(err)
	}
	asked, err := http.NewRequestWithContext(w.T.Context(), method, url, bytes.NewReader(content))
	if err != nil {
		w.T.Fatal(err)
	}
	asked.Header.Set("Content-Type", "application/json")
	asked.Header.Set("Authorization", token)
	response, err := w.Client.Do(asked)
	if err != nil {
		w.T.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		w.T.Fatalf("%s %s: got %d %s, %v, want success", method, url, response.StatusCode, answer, err)
	}
	if into != nil && json.Unmarshal(answer, into) != nil {
		w.T.Fatalf("%s %s: got %s, want JSON", method, url, answer)
	}
	return string(answer)
}

// spoken is what the agent said in a run.
func spoken(all []storytest.Event) string {
	var said strings.Builder
	for _, e := range all {
		if e.Kind() == "assistant.message" {
			said.WriteString(e.Data["text"].(string) + "\n")
		}
	}
	return said.String()
}

// TestPlanModeOnlyLooksAtData: a request might change it.
func TestPlanModeOnlyLooksAtData(t *testing.T) {
	w := notes(t, map[string][]storytest.ToolCall{
		"build": {
			storytest.Calls("write_file", "path", "backend/seed.json", "content", notesSeed),
			storytest.Calls("write_file", "path", "backend/schema.json", "content", notesSchema),
		},
		"plan": {storytest.Calls("backend_query", "sql", notesQuery), request("GET", notesPath, "owner", "")},
	})
	w.Send("build")
	all := stream(w, "/plan/"+string(w.ID), map[string]any{"chatId": w.Chat, "text": "plan"})
	wantResults(t, all, "of Ana", `failed: backend_request is not allowed in the mode "plan"`)
}
