package bootstrap

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/anthropic"
	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/adapters/ollama"
	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/adapters/recording"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/netguard"
)

// Vendors makes providers of every kind. What users configure is reached through
// the guarded client, what the operator configured through a plain one.
type Vendors struct {
	guard   netguard.Guard
	trusted *http.Client
}

var _ ai.Factory = (*Vendors)(nil)

// NewVendors returns the factory.
func NewVendors(guard netguard.Guard) *Vendors {
	return &Vendors{guard: guard, trusted: &http.Client{
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Open implements ai.Factory.
func (v *Vendors) Open(settings ai.Settings) (ai.Provider, error) {
	client := v.trusted
	if !settings.Trusted {
		client = v.guard.Client()
	}
	switch settings.Kind {
	case core.ProviderOllama:
		return ollama.New(client, settings)
	case core.ProviderOpenAI:
		return openai.New(client, settings)
	case core.ProviderAnthropic:
		return anthropic.New(client, settings)
	case core.ProviderDemo:
		return demo.New(), nil
	}
	return nil, core.Errorf(core.CodeValidationFailed, "there is no AI provider of the kind %q", settings.Kind)
}

// Models makes providers of every kind, recorded where the settings ask for it. The
// function that it returns ends the recording.
func Models(s Settings, guard netguard.Guard, now func() time.Time, log *slog.Logger) (ai.Factory, func(), error) {
	return recorded(NewVendors(guard), s.Recording, now, log)
}

// recorded records what the factory's providers are asked and answer, which is
// said loudly, because it is people's prompts and files.
func recorded(factory ai.Factory, s RecordingSettings, now func() time.Time, log *slog.Logger) (ai.Factory, func(), error) {
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
