// Package ai is the port to language models.
package ai

import (
	"context"
	"encoding/json"

	"github.com/atelierhq/atelier/core"
)

// Provider reaches the models of one vendor or server. It may be used by many
// goroutines.
type Provider interface {
	// Generate sends req to the model and calls emit, on the calling goroutine,
	// once per chunk in the order in which the model produced them. A tool call is
	// one chunk, with its arguments whole.
	//
	// Generate stops and returns emit's error when emit fails, and ctx's error soon after
	// ctx ends; either way nothing is emitted afterwards and the upstream call is closed.
	// Usage is the use so far, also with an error. Its CachedTokens and WrittenTokens are 0 if
	// the vendor has no prompt cache or does not report it.
	//
	// It returns a *Failure with code core.CodeModelUnavailable if the vendor refused or
	// broke off, if the stream ended without its final event, and if the answer had
	// neither text nor tool calls; chunks emitted before that remain valid. It never
	// retries.
	Generate(ctx context.Context, req Request, emit func(Chunk) error) (core.Usage, error)
	// Models lists the provider's models. Failures are like those of Generate.
	Models(ctx context.Context) ([]core.Model, error)
}

// Failure is a refusal or a broken call. Err has code core.CodeModelUnavailable, a message
// that a person may read, without the key, and the vendor's RetryAfter.
type Failure struct {
	Err *core.Error
	// Temporary says that the same call may succeed later (429, 5xx, a broken connection).
	// Empty says that the model's answer was empty. Refused says that the vendor did not
	// accept the key, so that no call with it will succeed. Cause is the reason for
	// people.
	Temporary bool
	Empty     bool
	Refused   bool
	Cause     core.ModelFailure
	// Overthought says of an Empty answer that the model reached its limit while it thought: without
	// thinking the call may succeed.
	Overthought bool
	// NoTools says that the vendor refused the call because it offered tools, NoSchema
	// because it asked for a schema: without these it may succeed. TooLong says that the
	// conversation exceeds the model's window.
	NoTools  bool
	NoSchema bool
	TooLong  bool
	// BadThoughts says that the vendor refused Thoughts of earlier answers: without these the
	// call may succeed.
	BadThoughts bool
	// Window is the most tokens of prompt and answer together, and Counted the tokens of
	// the prompt, if a vendor that finds the conversation too long names them; else 0.
	// MaxAnswer is set if the vendor refused Request.MaxTokens: with at most that many the
	// call may succeed.
	Window    int
	Counted   int
	MaxAnswer int
}

// Error returns the text of Err, for logs.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap lets errors.As find the core.Error.
func (f *Failure) Unwrap() error { return f.Err }

// Factory makes providers, without using the network.
type Factory interface {
	// Kinds lists what Open can make, sorted. It never changes.
	Kinds() []core.ProviderKind
	// Open returns a provider for the settings. It returns core.CodeValidationFailed for a
	// setting that cannot work or a kind that Kinds lacks, and core.CodeForbiddenAddress
	// for a forbidden address.
	Open(settings Settings) (Provider, error)
}

// Settings say how to reach a provider.
type Settings struct {
	Kind core.ProviderKind
	// BaseURL is empty for the vendor's own address.
	BaseURL string
	Key     string
	// Trusted marks the operator's own settings, which may use any address. Addresses from
	// users go through the guarded client.
	Trusted bool
}

// Request is one model call.
type Request struct {
	Model string
	// Conversation names the conversation that the request continues, so that a prompt cache
	// finds its beginning; "" for a request of its own. It is an id, and tells nothing.
	Conversation string
	System       string
	Messages     []Message
	Tools        []Tool
	// Schema, if set, asks for an answer that is one JSON value of this JSON schema and
	// nothing else.
	Schema json.RawMessage
	// Thinking is how much the model thinks first; "" leaves it to the model. A provider sends
	// nothing that its vendor does not document for the model.
	Thinking core.Thinking
	// MaxTokens bounds the answer; 0 leaves it to the provider.
	MaxTokens int
	// ContextTokens is the window to request if the provider can set one; 0 leaves it to
	// the provider.
	ContextTokens int
}

// Role is the author of a message.
type Role string

// The roles of a conversation. RoleTool gives the result of a tool call.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn. An assistant's may have Calls; a tool's names the call
// that it answers.
type Message struct {
	Role Role
	Text string
	// Hint says that the agent, not the person, wrote the message. It belongs to RoleUser.
	Hint bool
	// Briefing is the text for the model beside the person's Text, before which a provider sends
	// it. It belongs to RoleUser.
	Briefing string
	// Images belong to RoleUser, and to RoleTool as a part of the result.
	Images []Image
	Calls  []Call
	// Thoughts are the model's reasoning before this answer of its, for vendors that want it
	// back between the calls of tools.
	Thoughts []Thought
	// CallID and Tool belong to RoleTool; Failed marks an error.
	CallID string
	Tool   string
	Failed bool
}

// Words is the whole text of the message, with its briefing.
func (m Message) Words() string {
	if m.Briefing == "" {
		return m.Text
	}
	return m.Briefing + "\n\n" + m.Text
}

// Thought is a part of a model's reasoning.
type Thought struct {
	Text string
	// Signature proves that the text is the model's own if the vendor signs thoughts, and else says in
	// the adapter's words where the thought came from and belongs. It is valid at that vendor, for that
	// model and in that conversation only. A thought without one may be any model's.
	Signature string
	// Redacted says that Signature is the thought itself, encrypted.
	Redacted bool
}

// Image is a picture that a user attached, or a tool made. For a model that cannot see, a provider returns
// an error instead of dropping the picture, if its server reports that.
type Image struct {
	// MediaType is image/png, image/jpeg, image/gif or image/webp.
	MediaType string
	Data      []byte
}

// Tool is a tool that the model may call. Parameters is a JSON schema of an object.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Call is a tool call. Args is the model's own output: usually a JSON object, but it can
// be anything. ID is never empty.
type Call struct {
	ID   string
	Tool string
	Args json.RawMessage
	// Broken, if set, tells the model why the call cannot be carried out, such as that its
	// end is missing. Args then holds the model's text, in an object that no tool accepts.
	Broken string
}

// Chunk is a piece of an answer: exactly one of its fields is set.
type Chunk struct {
	Text      string
	Reasoning string
	// Signed ends a thought that can be given back. It is whole: its text came before, as
	// Reasoning.
	Signed *Thought
	Call   *Call
	// Cut says, once and behind all that the vendor sent, that the answer ends where it does because it
	// reached its limit: its last text or call may end in the middle.
	Cut bool
}
