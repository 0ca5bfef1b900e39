package recording_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/recording"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// record opens a recording in a folder of its own.
func record(t *testing.T, change func(*recording.Config)) *recording.File {
	t.Helper()
	config := recording.Config{Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&config)
	}
	file, err := recording.Create(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return file
}

func replay(t *testing.T, file *recording.File) *recording.Replayer {
	t.Helper()
	replayer, err := recording.Replay(file.Path())
	if err != nil {
		t.Fatal(err)
	}
	return replayer
}

func content(t *testing.T, file *recording.File) string {
	t.Helper()
	written, err := os.ReadFile(file.Path())
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

// listen calls a provider and returns what it emitted.
func listen(ctx context.Context, provider ai.Provider, req ai.Request) ([]ai.Chunk, core.Usage, error) {
	var heard []ai.Chunk
	used, err := provider.Generate(ctx, req, func(said ai.Chunk) error {
		heard = append(heard, said)
		return nil
	})
	return heard, used, err
}

func ask(words string) ai.Request {
	return ai.Request{Model: "m", Messages: []ai.Message{{Role: ai.RoleUser, Text: words}}}
}

func TestWhatWasRecordedIsReplayed(t *testing.T) {
	refusal := core.Wrap(core.CodeModelUnavailable, errors.New("https://user:hunter2@host/"), "too many requests")
	refusal.RetryAfter = 1500 * time.Millisecond
	answers := []memory.ModelAnswer{
		{Chunks: []ai.Chunk{
			{Reasoning: "Hm <b>"}, {Text: "Grüße \xff\x00 世界\u2028"}, {Text: "two"},
			{Call: &ai.Call{ID: "c1", Tool: "edit_file", Args: json.RawMessage(`{"b":1, "a":"x"`)}},
			{Call: &ai.Call{ID: "c2", Tool: "list_files", Args: json.RawMessage{}}},
		}, Usage: core.Usage{InputTokens: 12, OutputTokens: 34}},
		{Err: &ai.Failure{Err: refusal, Temporary: true}},
		{Err: &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "no such key"), Refused: true, Cause: core.FailureKey}},
		{Err: &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "too long"), TooLong: true, Window: 8192, Counted: 9000, MaxAnswer: 4096}},
		{Chunks: []ai.Chunk{{Text: "half"}}, Usage: core.Usage{InputTokens: 5, OutputTokens: 1}, Err: core.Errorf(core.CodeForbiddenAddress, "not there")},
		{Chunks: []ai.Chunk{{Reasoning: "only"}}, Usage: core.Usage{InputTokens: 5, OutputTokens: 1}},
	}
	file := record(t, nil)
	recorded := file.Provider(core.ProviderAnthropic, memory.NewModel().Script(answers...))
	req := ask("Make it blue")
	type outcome struct {
		chunks []ai.Chunk
		used   core.Usage
		err    error
	}
	var want []outcome
	for range answers {
		chunks, used, err := listen(t.Context(), recorded, req)
		want = append(want, outcome{chunks, used, err})
	}
	replayer := replay(t, file)
	for i, w := range want {
		chunks, used, err := listen(t.Context(), replayer, req)
		if !reflect.DeepEqual(chunks, w.chunks) || used != w.used {
			t.Errorf("exchange %d: got %+v and %+v, want %+v and %+v", i+1, chunks, used, w.chunks, w.used)
		}
		wantSameFailure(t, err, w.err)
	}
	if replayer.Kind() != core.ProviderAnthropic || replayer.Left() != 0 {
		t.Errorf("got the kind %q and %d exchanges left, want %q and none", replayer.Kind(), replayer.Left(), core.ProviderAnthropic)
	}
	if strings.Contains(content(t, file), "hunter2") {
		t.Error("the recording holds the cause of a failure, which names an address")
	}
}

func wantSameFailure(t *testing.T, got, want error) {
	t.Helper()
	var g, w *ai.Failure
	if errors.As(got, &g) != errors.As(want, &w) || core.CodeOf(got) != core.CodeOf(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if w == nil {
		return
	}
	flags, wantFlags := *g, *w
	flags.Err, wantFlags.Err = nil, nil
	if flags != wantFlags || g.Err.Message != w.Err.Message || g.Err.RetryAfter != w.Err.RetryAfter {
		t.Errorf("got %+v with %+v, want %+v with %+v", flags, g.Err, wantFlags, w.Err)
	}
}

func TestEveryFlagOfAFailureIsReplayed(t *testing.T) {
	fields := reflect.TypeFor[ai.Failure]()
	for i := range fields.NumField() {
		if fields.Field(i).Type.Kind() != reflect.Bool {
			continue
		}
		want := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "no")}
		reflect.ValueOf(want).Elem().Field(i).SetBool(true)
		file := record(t, nil)
		_, _, _ = listen(t.Context(), file.Provider(core.ProviderOpenAI, memory.NewModel().Fail(want)), ask("x"))
		_, _, err := listen(t.Context(), replay(t, file), ask("x"))
		wantSameFailure(t, err, want)
	}
}

func TestRequestsAreMatchedByWhatTheyAskAndElseInOrder(t *testing.T) {
	file := record(t, nil)
	recorded := file.Provider(core.ProviderOpenAI, memory.NewModel().Say("one").Say("two").Say("three"))
	for _, words := range []string{"same", "other", "same"} {
		if _, _, err := listen(t.Context(), recorded, ask(words)); err != nil {
			t.Fatal(err)
		}
	}
	replayer := replay(t, file)
	for _, step := range []struct{ words, want string }{{"other", "two"}, {"same", "one"}, {"same", "three"}} {
		req := ask(step.words)
		req.Model, req.System, req.MaxTokens = "another", "changed since", 7
		req.Messages[0].Briefing = "changed since, too"
		heard, _, err := listen(t.Context(), replayer, req)
		if err != nil || len(heard) != 1 || heard[0].Text != step.want {
			t.Errorf("%s: got %+v and %v, want %q", step.words, heard, err, step.want)
		}
	}
}

func TestWhatWasNotRecordedFailsWithTheFirstDifference(t *testing.T) {
	base := ai.Request{
		Messages: []ai.Message{
			{Role: ai.RoleUser, Text: "Make the title blue, and keep all the rest as it is"},
			{Role: ai.RoleAssistant, Calls: []ai.Call{{ID: "1", Tool: "read_file", Args: json.RawMessage(`{"path":"a.css", "n":1}`)}}},
			{Role: ai.RoleTool, CallID: "1", Tool: "read_file", Text: "h1 { color: red }"},
		},
		Tools: []ai.Tool{{Name: "read_file"}, {Name: "write_file"}},
	}
	file := record(t, nil)
	if _, _, err := listen(t.Context(), file.Provider(core.ProviderOpenAI, memory.NewModel().Say("done")), base); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*ai.Request){
		`message 3 differs: its text, at byte 12: recorded "h1 { color: red }", asked "h1 { color: green }"`: func(r *ai.Request) { r.Messages[2].Text = "h1 { color: green }" },
		`message 3 differs: its failed`:               func(r *ai.Request) { r.Messages[2].Failed = true },
		`message 3 is missing: recorded one of the`:   func(r *ai.Request) { r.Messages = r.Messages[:2] },
		`message 4 was not recorded: asked one of`:    func(r *ai.Request) { r.Messages = append(r.Messages, ai.Message{Role: ai.RoleUser, Text: "And?"}) },
		`message 2 differs: its calls`:                func(r *ai.Request) { r.Messages[1].Calls[0].Args = json.RawMessage(`{"path":"b.css"}`) },
		`message 1 differs: its images`:               func(r *ai.Request) { r.Messages[0].Images = []ai.Image{{MediaType: "image/png", Data: []byte("x")}} },
		`message 1 differs: its role`:                 func(r *ai.Request) { r.Messages[0].Role = ai.RoleAssistant },
		`message 3 differs: its tool`:                 func(r *ai.Request) { r.Messages[2].Tool = "list_files" },
		`the tools differ: recorded [read_file write`: func(r *ai.Request) { r.Tools = r.Tools[:1] },
	} {
		req := base
		req.Messages = append([]ai.Message(nil), base.Messages...)
		req.Messages[1].Calls = append([]ai.Call(nil), base.Messages[1].Calls...)
		change(&req)
		replayer := replay(t, file)
		_, _, err := listen(t.Context(), replayer, req)
		var failure *ai.Failure
		if !errors.As(err, &failure) || failure.Temporary || !core.IsCode(err, core.CodeModelUnavailable) || !strings.Contains(failure.Err.Message, want) {
			t.Errorf("got %v, want a lasting failure with %q", err, want)
		}
		if replayer.Left() != 1 {
			t.Errorf("%s: got %d exchanges left, want the one that was not asked for", want, replayer.Left())
		}
	}
}

func TestOrderOfArgumentsAndIdsOfCallsDoNotMatter(t *testing.T) {
	request := func(id, args string) ai.Request {
		req := ask("x")
		req.Messages = append(req.Messages,
			ai.Message{Role: ai.RoleAssistant, Calls: []ai.Call{{ID: id, Tool: "t", Args: json.RawMessage(args)}}},
			ai.Message{Role: ai.RoleTool, CallID: id, Tool: "t", Text: "ok"})
		return req
	}
	file := record(t, nil)
	if _, _, err := listen(t.Context(), file.Provider(core.ProviderOllama, memory.NewModel().Say("ok")), request("a", `{"x":1,"y":[2]}`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := listen(t.Context(), replay(t, file), request("b", "{ \"y\": [2], \"x\": 1 }")); err != nil {
		t.Errorf("got %v, want the same request", err)
	}
}

func TestARequestThatIsMadeMoreOftenThanRecordedFails(t *testing.T) {
	file := record(t, nil)
	recorded := file.Provider(core.ProviderOpenAI, memory.NewModel().Say("a").Say("b"))
	for _, words := range []string{"one", "two"} {
		if _, _, err := listen(t.Context(), recorded, ask(words)); err != nil {
			t.Fatal(err)
		}
	}
	replayer := replay(t, file)
	for _, step := range []struct{ words, want string }{
		{"one", ""}, {"one", "fewer times"}, {"two", ""}, {"three", "all 2 exchanges have already been replayed"},
	} {
		_, _, err := listen(t.Context(), replayer, ask(step.words))
		if (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("%s: got %v, want %q", step.words, err, step.want)
		}
	}
}

func TestAnAnswerThatItsSinkCutOffSaysSoWhenReplayed(t *testing.T) {
	file := record(t, nil)
	recorded := file.Provider(core.ProviderOpenAI, memory.NewModel().Say("one", "two"))
	full := errors.New("full")
	if _, err := recorded.Generate(t.Context(), ask("x"), func(ai.Chunk) error { return full }); !errors.Is(err, full) {
		t.Fatalf("got %v, want the sink's error", err)
	}
	heard, _, err := listen(t.Context(), replay(t, file), ask("x"))
	if len(heard) != 1 || err == nil || !strings.Contains(err.Error(), "took no more") {
		t.Errorf("got %+v and %v, want one chunk and a failure that says why", heard, err)
	}
}

func TestModelsAreReplayed(t *testing.T) {
	offered := core.Model{ID: "big"}
	file := record(t, nil)
	recorded := file.Provider(core.ProviderOllama, memory.NewModel(offered).Say("x"))
	if _, _, err := listen(t.Context(), recorded, ask("x")); err != nil {
		t.Fatal(err)
	}
	got, err := replay(t, file).Models(t.Context())
	if err != nil || len(got) != 1 || got[0].ID != "m" {
		t.Errorf("without a list: got %+v and %v, want the model that was asked", got, err)
	}
	if _, err := recorded.Models(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err = replay(t, file).Models(t.Context()); err != nil || !reflect.DeepEqual(got, []core.Model{offered}) {
		t.Errorf("got %+v and %v, want the recorded list", got, err)
	}
}

func TestTheFileIsForItsOwnerOnly(t *testing.T) {
	dir := t.TempDir() + "/deep/er"
	file := record(t, func(c *recording.Config) { c.Dir = dir })
	for path, want := range map[string]fs.FileMode{file.Path(): 0o600, dir: fs.ModeDir | 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: got %v and %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestNothingOfTheSettingsIsRecordedButTheKind(t *testing.T) {
	file := record(t, nil)
	factory := file.Factory(memory.NewFactory(map[core.ProviderKind]ai.Provider{core.ProviderOpenAI: memory.NewModel().Say("hi")}))
	t.Setenv("AI_API_KEY", aitest.Key)
	opened, err := factory.Open(ai.Settings{Kind: core.ProviderOpenAI, BaseURL: "https://me:hunter2@models.example/v1", Key: aitest.Key})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := listen(t.Context(), opened, ask("x")); err != nil {
		t.Fatal(err)
	}
	written := content(t, file)
	for _, secret := range []string{aitest.Key, "hunter2", "models.example"} {
		if strings.Contains(written, secret) {
			t.Errorf("the recording holds %q:\n%s", secret, written)
		}
	}
	if !strings.Contains(written, `"provider":"openai"`) {
		t.Errorf("the recording does not name the kind:\n%s", written)
	}
	if _, err := factory.Open(ai.Settings{Kind: "none"}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v, want the failure of the factory", err)
	}
}

func TestImagesAreRecordedOnlyWhenAskedFor(t *testing.T) {
	req := ask("What is this?")
	req.Messages[0].Images = []ai.Image{{MediaType: "image/png", Data: []byte("the pixels")}}
	for _, whole := range []bool{false, true} {
		file := record(t, func(c *recording.Config) { c.Images = whole })
		if _, _, err := listen(t.Context(), file.Provider(core.ProviderOpenAI, memory.NewModel().Say("a cat")), req); err != nil {
			t.Fatal(err)
		}
		written := content(t, file)
		if strings.Contains(written, "dGhlIHBpeGVscw==") != whole {
			t.Errorf("images %v: got\n%s", whole, written)
		}
		if !strings.Contains(written, `"bytes":10,"sha256":"`) {
			t.Errorf("images %v: size and hash are missing:\n%s", whole, written)
		}
		if _, _, err := listen(t.Context(), replay(t, file), req); err != nil {
			t.Errorf("images %v: got %v, want the answer", whole, err)
		}
	}
}

func TestAnAnswerThatItsCallerLeftWaitsForTheCallerAgain(t *testing.T) {
	file := record(t, nil)
	recorded := file.Provider(core.ProviderOpenAI, memory.NewModel().Hang(ai.Chunk{Text: "one"}))
	leaving := func(provider ai.Provider) error {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		_, err := provider.Generate(ctx, ask("x"), func(ai.Chunk) error {
			leave()
			return nil
		})
		return err
	}
	if err := leaving(recorded); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want %v", err, context.Canceled)
	}
	if written := content(t, file); !strings.Contains(written, `"end":{"how":"left"}`) {
		t.Errorf("got\n%s\nwant an exchange that was left", written)
	}
	if err := leaving(replay(t, file)); !errors.Is(err, context.Canceled) {
		t.Errorf("replayed: got %v, want %v", err, context.Canceled)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		_, _, err := listen(ctx, replay(t, file), ask("x"))
		if waited := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || waited != time.Hour {
			t.Errorf("got %v after %s, want it to wait for the end of the context", err, waited)
		}
	})
}
