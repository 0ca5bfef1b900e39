package models_test

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
)

// mind is a model that can do some things, takes its time, and counts.
type mind struct {
	*memory.Model
	native, schema bool
	// refuses says that the server refuses tools; otherwise a mind without native
	// tools ignores them.
	refuses bool
	// takes is how long each call lasts.
	takes time.Duration
	fail  error

	mu    sync.Mutex
	calls []ai.Request
}

func (m *mind) heard() []ai.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

var (
	codeWord  = regexp.MustCompile(`code-[0-9a-f]+`)
	tagNumber = regexp.MustCompile(`<call-([0-9a-f]+) `)
)

// Generate implements ai.Provider.
func (m *mind) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	m.mu.Lock()
	m.calls = append(m.calls, req)
	m.mu.Unlock()
	used := core.Usage{InputTokens: 1000, OutputTokens: 100}
	select {
	case <-time.After(m.takes):
	case <-ctx.Done():
		return used, ctx.Err()
	}
	code := codeWord.FindString(req.Messages[0].Text)
	tag := tagNumber.FindStringSubmatch(req.System)
	switch {
	case m.fail != nil:
		return core.Usage{}, m.fail
	case len(req.Tools) > 0 && m.native:
		return used, emit(ai.Chunk{Call: &ai.Call{ID: "1", Tool: req.Tools[0].Name, Args: []byte(`{"code":"` + code + `"}`)}})
	case len(req.Tools) > 0 && m.refuses:
		return core.Usage{}, &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "no tools here"), NoTools: true}
	case req.Schema != nil && m.schema:
		return used, emit(ai.Chunk{Text: `{"nonce":"` + code + `"}`})
	case tag != nil && !m.native:
		text := strings.NewReplacer("N", tag[1], "CODE", code).Replace(`<call-N tool="report"><arg-N name="code">CODE</arg-N></call-N>`)
		return used, emit(ai.Chunk{Text: text})
	}
	return used, emit(ai.Chunk{Text: "Hello."})
}

// mind puts a model behind a kind of provider.
func (o *office) mind(kind core.ProviderKind, m ai.Provider) {
	providers := maps.Clone(map[core.ProviderKind]ai.Provider{
		core.ProviderOllama: o.ollama, core.ProviderOpenAI: o.hosted, core.ProviderDemo: memory.NewModel(core.Model{ID: "demo"}),
	})
	providers[kind] = m
	o.Factory = memory.NewFactory(providers)
}

// compatible is a server of OpenAI's protocol that is not OpenAI's.
func compatible(model string) models.ProviderInput {
	name, base := "Compatible", "https://models.example.com/v1"
	return models.ProviderInput{Kind: core.ProviderOpenAI, Name: &name, BaseURL: &base, DefaultModel: &model}
}

func hostedMind(m *mind) *mind {
	m.Model = memory.NewModel(core.Model{ID: "gpt-4o", Abilities: core.Abilities{Tools: true, Vision: true}}, core.Model{ID: "other"})
	return m
}

// stored returns the stored record of the only provider.
func (o *office) stored(t *testing.T) core.Provider {
	t.Helper()
	items, err := o.List(t.Context(), o.member, o.workspace)
	must(t, err)
	return items[0]
}

func TestAddingAProviderDoesNotWaitForItsProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{})
		model := hostedMind(&mind{schema: true, takes: 5 * time.Second})
		o.mind(core.ProviderOpenAI, model)
		start := time.Now()
		created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		if time.Since(start) > 0 || created.Capabilities != nil {
			t.Errorf("got %+v after %v, want it at once, with nothing known", created.Capabilities, time.Since(start))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		want := core.ProviderCapabilities{Abilities: core.Abilities{Vision: true}, Schema: true, Dialect: core.DialectTagged}
		if got := o.stored(t).Capabilities; got == nil || *got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if n := len(model.heard()); n > 4 {
			t.Errorf("got %d model calls, want at most 4", n)
		}
	})
}

func TestAProviderThatReachesAnotherModelIsProbedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{})
		model := hostedMind(&mind{native: true})
		o.mind(core.ProviderOpenAI, model)
		created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		synctest.Wait()
		text := func(s string) *string { return &s }
		for name, c := range map[string]struct {
			input models.ProviderInput
			anew  bool
		}{
			"a name":    {models.ProviderInput{Name: text("Other")}, false},
			"a key":     {models.ProviderInput{APIKey: text(key)}, true},
			"a model":   {models.ProviderInput{DefaultModel: text("other")}, true},
			"no model":  {models.ProviderInput{DefaultModel: text("")}, true},
			"a default": {models.ProviderInput{IsDefault: new(bool)}, false},
		} {
			before := len(model.heard())
			updated, err := o.Update(t.Context(), o.admin, o.workspace, created.ID, c.input)
			must(t, err)
			synctest.Wait()
			if anew := len(model.heard()) > before; anew != c.anew || (updated.Capabilities == nil) != c.anew || o.stored(t).Capabilities == nil {
				t.Errorf("%s: got it probed %v, answered with %+v, want probed %v", name, anew, updated.Capabilities, c.anew)
			}
		}
	})
}

func TestWhatAProbeFoundOfAFormerModelIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{})
		o.mind(core.ProviderOpenAI, hostedMind(&mind{native: true, takes: time.Second}))
		created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		missing := "gone"
		_, err = o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{DefaultModel: &missing})
		must(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := o.stored(t).Capabilities; got != nil {
			t.Errorf("got %+v, want nothing known of the new model", got)
		}
	})
}

func TestATestWaitsTwentySecondsAndTheProbeGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{})
		o.mind(core.ProviderOpenAI, hostedMind(&mind{native: true, takes: 25 * time.Second}))
		created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		start := time.Now()
		result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
		if err != nil || result.OK || result.Error != core.CodeModelUnavailable || time.Since(start) != 20*time.Second {
			t.Errorf("got %+v, %v after %v, want that it did not answer in time", result, err, time.Since(start))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := o.stored(t).Capabilities; got == nil || !got.Tools {
			t.Errorf("got %+v, want what the probe found in the end", got)
		}
	})
}

func TestATestSaysWhyAModelCannotBeUsed(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.mind(core.ProviderOpenAI, hostedMind(&mind{fail: &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "slow down"), Temporary: true}}))
	created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
	must(t, err)
	result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
	if err != nil || result.OK || result.Message != "slow down" || result.Capabilities != nil || o.stored(t).Capabilities != nil {
		t.Errorf("got %+v, %v, want the model's own words, and nothing stored", result, err)
	}
}

// ask makes one call with tools and returns what reached the model.
func (m *mind) ask(t *testing.T, choice chat.Choice) ai.Request {
	t.Helper()
	req := ai.Request{Tools: []ai.Tool{{Name: "report"}}, Messages: []ai.Message{{Role: ai.RoleUser, Text: "code-1"}}}
	if _, err := choice.Provider.Generate(t.Context(), req, func(ai.Chunk) error { return nil }); err != nil {
		t.Fatal(err)
	}
	heard := m.heard()
	return heard[len(heard)-1]
}

// TestATestSaysThatToolsAreEmulated: the provider is ok, and could be better.
func TestATestSaysThatToolsAreEmulated(t *testing.T) {
	for name, c := range map[string]struct {
		mind *mind
		want string
	}{
		"with tools":                {&mind{native: true}, ""},
		"whose server refuses them": {&mind{refuses: true}, "the model cannot call tools here, so the agent uses a slower way"},
		"that ignores them":         {&mind{}, "the model cannot call tools here, so the agent uses a slower way"},
	} {
		o := newOffice(t, models.Platform{})
		o.mind(core.ProviderOpenAI, hostedMind(c.mind))
		created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		got, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
		if err != nil || !got.OK || !strings.HasPrefix(got.Warning, c.want) || c.want == "" && got.Warning != "" {
			t.Errorf("a model %s: got %+v, %v, want the warning %q", name, got, err, c.want)
		}
	}
}

// TestToolsThatAProbeSawWorkAreNotTakenAway by a refusal that comes later.
func TestToolsThatAProbeSawWorkAreNotTakenAway(t *testing.T) {
	o := newOffice(t, models.Platform{})
	model := hostedMind(&mind{native: true})
	o.mind(core.ProviderOpenAI, model)
	created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
	must(t, err)
	_, err = o.Test(t.Context(), o.admin, o.workspace, created.ID)
	must(t, err)
	model.native, model.refuses = false, true
	choice, err := o.Choose(t.Context(), o.workspace, "")
	must(t, err)
	req := ai.Request{Tools: []ai.Tool{{Name: "report"}}, Messages: []ai.Message{{Role: ai.RoleUser, Text: "code-1"}}}
	if _, err := choice.Provider.Generate(t.Context(), req, func(ai.Chunk) error { return nil }); err == nil || choice.Emulated() {
		t.Errorf("got %v, emulated %v, want the refusal and native tools", err, choice.Emulated())
	}
}

func TestTheFirstRunWaitsForTheProbeAndSpeaksTheModelsDialect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{})
		model := hostedMind(&mind{takes: time.Second, schema: true})
		o.mind(core.ProviderOpenAI, model)
		_, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		choice, err := o.Choose(t.Context(), o.workspace, "")
		must(t, err)
		got := choice.Capabilities
		if choice.Model != "gpt-4o" || got.Dialect != core.DialectTagged || got.Tools || !got.Vision || !got.Schema {
			t.Errorf("got %+v, want what the probe found", choice)
		}
		if sent := model.ask(t, choice); len(sent.Tools) > 0 || !strings.Contains(sent.System, "<call-") {
			t.Errorf("got %+v, want tagged text", sent)
		}
		before := len(model.heard())
		other, err := o.Choose(t.Context(), o.workspace, "another")
		if err != nil || len(model.heard()) > before || other.Capabilities.Dialect != core.DialectNative || !other.Capabilities.Vision {
			t.Errorf("got %+v, %v, want another model to be believed to be able", other, err)
		}
	})
}

func TestAProbeThatCameToNothingIsNotMadeAgainForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{})
		model := hostedMind(&mind{fail: &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "busy"), Temporary: true}})
		o.mind(core.ProviderOpenAI, model)
		_, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		synctest.Wait()
		for _, want := range []int{1, 1, 2} {
			choice, err := o.Choose(t.Context(), o.workspace, "")
			if n := len(model.heard()); err != nil || choice.Capabilities.Dialect != core.DialectNative || n != want {
				t.Errorf("got %+v, %v and %d calls, want a native try and %d", choice, err, n, want)
			}
			time.Sleep(40 * time.Second)
		}
	})
}

func TestVendorsOwnModelsAreNotAsked(t *testing.T) {
	o := newOffice(t, models.Platform{})
	model := hostedMind(&mind{})
	o.mind(core.ProviderOpenAI, model)
	created, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOpenAI, "OpenAI", key))
	must(t, err)
	result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
	want := core.ProviderCapabilities{Abilities: core.Abilities{ContextTokens: 128_000, Tools: true, Vision: true}, Schema: true, Dialect: core.DialectNative}
	if err != nil || result.Capabilities == nil || *result.Capabilities != want || len(model.heard()) > 0 {
		t.Errorf("got %+v, %v and %d calls, want %+v without a call", result, err, len(model.heard()), want)
	}
	choice, err := o.Choose(t.Context(), o.workspace, "gpt-4.1-mini")
	if err != nil || choice.ContextTokens != 1_047_576 || !choice.Capabilities.Schema {
		t.Errorf("got %+v, %v, want the known window", choice, err)
	}
}

func TestAProbeIsPaidByTheWorkspace(t *testing.T) {
	o := newOffice(t, models.Platform{})
	model := hostedMind(&mind{native: true, schema: true})
	o.mind(core.ProviderOpenAI, model)
	created, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
	must(t, err)
	_, err = o.Test(t.Context(), o.admin, o.workspace, created.ID)
	must(t, err)
	calls := float64(len(model.heard()))
	if used, want := o.used(t), calls*(1000*2.5+100*10)/1e6; !same(used, want) {
		t.Errorf("got %v used, want %v for %v calls", used, want, calls)
	}
	o.limit(t, 0)
	result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
	if err != nil || result.Error != core.CodeCreditExhausted || float64(len(model.heard())) != calls {
		t.Errorf("got %+v, %v, want no call without credit", result, err)
	}
}

func TestThePlatformsModelIsBelievedUntilItsServerRefusesTools(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: core.ProviderOpenAI, BaseURL: "http://vllm.test/v1", Model: "m"})
	model := hostedMind(&mind{refuses: true})
	o.mind(core.ProviderOpenAI, model)
	for i, want := range []core.Dialect{core.DialectNative, core.DialectTagged} {
		choice, err := o.Choose(t.Context(), o.workspace, "")
		if before := len(model.heard()); err != nil || choice.Capabilities.Dialect != want || before != 2*i {
			t.Errorf("message %d: got %+v, %v after %d calls, want %s, and no call before the run's", i, choice, err, before, want)
		}
		if sent := model.ask(t, choice); len(sent.Tools) > 0 {
			t.Errorf("message %d: got %+v at last, want tagged text", i, sent)
		}
	}
}

func TestOllamaSaysItselfWhoseToolsAreNative(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: core.ProviderOllama})
	for wanted, want := range map[string]core.Dialect{"small": core.DialectTagged, "llama": core.DialectNative, "unlisted": core.DialectNative} {
		choice, err := o.Choose(t.Context(), o.workspace, wanted)
		if err != nil || choice.Capabilities.Dialect != want || !choice.Capabilities.Schema || choice.Model != wanted {
			t.Errorf("%s: got %+v, %v, want %s", wanted, choice, err, want)
		}
	}
	o.mind(core.ProviderOllama, memory.NewModel(core.Model{ID: "tiny:latest", Abilities: core.Abilities{ContextTokens: 2048}}))
	again := models.NewProviders(o.Deps)
	if choice, err := again.Choose(t.Context(), o.workspace, "tiny"); err != nil || choice.Model != "tiny:latest" || choice.ContextTokens != 2048 {
		t.Errorf("got %+v, %v, want the model that the short name means", choice, err)
	}
}

func TestTheDemoIsNotProbed(t *testing.T) {
	o := newOffice(t, models.Platform{})
	created, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderDemo, "Demo", ""))
	must(t, err)
	result, err := o.Test(t.Context(), o.admin, o.workspace, created.ID)
	if err != nil || !result.OK || result.Capabilities.Schema {
		t.Errorf("got %+v, %v, want fixed capabilities", result, err)
	}
}

func TestClosingEndsProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{})
		o.mind(core.ProviderOpenAI, hostedMind(&mind{takes: time.Hour}))
		_, err := o.Create(t.Context(), o.admin, o.workspace, compatible("gpt-4o"))
		must(t, err)
		start := time.Now()
		o.Close()
		if time.Since(start) > 0 {
			t.Errorf("got %v, want the probe to end at once", time.Since(start))
		}
	})
}
