package agent_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

const (
	// resumeKills is how often the process is killed, in all of the test's runs
	// together, and killsOfARun how often in one at most.
	resumeKills = 100
	killsOfARun = 20
	// scriptCalls is how many calls a run makes.
	scriptCalls = 30
)

// scriptedOllama is a model server that plays one script. The conversation in the request
// determines the position in the script, so a repeated question gets the same answer.
// Answers come in pieces.
func scriptedOllama(t testing.TB, script [][2]string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{"x.context_length":131072}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct {
				Role      string
				ToolCalls []json.RawMessage `json:"tool_calls"`
			}
		}
		if json.NewDecoder(r.Body).Decode(&asked) != nil {
			// The client was killed.
			return
		}
		step := 0
		for _, message := range asked.Messages {
			if message.Role == "assistant" && len(message.ToolCalls) > 0 {
				step++
			}
		}
		answer := func(line string) {
			fmt.Fprintln(w, line)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond)
		}
		for _, word := range []string{"Now ", "step ", fmt.Sprint(step), "."} {
			answer(fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":%q},"done":false}`, word))
		}
		if step < len(script) {
			answer(fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_%d_%d","function":{"name":%q,"arguments":%s}}]},"done":false}`,
				step, rand.Int64(), script[step][0], script[step][1]))
		}
		answer(`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":5000,"eval_count":20}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// workScript creates, changes, moves and deletes files below a folder.
func workScript() [][2]string {
	var script [][2]string
	add := func(tool string, args map[string]string) {
		body, _ := json.Marshal(args)
		script = append(script, [2]string{tool, string(body)})
	}
	for i := 0; len(script) < scriptCalls; i++ {
		path := fmt.Sprintf("work/f%d.txt", i)
		add("write_file", map[string]string{"path": path, "content": fmt.Sprintf("one of %d\n", i)})
		add("read_file", map[string]string{"path": path})
		add("edit_file", map[string]string{"path": path, "oldText": "one", "newText": "two"})
		add("rename_file", map[string]string{"from": path, "to": fmt.Sprintf("moved/f%d.txt", i)})
		if i%2 == 1 {
			add("delete_file", map[string]string{"path": fmt.Sprintf("moved/f%d.txt", i)})
		}
	}
	return script[:scriptCalls]
}

// tree reads the files that the script made.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, folder := range []string{"work", "moved"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			content, err := os.ReadFile(filepath.Join(dir, folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[folder+"/"+entry.Name()] = string(content)
		}
	}
	return files
}

// TestKillsAtRandomPointsOfADetachedRunChangeNothingOfItsEnd kills the process repeatedly
// in the middle of a run, and compares its tree and its log with those of an undisturbed
// run.
func TestKillsAtRandomPointsOfADetachedRunChangeNothingOfItsEnd(t *testing.T) {
	t.Parallel()
	t.Run("local", func(t *testing.T) { startMortal(t, nil).killRuns(resumeKills) })
	t.Run("local on PostgreSQL", func(t *testing.T) { startMortal(t, storytest.Postgres(t)).killRuns(resumeKills / 5) })
}

// mortalService is a service that is killed again and again.
type mortalService struct {
	*process.Service
	*storytest.Caller
	random *rand.Rand
	// took is the duration of an undisturbed run, tree and log are its results.
	took time.Duration
	tree map[string]string
	log  string
}

func startMortal(t *testing.T, env map[string]string) *mortalService {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	lines := []string{"AI_PROVIDER=ollama", "OLLAMA_HOST=" + scriptedOllama(t, workScript()), "AI_MODEL=m"}
	for name, value := range env {
		lines = append(lines, name+"="+value)
	}
	service := process.Start(t, process.Build(t), lines...)
	m := &mortalService{Service: service, Caller: (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp(), random: rand.New(rand.NewPCG(seed, 0))}
	w := m.Create("static-html")
	begun := time.Now()
	w.Detached("Go.")
	w.WaitIdle()
	m.took, m.tree, m.log = time.Since(begun), tree(t, storytest.ProjectDir(m.Dir, w.ID)), workOf(w.History())
	if len(m.tree) == 0 || m.log == "" {
		t.Fatalf("got the tree %v, want a run that works", m.tree)
	}
	return m
}

// killRuns kills the service so often in the middle of runs, and looks at how each of
// them ends.
func (m *mortalService) killRuns(kills int) {
	m.T.Helper()
	for kills > 0 {
		w := m.Create("static-html")
		w.Detached("Go.")
		client := &resumingClient{Crash: &storytest.Crash{Service: m.Service, Work: w, Random: m.random}}
		for range killsOfARun {
			// A run that gets nowhere between several kills is given up, which is another
			// story: each time one model call comes to its end before anything else.
			called, left := client.follow()
			select {
			case <-called:
			case <-left:
			}
			client.KillWithin(m.took / 12)
			<-left
			m.Restart()
			if kills--; kills == 0 || !busy(w) {
				break
			}
		}
		_, left := client.follow()
		<-left
		w.WaitIdle()
		m.check(client)
	}
}

// check compares a run's end, and what a client saw of it, with the undisturbed run's.
func (m *mortalService) check(client *resumingClient) {
	m.T.Helper()
	if got := tree(m.T, storytest.ProjectDir(m.Dir, client.ID)); fmt.Sprint(got) != fmt.Sprint(m.tree) {
		m.T.Fatalf("got the tree %v, want %v", got, m.tree)
	}
	log := client.History()
	if len(client.seen) != len(log) {
		m.T.Fatalf("the client saw %d events, want all %d", len(client.seen), len(log))
	}
	for i, e := range log {
		if seq, ok := e["seq"].(float64); !ok || int(seq) != i+1 {
			m.T.Fatalf("got seq %v at place %d, want no gap", e["seq"], i+1)
		}
		if fmt.Sprint(client.seen[i]) != fmt.Sprint(e) {
			m.T.Fatalf("the client saw %v, the log has %v", client.seen[i], e)
		}
	}
	if got := workOf(log); got != m.log {
		m.T.Fatalf("got the log\n%s\nwant\n%s", got, m.log)
	}
	client.CheckRepository(m.T)
}

// resumingClient is a client that goes on with Last-Event-ID where its stream broke, as
// a browser does.
type resumingClient struct {
	*storytest.Crash
	seen []map[string]any
}

// follow reads a stream until it ends or breaks, and then closes left. It closes called when it
// has read the end of a model call.
func (c *resumingClient) follow() (called, left <-chan struct{}) {
	first, end := make(chan struct{}), make(chan struct{})
	call := sync.OnceFunc(func() { close(first) })
	request, err := http.NewRequestWithContext(c.T.Context(), http.MethodGet, c.URL+"/chat/"+string(c.ID)+"/stream"+storytest.Query("chatId", string(c.Chat)), nil)
	if err != nil {
		c.T.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("Last-Event-ID", strconv.Itoa(len(c.seen)))
	go func() {
		defer close(end)
		response, err := c.Client.Do(request)
		if err != nil {
			return
		}
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			body, isData := strings.CutPrefix(lines.Text(), "data: ")
			var e map[string]any
			// An event that broke off in the middle of a line comes again.
			if isData && json.Unmarshal([]byte(body), &e) == nil {
				c.seen = append(c.seen, e)
				if e["type"] == "session.usage_info" {
					call()
				}
			}
		}
	}()
	return first, end
}

// busy reports whether a run is under way in the chat.
func busy(w *storytest.Work) bool {
	w.T.Helper()
	var page struct{ Items []struct{ Running bool } }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &page)
	return page.Items[0].Running
}

// workOf extracts the work from a log: every change of a file, every result, and how it
// ended. It omits answers that broke off.
func workOf(log []map[string]any) string {
	var out strings.Builder
	for _, e := range log {
		switch e["type"] {
		case "file.changed":
			fmt.Fprintln(&out, e["type"], e["action"], e["path"])
		case "tool.result":
			fmt.Fprintln(&out, e["type"], e["result"])
		case "version.created":
			fmt.Fprintln(&out, e["type"], e["filesChanged"])
		case "session.task_complete", "session.error":
			fmt.Fprintln(&out, e["type"], e["reason"], e["error"])
		}
	}
	return out.String()
}
