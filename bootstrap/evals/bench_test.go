package evals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	embedded "github.com/atelierhq/atelier/testdata/evals"
)

// ourTasks are the tasks of this repository.
func ourTasks(t *testing.T) []Task {
	t.Helper()
	folder, err := fs.Sub(embedded.Tasks, "tasks")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// bench answers with the provider, instead of the demo.
func bench(t *testing.T, provider ai.Provider, timeout time.Duration, tasks []Task) *Bench {
	t.Helper()
	env := map[string]string{"AI_PROVIDER": "demo", "DATA_DIR": t.TempDir()}
	s, err := settings.Read(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	models := memory.NewFactory(map[core.ProviderKind]ai.Provider{core.ProviderDemo: provider})
	b, err := New(t.Context(), Config{Settings: s, Models: models, Timeout: timeout, Log: slog.New(slog.DiscardHandler)}, tasks)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func runAll(t *testing.T, provider ai.Provider, tasks []Task) map[string]Result {
	t.Helper()
	results := map[string]Result{}
	bench(t, provider, 0, tasks).RunAll(t.Context(), tasks, 1, 2, func(r Result) { results[r.Task] = r })
	if len(results) != len(tasks) {
		t.Fatalf("got %d results, want %d", len(results), len(tasks))
	}
	return results
}

func show(t *testing.T, result Result) string {
	t.Helper()
	shown, err := json.MarshalIndent(result, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(shown)
}

func TestThereAreTasksEnough(t *testing.T) {
	if tasks := ourTasks(t); len(tasks) < 20 {
		t.Errorf("got %d tasks, want 20 or more", len(tasks))
	}
}

// demoPasses are the tasks that the demo's script can do.
func demoPasses() []string {
	return []string{"add-paragraph", "change-text", "chat-changes-nothing", "crlf-file"}
}

func TestTheDemoDoesWhatItsScriptCan(t *testing.T) {
	var passed []string
	for name, result := range runAll(t, demo.New(), ourTasks(t)) {
		if result.Error != "" || result.End != "done" {
			t.Errorf("%s: got %s\nwant it done", name, show(t, result))
		}
		if result.Steps == 0 || result.InputTokens == 0 || result.OutputTokens == 0 {
			t.Errorf("%s: got %d steps and %d+%d tokens, want some", name, result.Steps, result.InputTokens, result.OutputTokens)
		}
		if result.Passed {
			passed = append(passed, name)
		} else if slices.Contains(demoPasses(), name) {
			t.Errorf("%s: got %s\nwant it to pass", name, show(t, result))
		}
	}
	slices.Sort(passed)
	if want := demoPasses(); !slices.Equal(passed, want) {
		t.Errorf("passed: got %q, want %q", passed, want)
	}
}

// solution is one way to carry out a task.
type solution struct {
	Calls []struct {
		Tool string         `json:"tool"`
		Args map[string]any `json:"args"`
	} `json:"calls"`
	Answer string `json:"answer"`
}

// performer plays the solutions of the tasks. Like a good model it reads a file
// before it changes it, and passes on the hash.
type performer struct{ solutions map[string]solution }

func solver(t *testing.T, tasks []Task) *performer {
	t.Helper()
	p := &performer{solutions: map[string]solution{}}
	for _, task := range tasks {
		content, err := fs.ReadFile(embedded.Tasks, "tasks/"+task.Name+"/solution.json")
		if err != nil {
			t.Fatal(err)
		}
		var found solution
		if err := json.Unmarshal(content, &found); err != nil {
			t.Fatalf("%s: %v", task.Name, err)
		}
		p.solutions[task.Prompt] = found
	}
	return p
}

func (p *performer) Models(context.Context) ([]core.Model, error) {
	return []core.Model{{ID: "m"}}, nil
}

func (p *performer) Generate(_ context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	used := core.Usage{InputTokens: 10, OutputTokens: 5}
	at := slices.IndexFunc(req.Messages, func(m ai.Message) bool { return m.Role == ai.RoleUser })
	solution, known := p.solutions[req.Messages[at].Text]
	if !known {
		return used, fmt.Errorf("no solution for %q", req.Messages[at].Text)
	}
	results := slices.DeleteFunc(slices.Clone(req.Messages), func(m ai.Message) bool { return m.Role != ai.RoleTool })
	done := 0
	for _, call := range solution.Calls {
		path, _ := call.Args["path"].(string)
		args := maps.Clone(call.Args)
		if call.Tool == "edit_file" || call.Tool == "write_file" {
			if done == len(results) {
				return used, emitCall(emit, done, "read_file", map[string]any{"path": path})
			}
			if head, found := strings.CutPrefix(results[done].Text, path+" hash "); found && call.Tool == "edit_file" {
				args["hash"] = strings.FieldsFunc(head, func(c rune) bool { return c == '\n' || c == ',' || c == ' ' })[0]
			}
			done++
		}
		if done == len(results) {
			return used, emitCall(emit, done, call.Tool, args)
		}
		if results[done].Failed {
			return used, emit(ai.Chunk{Text: "It failed: " + results[done].Text})
		}
		done++
	}
	return used, emit(ai.Chunk{Text: solution.Answer})
}

func emitCall(emit func(ai.Chunk) error, n int, tool string, args map[string]any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return emit(ai.Chunk{Call: &ai.Call{ID: fmt.Sprintf("call_%d", n), Tool: tool, Args: raw}})
}

func TestEveryTaskCanBeDone(t *testing.T) {
	tasks := ourTasks(t)
	for name, result := range runAll(t, solver(t, tasks), tasks) {
		if !result.Passed || !result.Built || result.EditsLanded != result.Edits {
			t.Errorf("%s: got %s\nwant it to pass", name, show(t, result))
		}
	}
}

// idler says that it is done, and has done nothing.
type idler struct{ vandal bool }

func (idler) Models(context.Context) ([]core.Model, error) { return []core.Model{{ID: "m"}}, nil }

// Generate of a vandal deletes all that it is shown, first.
func (i idler) Generate(_ context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	used := core.Usage{InputTokens: 10, OutputTokens: 5}
	last := req.Messages[len(req.Messages)-1]
	switch {
	case i.vandal && last.Role == ai.RoleUser:
		return used, emitCall(emit, 0, "list_files", map[string]any{})
	case i.vandal && last.Tool == "list_files":
		n := 0
		for line := range strings.Lines(last.Text) {
			path, _, _ := strings.Cut(line, " (")
			if n++; path != "" {
				if err := emitCall(emit, n, "delete_file", map[string]any{"path": path}); err != nil {
					return used, err
				}
			}
		}
		return used, nil
	}
	return used, emit(ai.Chunk{Text: "-"})
}

// TestEveryCheckCanFail has the tasks done by one who does nothing and by one who
// deletes everything. A check that both pass could as well not be there.
func TestEveryCheckCanFail(t *testing.T) {
	tasks := ourTasks(t)
	for i := range tasks {
		// Only here a mode that changes nothing could be left.
		tasks[i].Mode = core.ModeBuild
	}
	idle, vandal := runAll(t, idler{}, tasks), runAll(t, idler{vandal: true}, tasks)
	for _, task := range tasks {
		if got, want := idle[task.Name].Built, !strings.HasPrefix(task.Name, "fix-"); got != want {
			t.Errorf("%s: builds at first: got %v, want %v", task.Name, got, want)
		}
		if idle[task.Name].Error != "" || vandal[task.Name].Error != "" {
			t.Errorf("%s: got\n%s\n%s\nwant both judged", task.Name, show(t, idle[task.Name]), show(t, vandal[task.Name]))
		}
		if idle[task.Name].Landed && task.Changes == changesSome || vandal[task.Name].Landed && task.Changes == changesNone {
			t.Errorf("%s: landed, with the wrong amount of changes", task.Name)
		}
		if idle[task.Name].Passed || vandal[task.Name].Passed {
			t.Errorf("%s: passed without being done", task.Name)
		}
		for i, check := range task.Checks {
			if idle[task.Name].Checks[i].Passed && vandal[task.Name].Checks[i].Passed {
				t.Errorf("%s: %s: passes whatever was done", task.Name, check.Label())
			}
		}
	}
}

func TestARunThatFailsIsReportedAsItEnded(t *testing.T) {
	task, err := Select(ourTasks(t), "change-text")
	if err != nil {
		t.Fatal(err)
	}
	refusal := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the model is down"), Refused: true}
	model := memory.NewModel(core.Model{ID: "m"}).Fail(refusal)
	result := runAll(t, model, task)["change-text"]
	if result.Passed || result.Landed || !result.Built || result.End != "model_unavailable" || result.Message != "the model is down" || result.Error != "" {
		t.Errorf("got %s\nwant the failure of the run", show(t, result))
	}
}

func TestATaskThatTakesTooLongIsStoppedAndJudged(t *testing.T) {
	task, err := Select(ourTasks(t), "change-text")
	if err != nil {
		t.Fatal(err)
	}
	b := bench(t, memory.NewModel(core.Model{ID: "m"}).Hang(ai.Chunk{Text: "Let me think"}), time.Second, task)
	result := b.Run(t.Context(), task[0])
	if result.Passed || result.End != "stopped" || !strings.Contains(result.Error, "longer than 1s") {
		t.Errorf("got %s\nwant it stopped", show(t, result))
	}
}

func TestATaskThatCannotBeRunSaysWhy(t *testing.T) {
	tasks := []Task{{Name: "x", Template: "none", Mode: core.ModeBuild, Changes: changesSome, Prompt: "x", Checks: []Check{{Builds: true}}}}
	result := bench(t, demo.New(), 0, tasks).Run(t.Context(), tasks[0])
	if result.Passed || !strings.Contains(result.Error, `no template "none"`) || result.Checks[0].Passed {
		t.Errorf("got %s\nwant the template named", show(t, result))
	}
}

func TestARunWithTwoEndsIsAnError(t *testing.T) {
	var events tally
	for seq, payload := range []core.Payload{core.TaskComplete{Reason: core.ReasonDone}, core.SessionError{Error: core.CodeInternal}} {
		if err := events.add(core.Event{Seq: int64(seq + 1), Payload: payload}); err != nil {
			t.Fatal(err)
		}
	}
	var result Result
	result.count(&events, 0)
	result.judge(Task{}, outcome{}, &events)
	if !strings.Contains(result.Error, "2 last events") || result.passed() {
		t.Errorf("got %+v, want an error", result)
	}
}

func TestFilesAreLaidOverTheTemplateByteForByte(t *testing.T) {
	task := Task{
		Name: "x", Template: "static-html", Mode: core.ModeChat, Changes: changesNone, Prompt: "x", Checks: []Check{{Builds: true}},
		files: map[string][]byte{"index.html": []byte("<h1>mine</h1>\r\n"), "deep/er/p.bin": {0, 255, 10, 13}},
	}
	b := bench(t, demo.New(), 0, []Task{task})
	project, err := b.prepare(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.snapshot(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range task.files {
		if string(got[path]) != string(want) {
			t.Errorf("%s: got %q, want %q", path, got[path], want)
		}
	}
	if len(got["style.css"]) == 0 {
		t.Error("style.css is missing, want what the template has besides")
	}
}

func TestResultsComeInTheOrderOfTheTasks(t *testing.T) {
	tasks, err := Select(ourTasks(t), "add-paragraph,change-text,chat-changes-nothing,crlf-file")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	results := bench(t, demo.New(), 0, tasks).RunAll(t.Context(), tasks, 1, 4, func(r Result) { told = append(told, r.Task) })
	for i, task := range tasks {
		if results[i].Task != task.Name || !results[i].Passed || !slices.Contains(told, task.Name) {
			t.Errorf("result %d: got %s, want %s to pass", i, show(t, results[i]), task.Name)
		}
	}
	var out strings.Builder
	if err := WriteJSON(&out, results); err != nil {
		t.Fatal(err)
	}
	var read []Result
	if err := json.Unmarshal([]byte(out.String()), &read); err != nil || len(read) != len(results) || show(t, read[0]) != show(t, results[0]) {
		t.Errorf("got %s and %v, want the results as JSON", out.String(), err)
	}
}

func TestAnEvaluationThatIsStoppedEndsSoon(t *testing.T) {
	task, err := Select(ourTasks(t), "change-text")
	if err != nil {
		t.Fatal(err)
	}
	model := memory.NewModel(core.Model{ID: "m"}).Hang(ai.Chunk{Text: "Let me think"})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-model.Called()
		stop()
	}()
	result := bench(t, model, 0, task).Run(ctx, task[0])
	if result.Passed || result.End != "stopped" || !strings.Contains(result.Error, "context canceled") {
		t.Errorf("got %s\nwant it stopped", show(t, result))
	}
}

func TestAPackageThatCannotBePublishedIsRefused(t *testing.T) {
	_, err := New(t.Context(), Config{Log: slog.New(slog.DiscardHandler)}, []Task{{Packages: []Package{{Name: "p", Version: "one"}}}})
	var coded *core.Error
	if !errors.As(err, &coded) || !strings.Contains(err.Error(), "package p") {
		t.Errorf("got %v, want the package named", err)
	}
}
