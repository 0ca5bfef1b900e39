package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/conformance"
)

// hostedModel speaks as OpenAI does. Its answers say that they used promptTokens
// and answerTokens.
type hostedModel struct {
	url string
	// silent makes calls send one word and then nothing until their client goes.
	silent atomic.Bool
	called chan struct{}
}

// answerTokens is about what the agent allows one answer. At gpt-4o's price one call
// costs callCost, in USD.
const (
	promptTokens = 1000
	answerTokens = 16_000
	callCost     = 0.1625
)

func serveHosted(t testing.TB) *hostedModel {
	t.Helper()
	model := &hostedModel{called: make(chan struct{}, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path != "/v1/chat/completions" {
			// What the service asks of the model's window is no call of it.
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Well"}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		model.called <- struct{}{}
		if model.silent.Load() {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")
		fmt.Fprintf(w, `data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n", promptTokens, answerTokens)
	}))
	t.Cleanup(server.Close)
	model.url = server.URL + "/v1"
	return model
}

func (m *hostedModel) env(limit string) map[string]string {
	return map[string]string{
		"AI_PROVIDER": "openai", "AI_BASE_URL": m.url, "AI_MODEL": "gpt-4o", "AI_API_KEY": "k", "WORKSPACE_CREDIT_LIMIT": limit,
	}
}

// endless sends words until its client goes.
func endless(t testing.TB) *hostedModel {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"`+strings.Repeat("word ", 200)+`"}}]}`+"\n\n")
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return &hostedModel{url: server.URL + "/v1"}
}

func TestCreditThatRunsOutEndsARunInTheMiddleOfAnAnswer(t *testing.T) {
	for name, limits := range map[string]map[string]string{
		"of the workspace": {"WORKSPACE_CREDIT_LIMIT": "0.02"},
		"of the run":       {"RUN_CREDIT_LIMIT": "0.02"},
	} {
		t.Run(name, func(t *testing.T) {
			env := endless(t).env("100")
			maps.Copy(env, limits)
			c := storytest.Serve(t, t.TempDir(), local.New, env).SignUp()
			w := c.Create("static-html")
			all := w.Send("Go on for ever.")
			if last := all[len(all)-1]; last.Kind() != "session.error" || last.Data["error"] != "credit_exhausted" {
				t.Fatalf("got %v at the end, want credit_exhausted", last.Data)
			}
			if used := c.Usage().CreditUsed; used < 0.01 || used > 0.08 {
				t.Errorf("got %.4f USD booked, want about the limit", used)
			}
		})
	}
}

// wantOverdrawnByOneCall checks that the spending is within one call of the limit, below
// or above.
func wantOverdrawnByOneCall(t *testing.T, c *storytest.Caller, limit float64) {
	t.Helper()
	found := c.Usage()
	if found.CreditUsed > limit+callCost+1e-9 || found.CreditUsed < limit-callCost {
		t.Errorf("got %.3f USD used, want %.2f, give or take the %.2f of one call", found.CreditUsed, limit, callCost)
	}
	var sum float64
	for _, row := range found.Items {
		sum += row.Cost
	}
	if sum < found.CreditUsed-1e-9 || sum > found.CreditUsed+1e-9 {
		t.Errorf("got rows of %.3f USD, want what was used, %.3f", sum, found.CreditUsed)
	}
}

func TestFiftyParallelRunsNeverOverdrawALimitByMoreThanOneCall(t *testing.T) {
	const limit = 2.0
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			c.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(c.Workspace), map[string]any{"creditLimit": limit}, nil)
			w := c.Create("static-html")
			runs := make([]core.Run, 50)
			for i := range runs {
				runs[i] = running(w)
			}
			for spendTogether(w, runs) > 0 {
			}
			wantOverdrawnByOneCall(t, c, limit)
		})
	}
}

// running stores a run that is under way in a chat of its own.
func running(w *storytest.Work) core.Run {
	w.T.Helper()
	tables, at := w.App.Store.Tables(), core.At(time.Now())
	room := core.Chat{ID: core.NewID(), ProjectID: w.ID, Title: "Chat", Mode: core.ModeBuild, CreatedAt: at, UpdatedAt: at}
	run := core.Run{
		ID: core.NewID(), ChatID: room.ID, ProjectID: w.ID, WorkspaceID: w.Workspace, UserID: w.User.ID,
		Status: core.RunRunning, LeaseUntil: at.Add(time.Hour), CreatedAt: at,
	}
	if err := tables.Chats.Create(w.T.Context(), room); err != nil {
		w.T.Fatal(err)
	}
	if err := tables.Runs.Create(w.T.Context(), run); err != nil {
		w.T.Fatal(err)
	}
	return run
}

// spendTogether meters one call of every run concurrently, each of which uses up to what
// it reserved. It returns how many were allowed.
func spendTogether(w *storytest.Work, runs []core.Run) int32 {
	return spendTogetherOn(w, chat.Choice{Kind: core.ProviderOpenAI, Model: "gpt-4o"}, runs)
}

func spendTogetherOn(w *storytest.Work, choice chat.Choice, runs []core.Run) int32 {
	var reserving, settling sync.WaitGroup
	var allowed atomic.Int32
	reserving.Add(len(runs))
	for _, run := range runs {
		settling.Go(func() {
			meter := w.App.Providers.Meter(run, choice)
			err := meter.Reserve(w.T.Context(), core.Usage{OutputTokens: answerTokens})
			reserving.Done()
			reserving.Wait()
			if core.IsCode(err, core.CodeCreditExhausted) {
				return
			}
			allowed.Add(1)
			if err == nil {
				_, err = meter.Settle(w.T.Context(), core.Usage{OutputTokens: 1 + rand.Int64N(answerTokens)})
			}
			if err != nil {
				w.T.Error(err)
			}
		})
	}
	settling.Wait()
	return allowed.Load()
}

func TestFiftyParallelMessagesNeverOverdrawALimitByMoreThanOneCall(t *testing.T) {
	const messages, limit = 50, 2.0
	model := serveHosted(t)
	c := storytest.Serve(t, t.TempDir(), local.New, model.env(fmt.Sprint(limit))).SignUp()
	w := c.Create("static-html")
	var exhausted atomic.Int32
	var together sync.WaitGroup
	for range messages {
		room := &storytest.Work{Caller: c, Project: w.Project}
		var made core.Chat
		c.Must(http.StatusCreated, http.MethodPost, w.Path("/chats"), map[string]string{"mode": core.ModeBuild}, &made)
		room.Chat = made.ID
		together.Go(func() {
			all := room.Send("Hello")
			last := all[len(all)-1]
			switch {
			case last.Kind() == "session.error" && last.Data["error"] == string(core.CodeCreditExhausted):
				exhausted.Add(1)
			case last.Kind() != "session.task_complete":
				t.Errorf("got %v, want an answer or %s", last.Data, core.CodeCreditExhausted)
			}
		})
	}
	together.Wait()
	wantOverdrawnByOneCall(t, c, limit)
	if exhausted.Load() == 0 {
		t.Error("got no message refused, want most")
	}
}

func TestKillDuringAModelCallGivesItsCreditBack(t *testing.T) {
	model := serveHosted(t)
	model.silent.Store(true)
	var env []string
	for name, value := range model.env("0.01") {
		env = append(env, name+"="+value)
	}
	service := process.Start(t, process.Build(t), env...)
	c := &storytest.Crash{Service: service, Work: (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")}
	seen := c.Message("Hello")
	conformance.Await(t, "the model call", model.called)
	other := &storytest.Work{Caller: c.Caller, Project: c.Project}
	var made core.Chat
	c.Must(http.StatusCreated, http.MethodPost, c.Path("/chats"), map[string]string{"mode": core.ModeBuild}, &made)
	other.Chat = made.ID
	beside := other.Send("Hello")
	if last := beside[len(beside)-1]; last.Data["error"] != string(core.CodeCreditExhausted) {
		t.Fatalf("beside the call: got %v, want %s, because the call holds all there is", last.Data, core.CodeCreditExhausted)
	}
	c.Kill()
	c.Client.CloseIdleConnections()
	<-seen
	model.silent.Store(false)
	c.Restart()
	if used := c.Usage().CreditUsed; used != 0 {
		t.Errorf("got %v USD used, want nothing for a call that nobody knows the end of", used)
	}
	after := other.Send("Hello")
	if last := after[len(after)-1]; last.Kind() != "session.task_complete" {
		t.Errorf("after the crash: got %v, want an answer", last.Data)
	}
}

func TestUsageHasTheContractsShape(t *testing.T) {
	model := serveHosted(t)
	c := storytest.Serve(t, t.TempDir(), local.New, model.env("")).SignUp()
	path := "/workspaces/" + string(c.Workspace) + "/usage"
	got := c.Must(http.StatusOK, http.MethodGet, path, nil, nil)
	const quotas = `"quotas":{"projects":{"used":0,"limit":500},"members":{"used":1,"limit":500},"bytesPerProject":2147483648,"runsAtOnce":null}`
	if want := `{"creditLimit":null,"creditUsed":0,"items":[],` + quotas + "}\n"; string(got.Body) != want {
		t.Errorf("at first: got %s, want %s", got.Body, want)
	}
	c.Create("static-html").Send("Hello")
	c.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(c.Workspace), map[string]any{"creditLimit": 2.5}, nil)
	got = c.Must(http.StatusOK, http.MethodGet, path, nil, nil)
	var found map[string]any
	if err := json.Unmarshal(got.Body, &found); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint(map[string]any{
		"creditLimit": 2.5, "creditUsed": callCost, "items": []any{map[string]any{
			"day": time.Now().UTC().Format("2006-01-02"), "model": "gpt-4o", "inputTokens": 1000.0, "cachedTokens": 0.0, "outputTokens": 16000.0, "cost": callCost,
		}},
	})
	delete(found, "quotas")
	if fmt.Sprint(found) != want {
		t.Errorf("got %v, want %s", found, want)
	}
	stranger := c.Site.SignUp()
	if got := stranger.Do(http.MethodGet, path, nil); got.Status != http.StatusNotFound {
		t.Errorf("a stranger: got %d, want %d", got.Status, http.StatusNotFound)
	}
}
