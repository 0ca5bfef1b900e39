package recording_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/recording"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

func TestARecordingThatIsFullSaysSoAndTheCallsGoOn(t *testing.T) {
	var log bytes.Buffer
	file := record(t, func(c *recording.Config) {
		c.MaxBytes, c.Log = 900, slog.New(slog.NewTextHandler(&log, nil))
	})
	model := memory.NewModel()
	recorded := file.Provider(core.ProviderOpenAI, model)
	for range 6 {
		model.Say("an answer of some length")
		if _, _, err := listen(t.Context(), recorded, ask("x")); err != nil {
			t.Fatal(err)
		}
	}
	written := content(t, file)
	if len(written) > 900 || !strings.HasSuffix(written, "{\"kind\":\"full\"}\n") {
		t.Errorf("got %d bytes that end in %q, want at most 900 and the kind full", len(written), written[len(written)-40:])
	}
	if n := strings.Count(log.String(), "the recording is full"); n != 1 {
		t.Errorf("got %d warnings, want one:\n%s", n, log.String())
	}
	if left := replay(t, file).Left(); left < 1 || left > 5 {
		t.Errorf("got %d exchanges, want those before the bound", left)
	}
}

func TestADiskThatFailsEndsTheRecordingAndNothingElse(t *testing.T) {
	var log bytes.Buffer
	file := record(t, func(c *recording.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	recorded := file.Provider(core.ProviderOpenAI, memory.NewModel().Say("one").Say("two"))
	if err := file.Break(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := listen(t.Context(), recorded, ask("x")); err != nil {
			t.Errorf("got %v, want the provider's answer", err)
		}
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
		t.Errorf("got %d errors in the log, want one:\n%s", n, log.String())
	}
}

func TestAFolderThatCannotBeUsedIsRefused(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{taken, filepath.Join(taken, "below")} {
		_, err := recording.Create(recording.Config{Dir: dir, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%s: got %v, want %s", dir, err, core.CodeUnavailable)
		}
	}
}

func TestParallelExchangesDoNotMix(t *testing.T) {
	file := record(t, nil)
	model := memory.NewModel()
	recorded := file.Provider(core.ProviderOpenAI, model)
	var group sync.WaitGroup
	for range 20 {
		model.Say(strings.Repeat("long ", 5000))
		group.Go(func() {
			if _, _, err := listen(context.Background(), recorded, ask("x")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if left := replay(t, file).Left(); left != 20 {
		t.Errorf("got %d exchanges, want 20", left)
	}
}

func TestATornLastLineIsPassedOver(t *testing.T) {
	file := record(t, nil)
	recorded := file.Provider(core.ProviderOpenAI, memory.NewModel().Say("one").Say("two"))
	for range 2 {
		if _, _, err := listen(t.Context(), recorded, ask("x")); err != nil {
			t.Fatal(err)
		}
	}
	whole := content(t, file)
	torn := filepath.Join(t.TempDir(), "torn.jsonl")
	if err := os.WriteFile(torn, []byte(whole[:len(whole)-10]), 0o600); err != nil {
		t.Fatal(err)
	}
	replayer, err := recording.Replay(torn)
	if err != nil || replayer.Left() != 1 {
		t.Fatalf("got %v, want the one exchange that is whole", err)
	}
}

func TestWhatIsNoRecordingIsRefusedWithItsLine(t *testing.T) {
	const head = `{"kind":"recording","version":1,"at":"2026-01-01T00:00:00.000Z"}` + "\n"
	for content, want := range map[string]string{
		"":                             "it is empty",
		"no JSON\n":                    "line 1",
		`{"kind":"exchange"}` + "\n":   "must begin with one line",
		head + head:                    "line 2",
		head + `{"kind":"tea"}` + "\n": `"tea" is not a known kind`,
		head + `{"kind":"exchange","end":{"how":"well"}}` + "\n":                                    `cannot end "well"`,
		head + `{"kind":"exchange","end":{"how":"done"},"chunks":[{"ms":1}]}` + "\n":                "of text, reasoning, signed and call, not 0",
		strings.Replace(head, `"version":1`, `"version":2`, 1):                                      "version 2",
		head + `{"kind":"exchange","request":{"model":{"base64":"%"}},"end":{"how":"done"}}` + "\n": "line 2",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := recording.Replay(path); !core.IsCode(err, core.CodeInvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s with %q", content, err, core.CodeInvalidRequest, want)
		}
	}
	if _, err := recording.Replay(filepath.Join(t.TempDir(), "missing")); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want %s", err, core.CodeUnavailable)
	}
}

func TestChunksCarryTheTimeSinceTheCallBegan(t *testing.T) {
	clock := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	file := record(t, func(c *recording.Config) {
		c.Now = func() time.Time {
			clock = clock.Add(10 * time.Millisecond)
			return clock
		}
	})
	if _, _, err := listen(t.Context(), file.Provider(core.ProviderOpenAI, memory.NewModel().Say("a", "b")), ask("x")); err != nil {
		t.Fatal(err)
	}
	written := content(t, file)
	for _, want := range []string{`"at":"2026-01-31T12:00:00.020Z","ms":30`, `{"ms":10,"text":"a"}`, `{"ms":20,"text":"b"}`} {
		if !strings.Contains(written, want) {
			t.Errorf("got\n%s\nwant %s", written, want)
		}
	}
}

// TestEveryFieldOfARequestIsRecorded fills every field that a request can have, so
// that one which the port gains is recorded, or this test is red.
func TestEveryFieldOfARequestIsRecorded(t *testing.T) {
	var req ai.Request
	var marks []string
	fill(t, reflect.ValueOf(&req).Elem(), &marks)
	if len(marks) < 10 {
		t.Fatalf("got %d fields with a mark, want more: the test fills nothing", len(marks))
	}
	file := record(t, func(c *recording.Config) { c.Images = true })
	if _, _, err := listen(t.Context(), file.Provider(core.ProviderOpenAI, memory.NewModel().Say("ok")), req); err != nil {
		t.Fatal(err)
	}
	written := content(t, file)
	for _, mark := range marks {
		if !strings.Contains(written, mark) {
			t.Errorf("a field with the value %s is not in\n%s", mark, written)
		}
	}
}

// fill gives every field a value of its own and collects how the file shows it.
func fill(t *testing.T, value reflect.Value, marks *[]string) {
	t.Helper()
	number := 7001 + len(*marks)
	name := "mark-" + string(rune('A'+len(*marks)%26)) + strings.Repeat("x", len(*marks)/26)
	switch {
	case value.Type() == reflect.TypeFor[json.RawMessage]():
		value.SetBytes([]byte(`"` + name + `"`))
		*marks = append(*marks, name)
	case value.Type() == reflect.TypeFor[[]byte]():
		value.SetBytes([]byte("\x00\x10\x83")) // "ABCD" in base64
		*marks = append(*marks, `"ABCD"`)
	case value.Kind() == reflect.String:
		value.SetString(name)
		*marks = append(*marks, name)
	case value.CanInt():
		value.SetInt(int64(number))
		shown, _ := json.Marshal(number)
		*marks = append(*marks, string(shown))
	case value.Kind() == reflect.Bool:
		value.SetBool(true)
		*marks = append(*marks, "true")
	case value.Kind() == reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(t, value.Index(0), marks)
	case value.Kind() == reflect.Struct:
		for i := range value.NumField() {
			fill(t, value.Field(i), marks)
		}
	default:
		t.Fatalf("the test cannot fill a %s", value.Type())
	}
}

// FuzzReplay checks that the reader refuses invalid recordings and accepts valid ones
// without a panic.
func FuzzReplay(f *testing.F) {
	f.Add([]byte("{\"kind\":\"recording\",\"version\":1,\"at\":\"2026-01-01T00:00:00.000Z\"}\n" +
		"{\"kind\":\"exchange\",\"request\":{\"messages\":[{\"role\":\"user\",\"text\":{\"base64\":\"/w==\"}}]},\"chunks\":[{\"ms\":1,\"text\":\"a\"}],\"end\":{\"how\":\"done\"}}\n"))
	f.Add([]byte("{\"kind\":\"recording\",\"version\":1}\n{\"kind\":\"full\"}\n"))
	f.Add([]byte("{\"kind\":"))
	path := filepath.Join(f.TempDir(), "fuzz.jsonl")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		replayer, err := recording.Replay(path)
		if err != nil {
			if code := core.CodeOf(err); code != core.CodeInvalidRequest {
				t.Errorf("got %v, want %s", err, core.CodeInvalidRequest)
			}
			return
		}
		ctx, leave := context.WithCancel(t.Context())
		_, _, _ = listen(impatientContext{ctx, leave}, replayer, ask("x"))
		if _, err := replayer.Models(t.Context()); err != nil {
			t.Errorf("models: got %v, want a list", err)
		}
	})
}
