package models_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
)

// office is a workspace with an admin, a member, and models of two vendors.
type office struct {
	*models.Providers
	store         *memory.Store
	factory       *memory.Factory
	workspace     core.ID
	admin, member core.Actor
	ollama        *memory.Model
	hosted        *memory.Model
}

func newOffice(t *testing.T, platform models.Platform) *office {
	t.Helper()
	return newOfficeOver(t, platform, func(s storage.Store) storage.Store { return s })
}

// newOfficeOver returns an office whose models use what front makes of the store.
func newOfficeOver(t *testing.T, platform models.Platform, front func(storage.Store) storage.Store) *office {
	t.Helper()
	o := &office{
		store: memory.NewStore(), workspace: core.NewID(),
		admin: core.Actor{UserID: core.NewID()}, member: core.Actor{UserID: core.NewID()},
		ollama: memory.NewModel(core.Model{ID: "small"}, core.Model{ID: "llama", Abilities: core.Abilities{Tools: true, ContextTokens: 8192}}),
		hosted: memory.NewModel(core.Model{ID: "gpt-4o"}),
	}
	t.Cleanup(func() { o.Close() })
	tables := o.store.Tables()
	must(t, tables.Workspaces.Create(t.Context(), core.Workspace{ID: o.workspace, Name: "w", Slug: "w"}))
	for actor, role := range map[core.ID]core.Role{o.admin.UserID: core.RoleAdmin, o.member.UserID: core.RoleMember} {
		must(t, tables.Users.Create(t.Context(), core.User{ID: actor, Email: string(actor) + "@example.com"}))
		must(t, tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: o.workspace, UserID: actor, Role: role}))
	}
	o.factory = memory.NewFactory(map[core.ProviderKind]ai.Provider{
		core.ProviderOllama: o.ollama, core.ProviderOpenAI: o.hosted, core.ProviderDemo: memory.NewModel(core.Model{ID: "demo"}),
	})
	gate := access.NewGate(o.store)
	o.Providers = models.NewProviders(models.Deps{
		Store: front(o.store), Gate: gate, Audit: audit.New(audit.Deps{Store: o.store, Gate: gate, Now: time.Now, Log: slog.New(slog.DiscardHandler)}), Sealer: memory.NewSealer(), Guard: memory.NewGuard(),
		Factory: o.factory, Platform: platform, Now: time.Now,
	})
	return o
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func input(kind core.ProviderKind, name, key string) models.ProviderInput {
	return models.ProviderInput{Kind: kind, Name: &name, APIKey: &key}
}

const key = "sk-0123456789abcdef0123456789abcdef"

func TestAKeyIsSealedAndNeverGivenBack(t *testing.T) {
	o := newOffice(t, models.Platform{})
	created, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOpenAI, "Hosted", key))
	must(t, err)
	if !created.HasKey || created.KeyHint == nil || *created.KeyHint != "…cdef" || !created.IsDefault {
		t.Fatalf("got %+v, want a hint, and the first provider as the default", created)
	}
	stored, err := o.store.Tables().Providers.ByID(t.Context(), created.ID)
	must(t, err)
	if len(stored.SealedKey) == 0 || strings.Contains(string(stored.SealedKey), "0123456789") {
		t.Fatal("the stored key is not sealed")
	}
	if _, err := o.Choose(t.Context(), o.workspace, ""); err != nil {
		t.Fatal(err)
	}
	if opened := o.factory.Opened(); opened[len(opened)-1].Key != key || opened[len(opened)-1].Trusted {
		t.Fatalf("got %+v, want the key, on the guarded way", opened[len(opened)-1])
	}
}

func TestAnOllamaWithoutAnAddressIsTheOperators(t *testing.T) {
	o := newOffice(t, models.Platform{OllamaHost: "http://127.0.0.1:11434"})
	name := "Ours"
	created, err := o.Create(t.Context(), o.admin, o.workspace, models.ProviderInput{Kind: core.ProviderOllama, Name: &name})
	must(t, err)
	if _, err := o.Choose(t.Context(), o.workspace, ""); err != nil {
		t.Fatal(err)
	}
	want := ai.Settings{Kind: core.ProviderOllama, BaseURL: "http://127.0.0.1:11434", Trusted: true}
	if opened := o.factory.Opened(); opened[len(opened)-1] != want || created.BaseURL != nil {
		t.Fatalf("got %+v, want %+v, and no address shown", opened[len(opened)-1], want)
	}
	elsewhere := "https://ollama.example.com"
	_, err = o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{BaseURL: &elsewhere})
	must(t, err)
	if _, err := o.Choose(t.Context(), o.workspace, ""); err != nil {
		t.Fatal(err)
	}
	if opened := o.factory.Opened(); opened[len(opened)-1].Trusted {
		t.Fatalf("got %+v, want an address of people's own on the guarded way", opened[len(opened)-1])
	}
}

func TestANewAddressWithoutAKeyDropsTheStoredKey(t *testing.T) {
	o := newOffice(t, models.Platform{})
	created, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOpenAI, "Hosted", key))
	must(t, err)
	other := "https://other.example.com/v1"
	changed, err := o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{BaseURL: &other})
	if err != nil || changed.HasKey || changed.KeyHint != nil {
		t.Fatalf("got %+v, %v, want no key for the new address", changed, err)
	}
	again := "sk-another-key-of-some-length"
	third := "https://third.example.com/v1"
	changed, err = o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{BaseURL: &third, APIKey: &again})
	if err != nil || !changed.HasKey {
		t.Fatalf("got %+v, %v, want the key that came with the address", changed, err)
	}
	changed, err = o.Update(t.Context(), o.admin, o.workspace, created.ID, models.ProviderInput{BaseURL: &third})
	if err != nil || !changed.HasKey {
		t.Fatalf("got %+v, %v, want the key kept for the same address", changed, err)
	}
}

func TestProvidersRefuseWhatCannotWork(t *testing.T) {
	o := newOffice(t, models.Platform{})
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		by    core.Actor
		input models.ProviderInput
		want  core.Code
	}{
		"a member":            {o.member, input(core.ProviderOpenAI, "x", key), core.CodeForbidden},
		"a stranger":          {core.Actor{UserID: core.NewID()}, input(core.ProviderOpenAI, "x", key), core.CodeNotFound},
		"no name":             {o.admin, models.ProviderInput{Kind: core.ProviderDemo}, core.CodeValidationFailed},
		"empty name":          {o.admin, input(core.ProviderDemo, " ", ""), core.CodeValidationFailed},
		"metadata address":    {o.admin, models.ProviderInput{Kind: core.ProviderOpenAI, Name: text("x"), BaseURL: text("http://169.254.169.254/")}, core.CodeForbiddenAddress},
		"no address":          {o.admin, models.ProviderInput{Kind: core.ProviderOpenAI, Name: text("x"), BaseURL: text("::::")}, core.CodeValidationFailed},
		"key with newline":    {o.admin, input(core.ProviderOpenAI, "x", "a\nb"), core.CodeValidationFailed},
		"key too long":        {o.admin, input(core.ProviderOpenAI, "x", strings.Repeat("k", 5000)), core.CodeValidationFailed},
		"model too long":      {o.admin, models.ProviderInput{Kind: core.ProviderDemo, Name: text("x"), DefaultModel: text(strings.Repeat("m", 201))}, core.CodeValidationFailed},
		"token without scope": {core.Actor{UserID: o.admin.UserID, Token: true, Scopes: []core.Scope{core.ScopeWorkspacesRead}}, input(core.ProviderDemo, "x", ""), core.CodeInsufficientScope},
	} {
		if _, err := o.Create(t.Context(), c.by, o.workspace, c.input); !core.IsCode(err, c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if items, err := o.List(t.Context(), o.member, o.workspace); err != nil || len(items) != 0 {
		t.Fatalf("got %v, %v, want nothing stored", items, err)
	}
}

func TestAProviderOfAnotherWorkspaceIsNotFound(t *testing.T) {
	o := newOffice(t, models.Platform{})
	created, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOpenAI, "Hosted", key))
	must(t, err)
	other := core.NewID()
	must(t, o.store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: other, Name: "o", Slug: "o"}))
	must(t, o.store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: other, UserID: o.admin.UserID, Role: core.RoleOwner}))
	if _, err := o.Update(t.Context(), o.admin, other, created.ID, models.ProviderInput{}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
	if err := o.Delete(t.Context(), o.admin, other, created.ID); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
	if choice, err := o.Choose(t.Context(), other, string(created.ID)+"/gpt-4o"); !core.IsCode(err, core.CodeNoProvider) {
		t.Errorf("got %+v, %v, want no_provider: another workspace's provider is out of reach", choice, err)
	}
}

func TestChooseFollowsTheContract(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: core.ProviderDemo})
	choice, err := o.Choose(t.Context(), o.workspace, "")
	if err != nil || choice.Kind != core.ProviderDemo {
		t.Fatalf("got %+v, %v, want the platform's", choice, err)
	}
	first, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOpenAI, "Hosted", key))
	must(t, err)
	local, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOllama, "Local", ""))
	must(t, err)
	for wanted, want := range map[string]struct {
		kind  core.ProviderKind
		model string
	}{
		"":                               {core.ProviderOpenAI, "gpt-4o"},
		"gpt-4.1":                        {core.ProviderOpenAI, "gpt-4.1"},
		"vendor/model":                   {core.ProviderOpenAI, "vendor/model"},
		string(local.ID) + "/":           {core.ProviderOllama, "llama"},
		string(local.ID) + "/small":      {core.ProviderOllama, "small"},
		string(first.ID) + "/meta/llama": {core.ProviderOpenAI, "meta/llama"},
	} {
		choice, err := o.Choose(t.Context(), o.workspace, wanted)
		if err != nil || choice.Kind != want.kind || choice.Model != want.model {
			t.Errorf("%q: got %s %s, %v, want %+v", wanted, choice.Kind, choice.Model, err, want)
		}
	}
	choice, err = o.Choose(t.Context(), o.workspace, string(local.ID)+"/llama")
	if err != nil || choice.ContextTokens != 8192 {
		t.Errorf("got the window %d, %v, want Ollama's own", choice.ContextTokens, err)
	}
}

func TestAutoIsOllamaWhenItAnswersElseTheDemo(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: models.PlatformAuto, OllamaHost: "http://127.0.0.1:11434"})
	choice, err := o.Choose(t.Context(), o.workspace, "")
	if err != nil || choice.Kind != core.ProviderOllama || choice.Model != "llama" {
		t.Fatalf("got %+v, %v, want the Ollama model that can call tools", choice, err)
	}
	if opened := o.factory.Opened(); !opened[0].Trusted || opened[0].BaseURL != "http://127.0.0.1:11434" {
		t.Fatalf("got %+v, want the operator's address, trusted", opened[0])
	}
	o.Factory = memory.NewFactory(map[core.ProviderKind]ai.Provider{
		core.ProviderOllama: memory.NewModel(), core.ProviderDemo: memory.NewModel(core.Model{ID: "demo"}),
	})
	quiet := models.NewProviders(o.Deps)
	if choice, err := quiet.Choose(t.Context(), o.workspace, ""); err != nil || choice.Kind != core.ProviderDemo {
		t.Fatalf("got %+v, %v, want the demo", choice, err)
	}
	if kind := quiet.DefaultKind(t.Context(), nil); kind != core.ProviderDemo {
		t.Errorf("got %q, want the demo to be named", kind)
	}
}

func TestTheKindThatAnswers(t *testing.T) {
	own := []core.Provider{{Kind: core.ProviderOpenAI}, {Kind: core.ProviderAnthropic, IsDefault: true}}
	for _, test := range []struct {
		platform  core.ProviderKind
		providers []core.Provider
		want      core.ProviderKind
	}{
		{"", nil, ""},
		{"", own, core.ProviderAnthropic},
		{core.ProviderDemo, own, core.ProviderAnthropic},
		{core.ProviderDemo, own[:1], core.ProviderDemo},
		{models.PlatformAuto, nil, core.ProviderOllama},
	} {
		o := newOffice(t, models.Platform{Kind: test.platform})
		if got := o.DefaultKind(t.Context(), test.providers); got != test.want {
			t.Errorf("%q with %d of its own: got %q, want %q", test.platform, len(test.providers), got, test.want)
		}
	}
}

// TestAutoDecidesOnce: the provider that answered first is used for the life of the
// process, and one that starts later does not replace it.
func TestAutoDecidesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, models.Platform{Kind: models.PlatformAuto})
		o.Decide(t.Context())
		silent := memory.NewFactory(map[core.ProviderKind]ai.Provider{
			core.ProviderOllama: memory.NewModel(), core.ProviderDemo: memory.NewModel(core.Model{ID: "demo"}),
		})
		answering := o.Factory
		o.Factory = silent
		time.Sleep(time.Hour)
		_, err := o.Choose(t.Context(), o.workspace, "")
		if !core.IsCode(err, core.CodeModelUnavailable) {
			t.Errorf("got %v, want model_unavailable while Ollama is gone", err)
		}
		later := models.NewProviders(o.Deps)
		defer later.Close()
		later.Decide(t.Context())
		later.Factory = answering
		time.Sleep(time.Hour)
		choice, err := later.Choose(t.Context(), o.workspace, "")
		if err != nil || choice.Kind != core.ProviderDemo || !choice.Fallback {
			t.Errorf("got %s (fallback %v), %v, want the demo to stay", choice.Kind, choice.Fallback, err)
		}
	})
}

func TestATestIsAResultAndStoresCapabilities(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.mind(core.ProviderOllama, &mind{Model: o.ollama, native: true, schema: true})
	local, err := o.Create(t.Context(), o.admin, o.workspace, input(core.ProviderOllama, "Local", ""))
	must(t, err)
	result, err := o.Test(t.Context(), o.admin, o.workspace, local.ID)
	want := core.ProviderCapabilities{Abilities: core.Abilities{ContextTokens: 8192, Tools: true}, Schema: true, Dialect: core.DialectNative}
	if err != nil || !result.OK || result.Capabilities == nil || *result.Capabilities != want {
		t.Fatalf("got %+v, %v, want the default model's capabilities", result, err)
	}
	items, err := o.List(t.Context(), o.member, o.workspace)
	if err != nil || items[0].Capabilities == nil || *items[0].Capabilities != want {
		t.Fatalf("got %+v, %v, want the capabilities stored", items, err)
	}
	missing := "no-such-model"
	_, err = o.Update(t.Context(), o.admin, o.workspace, local.ID, models.ProviderInput{DefaultModel: &missing})
	must(t, err)
	result, err = o.Test(t.Context(), o.admin, o.workspace, local.ID)
	if err != nil || result.OK || result.Error != core.CodeModelUnavailable {
		t.Fatalf("got %+v, %v, want a result that says the model is missing", result, err)
	}
}
