package models_test

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
)

// loader is a server that gives its model a window when it loads it: the one that a call asks for, else its
// own. Without one of its own it changes nothing.
type loader struct {
	mind
	window ai.Window
	own    int
	err    error
	loads  int

	mutex sync.Mutex
}

func (l *loader) Window(context.Context, string) (ai.Window, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.window, l.err
}

func (l *loader) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	l.mutex.Lock()
	if l.own > 0 {
		l.window.Loaded = cmp.Or(req.ContextTokens, l.own)
	}
	l.mutex.Unlock()
	return l.mind.Generate(ctx, req, emit)
}

// Load implements ai.Loader.
func (l *loader) Load(context.Context, string) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.loads++
	l.window.Loaded = l.own
	return l.err
}

// asked are the windows that calls asked for.
func (l *loader) asked() (all []int) {
	for _, request := range l.heard() {
		all = append(all, request.ContextTokens)
	}
	return all
}

func newLoader(window ai.Window, own int) *loader {
	l := &loader{window: window, own: own}
	l.mind = mind{native: true, schema: true, Model: memory.NewModel(core.Model{ID: "llama", Abilities: core.Abilities{Tools: true, ContextTokens: window.Model}})}
	return l
}

// TestTheWindowIsTheOneThatTheServerHas: what is in its memory, else what it gives by itself, at least
// 16,384, at most what the model can have. The provider's setting comes first.
func TestTheWindowIsTheOneThatTheServerHas(t *testing.T) {
	for _, row := range []struct {
		name    string
		told    ai.Window
		setting int
		want    int
		asks    bool
	}{
		{"nothing known", ai.Window{Model: 262_144}, 0, 16_384, true},
		{"nothing known of the model either", ai.Window{}, 0, 16_384, true},
		{"a small model", ai.Window{Model: 2048}, 0, 2048, true},
		{"loaded with a large one", ai.Window{Model: 262_144, Loaded: 65_536}, 0, 65_536, true},
		{"loaded with a small one", ai.Window{Model: 262_144, Loaded: 4096}, 0, 16_384, true},
		{"the server's own", ai.Window{Model: 262_144, Server: 40_960}, 0, 40_960, false},
		{"the server's own is small", ai.Window{Model: 262_144, Server: 4096}, 0, 16_384, true},
		{"the server's own is larger than the model's", ai.Window{Model: 32_768, Server: 262_144}, 0, 32_768, false},
		{"in the cloud", ai.Window{Model: 262_144, Fixed: true}, 0, 262_144, false},
		{"in the cloud, with a setting", ai.Window{Model: 262_144, Fixed: true}, 65_536, 65_536, false},
		{"a setting", ai.Window{Model: 262_144, Loaded: 4096, Server: 40_960}, 131_072, 131_072, true},
		{"a setting beyond the model's", ai.Window{Model: 32_768}, 131_072, 32_768, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := newOffice(t, models.Platform{})
			server := newLoader(row.told, 0)
			o.mind(core.ProviderOllama, server)
			name, wanted := "Local", &row.setting
			if row.setting == 0 {
				wanted = nil
			}
			created, err := o.Create(t.Context(), o.admin, o.workspace, models.ProviderInput{Kind: core.ProviderOllama, Name: &name, ContextTokens: &wanted})
			must(t, err)
			choice, err := o.Choose(t.Context(), o.workspace, string(created.ID)+"/llama")
			if err != nil || choice.ContextTokens != row.want || choice.SetsWindow != row.asks {
				t.Errorf("got %d, asked %v, %v, want %d, asked %v", choice.ContextTokens, choice.SetsWindow, err, row.want, row.asks)
			}
		})
	}
}

// TestWhatTheServerGivesIsLearnt by loading the model without asking for a window, where it is not in
// memory: for a message to the operator's Ollama, and for a probe.
func TestWhatTheServerGivesIsLearnt(t *testing.T) {
	for _, row := range []struct{ own, want int }{{131_072, 131_072}, {4096, 16_384}} {
		o := newOffice(t, models.Platform{Kind: core.ProviderOllama})
		server := newLoader(ai.Window{Model: 262_144, Observed: true}, row.own)
		o.mind(core.ProviderOllama, server)
		for i := range 3 {
			loads := i + 1 // The model has to be loaded for the message in any case.
			if row.own < row.want {
				loads = 1 // It would be loaded twice for each.
			}
			choice, err := o.Choose(t.Context(), o.workspace, "llama")
			if err != nil || choice.ContextTokens != row.want || !choice.SetsWindow || server.loads != loads {
				t.Errorf("message %d of %d: got %d, asked %v, %v after %d loads, want %d after %d", i, row.own, choice.ContextTokens, choice.SetsWindow, err, server.loads, row.want, loads)
			}
			server.window.Loaded = 0 // It has left the memory.
		}
		name, model := "Local", "llama"
		created, err := o.Create(t.Context(), o.admin, o.workspace, models.ProviderInput{Kind: core.ProviderOllama, Name: &name, DefaultModel: &model})
		must(t, err)
		result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
		must(t, err)
		if got := result.Capabilities; got == nil || got.ContextTokens != row.want {
			t.Errorf("got %+v, want the window %d", got, row.want)
		}
	}
}

// TestAModelThatCannotBeLoadedIsNotLoadedAgainAtOnce.
func TestAModelThatCannotBeLoadedIsNotLoadedAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{Kind: core.ProviderOllama})
		server := newLoader(ai.Window{Model: 262_144, Observed: true}, 0)
		o.mind(core.ProviderOllama, server)
		for range 3 {
			if choice, err := o.Choose(t.Context(), o.workspace, "llama"); err != nil || choice.ContextTokens != 16_384 || !choice.SetsWindow {
				t.Errorf("got %d, %v, %v, want the least window", choice.ContextTokens, choice.SetsWindow, err)
			}
		}
		if server.loads != 1 {
			t.Errorf("got %d loads, want one", server.loads)
		}
		time.Sleep(time.Hour)
		if _, err := o.Choose(t.Context(), o.workspace, "llama"); err != nil || server.loads != 2 {
			t.Errorf("got %d loads, %v, want another later", server.loads, err)
		}
	})
}

// TestAServerThatTellsNoWindow fails the call itself, if it must.
func TestAServerThatTellsNoWindow(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: core.ProviderOllama})
	server := newLoader(ai.Window{Model: 8192}, 0)
	server.err = core.Errorf(core.CodeModelUnavailable, "gone")
	o.mind(core.ProviderOllama, server)
	choice, err := models.NewProviders(o.Deps).Choose(t.Context(), o.workspace, "llama")
	if err != nil || choice.ContextTokens != 8192 || !choice.SetsWindow {
		t.Errorf("got %d, %v, %v, want the window of the list", choice.ContextTokens, choice.SetsWindow, err)
	}
}

// TestAModelOutsideTheGraphicsMemoryIsReported in the test's result, and once in the log.
func TestAModelOutsideTheGraphicsMemoryIsReported(t *testing.T) {
	o := newOffice(t, models.Platform{})
	server := newLoader(ai.Window{Model: 262_144, Spilled: true}, 32_768)
	o.mind(core.ProviderOllama, server)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	name, model := "Local", "llama"
	created, err := o.Create(t.Context(), o.admin, o.workspace, models.ProviderInput{Kind: core.ProviderOllama, Name: &name, DefaultModel: &model})
	must(t, err)
	result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
	must(t, err)
	if !result.OK || !strings.Contains(result.Warning, "memory of the graphics processor") {
		t.Errorf("got %+v, want a warning", result)
	}
	for range 2 {
		if _, err := o.Choose(t.Context(), o.workspace, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "model=llama") {
		t.Errorf("got %q, want one warning that names the model", log.String())
	}
}

// TestTheContextOfAProvider is bounded, read again by a new probe, and removed by null.
func TestTheContextOfAProvider(t *testing.T) {
	o := newOffice(t, models.Platform{})
	server := newLoader(ai.Window{Model: 262_144}, 4096)
	o.mind(core.ProviderOllama, server)
	name, model := "Local", "llama"
	created, err := o.Create(t.Context(), o.admin, o.workspace, models.ProviderInput{Kind: core.ProviderOllama, Name: &name, DefaultModel: &model})
	must(t, err)
	_, err = o.Test(t.Context(), o.admin, o.workspace, created.ID) // The probe of before is over then.
	must(t, err)
	context := func(tokens int) **int { p := &tokens; return &p }
	for _, tokens := range []int{-1, 0, 2047, 10_000_001} {
		if _, err := o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{ContextTokens: context(tokens)}); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "contextTokens") {
			t.Errorf("%d: got %v, want it refused by name", tokens, err)
		}
	}
	updated, err := o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{ContextTokens: context(65_536)})
	if err != nil || updated.ContextTokens == nil || *updated.ContextTokens != 65_536 || updated.Capabilities != nil {
		t.Fatalf("got %+v, %v, want the setting, and a new probe", updated, err)
	}
	result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
	if asked := server.asked(); err != nil || result.Capabilities.ContextTokens != 65_536 || asked[len(asked)-1] != 65_536 {
		t.Errorf("got %+v, %v after %v, want the setting asked for", result.Capabilities, err, asked)
	}
	updated, err = o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{ContextTokens: new(*int)})
	if err != nil || updated.ContextTokens != nil {
		t.Errorf("got %+v, %v, want none", updated.ContextTokens, err)
	}
}

// TestAWindowThatTheListLacksIsAskedFor at compatible servers, of a model that the server has loaded, and not with
// each message. Requests do not ask the server for it.
func TestAWindowThatTheListLacksIsAskedFor(t *testing.T) {
	for _, row := range []struct {
		name          string
		told          ai.Window
		setting, want int
	}{
		{"loaded", ai.Window{Model: 262_144, Loaded: 4096}, 0, 4096},
		{"by the server's list", ai.Window{Server: 40_960}, 0, 40_960},
		{"not loaded", ai.Window{Model: 262_144}, 0, 0},
		{"loaded, with a smaller setting", ai.Window{Loaded: 40_960}, 8192, 8192},
		{"unknown, with a setting", ai.Window{}, 32_768, 32_768},
	} {
		o := newOffice(t, models.Platform{})
		server := newLoader(row.told, 0)
		o.mind(core.ProviderOpenAI, server)
		made := compatible("")
		if row.setting > 0 {
			setting := &row.setting
			made.ContextTokens = &setting
		}
		created, err := o.Create(t.Context(), o.admin, o.workspace, made)
		must(t, err)
		_, err = o.Choose(t.Context(), o.workspace, string(created.ID)+"/mine") // While the first probe runs.
		must(t, err)
		_, err = o.Test(t.Context(), o.admin, o.workspace, created.ID) // The probe is over then.
		must(t, err)
		for range 2 {
			choice, err := o.Choose(t.Context(), o.workspace, string(created.ID)+"/mine")
			if err != nil || choice.ContextTokens != row.want || choice.SetsWindow {
				t.Errorf("%s: got %d, asked %v, %v, want %d", row.name, choice.ContextTokens, choice.SetsWindow, err, row.want)
			}
			server.mutex.Lock()
			server.window = ai.Window{Loaded: 1} // It is not asked again.
			server.mutex.Unlock()
		}
	}
}
