package core

import "strings"

const maxProviderKindBytes = 32

// ProviderKind names a way to reach a model.
type ProviderKind string

// The kinds of AI providers.
const (
	ProviderOllama    ProviderKind = "ollama"
	ProviderOpenAI    ProviderKind = "openai"
	ProviderAnthropic ProviderKind = "anthropic"
	// ProviderResponses is any server with OpenAI's Responses API. ProviderOpenAI uses that API
	// only at OpenAI and Azure, and chat completions elsewhere.
	ProviderResponses ProviderKind = "responses"
	// ProviderDemo is a script, not a model.
	ProviderDemo ProviderKind = "demo"
)

// ParseProviderKind returns CodeValidationFailed for a word that no kind can have. A kind
// is 1 to 32 characters of a-z, 0-9 and "-"; ai.Factory knows which kinds exist.
func ParseProviderKind(text string) (ProviderKind, error) {
	foreign := func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') }
	if text == "" || len(text) > maxProviderKindBytes || strings.ContainsFunc(text, foreign) {
		return "", Errorf(CodeValidationFailed, "kind must be 1 to %d characters of a-z, 0-9 and -", maxProviderKindBytes)
	}
	return ProviderKind(text), nil
}

// Provider is a workspace's own access to a model. Its key is sealed and never
// leaves the service.
type Provider struct {
	ID           ID           `json:"id"`
	Kind         ProviderKind `json:"kind"`
	Name         string       `json:"name"`
	BaseURL      *string      `json:"baseUrl"`
	DefaultModel *string      `json:"defaultModel"`
	// ContextTokens is the window of the provider's models, of which none gets more than its own; nil
	// leaves it to Atelier.
	ContextTokens *int `json:"contextTokens"`
	IsDefault     bool `json:"isDefault"`
	HasKey        bool `json:"hasKey"`
	// KeyHint is the end of the key, enough to distinguish two keys; nil without a key.
	KeyHint      *string               `json:"keyHint"`
	Capabilities *ProviderCapabilities `json:"capabilities"`
	CreatedAt    Time                  `json:"createdAt"`
	UpdatedAt    Time                  `json:"updatedAt"`

	WorkspaceID ID     `json:"-"`
	SealedKey   []byte `json:"-"`
}

// PlatformProvider is the installation's own access to a model, for all workspaces. The
// operator pays for it. Its WorkspaceID is "".
type PlatformProvider struct {
	Provider
	// Enabled says that messages may use it. One that is switched off keeps its key.
	Enabled bool `json:"enabled"`
}

// Dialect is how a model is asked to call tools.
type Dialect string

// The dialects. DialectNative is the vendor's own tool calling, DialectTagged text
// with tags around the calls, for models without it.
const (
	DialectNative Dialect = "native"
	DialectTagged Dialect = "tagged"
)

// Abilities are a provider's report about a model.
type Abilities struct {
	// ContextTokens is 0 if the provider does not report it.
	ContextTokens int `json:"contextTokens"`
	// Tools says that the model calls tools natively.
	Tools    bool `json:"tools"`
	Vision   bool `json:"vision"`
	Thinking bool `json:"thinking"`
}

// ProviderCapabilities are the facts about a provider's model: from a probe for its
// default model, from the provider's report for others.
type ProviderCapabilities struct {
	Abilities
	// Schema says that the model answers in a given JSON schema.
	Schema bool `json:"schema"`
	// Dialect is "" in records from before there were dialects; it is then probed again.
	Dialect Dialect `json:"dialect"`
}

// Model is one that a provider offers.
type Model struct {
	ID string `json:"id"`
	Abilities
}

// Usage is the use of one model call, in tokens, and the pictures that it painted.
type Usage struct {
	// InputTokens is the whole prompt. CachedTokens of it were read from the vendor's
	// prompt cache and WrittenTokens stored there, which have prices of their own.
	InputTokens   int64
	CachedTokens  int64
	WrittenTokens int64
	OutputTokens  int64
	Images        int64
}

// Plus returns the sum of two uses.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens + other.InputTokens, CachedTokens: u.CachedTokens + other.CachedTokens,
		WrittenTokens: u.WrittenTokens + other.WrittenTokens, OutputTokens: u.OutputTokens + other.OutputTokens,
		Images: u.Images + other.Images,
	}
}

// UsageRow sums a workspace's use of a model on a day, which is written
// 2006-01-02 in UTC. CachedTokens of InputTokens were read from the vendor's prompt
// cache. Cost is in USD.
type UsageRow struct {
	Day          string  `json:"day"`
	Model        string  `json:"model"`
	InputTokens  int64   `json:"inputTokens"`
	CachedTokens int64   `json:"cachedTokens"`
	OutputTokens int64   `json:"outputTokens"`
	Cost         float64 `json:"cost"`
}
