package bootstrap

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/atelierhq/atelier/adapters/anthropic"
	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/adapters/ollama"
	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/adapters/recording"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/netguard"
)

// OpenProvider creates a provider of one kind from the settings of a workspace or the
// operator. It does not use the network. Addresses that users configured
// (Settings.Trusted is false) may only be reached through a netguard.Guard's client. It
// is called concurrently.
type OpenProvider func(ai.Settings) (ai.Provider, error)

// Vendors creates providers of every kind. It reaches users' addresses through the
// guarded client, the operator's through a plain one.
type Vendors struct {
	guard   netguard.Guard
	trusted *http.Client
	kinds   map[core.ProviderKind]OpenProvider
}

var _ ai.Factory = (*Vendors)(nil)

// NewVendors returns a factory of Atelier's kinds and a host's own, which take
// precedence.
func NewVendors(guard netguard.Guard, own map[core.ProviderKind]OpenProvider) *Vendors {
	v := &Vendors{guard: guard, trusted: &http.Client{
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	quirks := &openai.Quirks{}
	v.kinds = map[core.ProviderKind]OpenProvider{
		core.ProviderOllama:    func(s ai.Settings) (ai.Provider, error) { return ollama.New(v.client(s), s) },
		core.ProviderOpenAI:    func(s ai.Settings) (ai.Provider, error) { return quirks.New(v.client(s), s) },
		core.ProviderResponses: func(s ai.Settings) (ai.Provider, error) { return quirks.NewResponses(v.client(s), s) },
		core.ProviderAnthropic: func(s ai.Settings) (ai.Provider, error) { return anthropic.New(v.client(s), s) },
		core.ProviderDemo:      func(ai.Settings) (ai.Provider, error) { return demo.New(), nil },
	}
	maps.Copy(v.kinds, own)
	return v
}

func (v *Vendors) client(s ai.Settings) *http.Client {
	if s.Trusted {
		return v.trusted
	}
	return v.guard.Client()
}

// Kinds implements ai.Factory.
func (v *Vendors) Kinds() []core.ProviderKind { return slices.Sorted(maps.Keys(v.kinds)) }

// Open implements ai.Factory.
func (v *Vendors) Open(settings ai.Settings) (ai.Provider, error) {
	open, known := v.kinds[settings.Kind]
	if !known {
		return nil, core.Errorf(core.CodeValidationFailed, "there is no AI provider of the kind %q", settings.Kind)
	}
	return open(settings)
}

// Models creates the vendors' providers, recorded if the settings say so. The returned
// function ends the recording.
func Models(s settings.Settings, vendors *Vendors, now func() time.Time, log *slog.Logger) (ai.Factory, func(), error) {
	return recorded(vendors, s.Recording, now, log)
}

// recorded records the requests and answers of the factory's providers. It logs that
// prominently, because they contain people's prompts and files.
func recorded(factory ai.Factory, s settings.Recording, now func() time.Time, log *slog.Logger) (ai.Factory, func(), error) {
	if s.Dir == "" {
		return factory, func() {}, nil
	}
	file, err := recording.Create(recording.Config{Dir: s.Dir, Images: s.Images, Now: now, Log: log})
	if err != nil {
		return nil, nil, fmt.Errorf("AI_RECORD: %w", err)
	}
	log.Warn("EVERY EXCHANGE WITH AI PROVIDERS IS RECORDED (AI_RECORD): the file holds people's prompts and their projects' files, unencrypted", "file", file.Path(), "images", s.Images)
	return file.Factory(factory), func() { _ = file.Close() }, nil
}
