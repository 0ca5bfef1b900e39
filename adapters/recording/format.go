package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// version is the version of the format.
const version = 1

// The kinds of lines.
const (
	kindRecording = "recording"
	kindExchange  = "exchange"
	kindModels    = "models"
	kindFull      = "full"
)

// The ways in which a call ends.
const (
	howDone   = "done"
	howFailed = "failed"
	howLeft   = "left"
	howSink   = "sink"
)

// header is the first line of a recording.
type header struct {
	Kind    string    `json:"kind"`
	Version int       `json:"version"`
	At      core.Time `json:"at"`
	Images  bool      `json:"images"`
}

// call holds the common fields of all lines of calls.
type call struct {
	Kind     string            `json:"kind"`
	Provider core.ProviderKind `json:"provider"`
	At       core.Time         `json:"at"`
	// Ms is how long the call took.
	Ms  int64 `json:"ms"`
	End end   `json:"end"`
}

type exchange struct {
	call
	Request request `json:"request"`
	Chunks  []chunk `json:"chunks"`
	Usage   usage   `json:"usage"`
}

type modelList struct {
	call
	Models []core.Model `json:"models"`
}

type end struct {
	How string `json:"how"`
	// The other fields belong to howFailed. Vendor means that the error is an
	// *ai.Failure.
	Code         core.Code `json:"code,omitempty"`
	Message      string    `json:"message,omitempty"`
	RetryAfterMs int64     `json:"retryAfterMs,omitempty"`
	Vendor       bool      `json:"vendor,omitempty"`
	Temporary    bool      `json:"temporary,omitempty"`
	Empty        bool      `json:"empty,omitempty"`
	Overthought  bool      `json:"overthought,omitempty"`
	Refused      bool      `json:"refused,omitempty"`
	Cause        string    `json:"cause,omitempty"`
	NoTools      bool      `json:"noTools,omitempty"`
	NoSchema     bool      `json:"noSchema,omitempty"`
	BadThoughts  bool      `json:"badThoughts,omitempty"`
	TooLong      bool      `json:"tooLong,omitempty"`
	Window       int       `json:"window,omitempty"`
	Counted      int       `json:"counted,omitempty"`
	MaxAnswer    int       `json:"maxAnswer,omitempty"`
}

type usage struct {
	InputTokens   int64 `json:"inputTokens"`
	CachedTokens  int64 `json:"cachedTokens,omitempty"`
	WrittenTokens int64 `json:"writtenTokens,omitempty"`
	OutputTokens  int64 `json:"outputTokens"`
	Images        int64 `json:"images,omitempty"`
}

type request struct {
	Model         text      `json:"model"`
	Conversation  text      `json:"conversation,omitzero"`
	System        text      `json:"system"`
	Messages      []message `json:"messages"`
	Tools         []tool    `json:"tools"`
	Schema        text      `json:"schema,omitzero"`
	Thinking      text      `json:"thinking,omitzero"`
	MaxTokens     int       `json:"maxTokens"`
	ContextTokens int       `json:"contextTokens"`
}

type message struct {
	Role   text       `json:"role"`
	Text   text       `json:"text"`
	Images []image    `json:"images,omitempty"`
	Calls  []toolCall `json:"calls,omitempty"`
	// Briefing and Thoughts do not decide which exchange answers, as the system prompt does not.
	Briefing text      `json:"briefing,omitzero"`
	Thoughts []thought `json:"thoughts,omitempty"`
	CallID   text      `json:"callId,omitzero"`
	Tool     text      `json:"tool,omitzero"`
	Failed   bool      `json:"failed,omitempty"`
}

type image struct {
	MediaType text   `json:"mediaType"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
	Data      []byte `json:"data,omitempty"`
}

type tool struct {
	Name        text `json:"name"`
	Description text `json:"description"`
	Parameters  text `json:"parameters"`
}

type toolCall struct {
	ID   text `json:"id"`
	Tool text `json:"tool"`
	Args text `json:"args"`
	// Broken says why the call cannot be carried out.
	Broken text `json:"broken,omitzero"`
}

// thought is a part of a model's reasoning.
type thought struct {
	Text      text `json:"text,omitzero"`
	Signature text `json:"signature,omitzero"`
	Redacted  bool `json:"redacted,omitempty"`
}

// chunk has exactly one of Text, Reasoning, Signed and Call.
type chunk struct {
	// Ms is the time of the chunk since the beginning of the call.
	Ms        int64     `json:"ms"`
	Text      text      `json:"text,omitzero"`
	Reasoning text      `json:"reasoning,omitzero"`
	Signed    *thought  `json:"signed,omitempty"`
	Call      *toolCall `json:"call,omitempty"`
	Cut       bool      `json:"cut,omitempty"`
}

func requestOf(req ai.Request, images bool) request {
	out := request{
		Model: text(req.Model), Conversation: text(req.Conversation), System: text(req.System), Schema: text(req.Schema), Thinking: text(req.Thinking), MaxTokens: req.MaxTokens, ContextTokens: req.ContextTokens,
		Messages: make([]message, len(req.Messages)), Tools: make([]tool, len(req.Tools)),
	}
	for i, m := range req.Messages {
		out.Messages[i] = messageOf(m, images)
	}
	for i, t := range req.Tools {
		out.Tools[i] = tool{text(t.Name), text(t.Description), text(t.Parameters)}
	}
	return out
}

func messageOf(m ai.Message, images bool) message {
	out := message{Role: text(m.Role), Text: text(m.Text), Briefing: text(m.Briefing), CallID: text(m.CallID), Tool: text(m.Tool), Failed: m.Failed}
	for _, picture := range m.Images {
		out.Images = append(out.Images, imageOf(picture, images))
	}
	for _, made := range m.Calls {
		out.Calls = append(out.Calls, callOf(made))
	}
	for _, had := range m.Thoughts {
		out.Thoughts = append(out.Thoughts, thoughtOf(had))
	}
	return out
}

func imageOf(picture ai.Image, whole bool) image {
	sum := sha256.Sum256(picture.Data)
	out := image{MediaType: text(picture.MediaType), Bytes: len(picture.Data), SHA256: hex.EncodeToString(sum[:])}
	if whole {
		out.Data = picture.Data
	}
	return out
}

func callOf(made ai.Call) toolCall {
	return toolCall{ID: text(made.ID), Tool: text(made.Tool), Args: text(made.Args), Broken: text(made.Broken)}
}

func thoughtOf(had ai.Thought) thought {
	return thought{Text: text(had.Text), Signature: text(had.Signature), Redacted: had.Redacted}
}

func chunkOf(said ai.Chunk, after time.Duration) chunk {
	out := chunk{Ms: after.Milliseconds(), Text: text(said.Text), Reasoning: text(said.Reasoning), Cut: said.Cut}
	if said.Call != nil {
		made := callOf(*said.Call)
		out.Call = &made
	}
	if said.Signed != nil {
		signed := thoughtOf(*said.Signed)
		out.Signed = &signed
	}
	return out
}

// said returns the chunk as a provider emits it.
func (c chunk) said() ai.Chunk {
	out := ai.Chunk{Text: string(c.Text), Reasoning: string(c.Reasoning), Cut: c.Cut}
	if c.Signed != nil {
		out.Signed = &ai.Thought{Text: string(c.Signed.Text), Signature: string(c.Signed.Signature), Redacted: c.Signed.Redacted}
	}
	if c.Call != nil {
		out.Call = &ai.Call{
			ID: string(c.Call.ID), Tool: string(c.Call.Tool), Args: json.RawMessage(c.Call.Args), Broken: string(c.Call.Broken),
		}
	}
	return out
}

// failureOf describes how a call with err ended. The cause of an error is not recorded,
// because it may name addresses.
func failureOf(err error) end {
	out := end{How: howFailed, Code: core.CodeOf(err)}
	var failure *ai.Failure
	if errors.As(err, &failure) {
		out.Vendor, out.Temporary, out.Empty, out.Overthought, out.Refused = true, failure.Temporary, failure.Empty, failure.Overthought, failure.Refused
		out.Cause = string(failure.Cause)
		out.NoTools, out.NoSchema, out.TooLong = failure.NoTools, failure.NoSchema, failure.TooLong
		out.BadThoughts = failure.BadThoughts
		out.Window, out.Counted, out.MaxAnswer = failure.Window, failure.Counted, failure.MaxAnswer
	}
	var known *core.Error
	if errors.As(err, &known) {
		out.Message, out.RetryAfterMs = known.Message, known.RetryAfter.Milliseconds()
	}
	return out
}

// failure returns the error of a call that failed.
func (e end) failure() error {
	known := core.Errorf(e.Code, "%s", e.Message)
	known.RetryAfter = time.Duration(e.RetryAfterMs) * time.Millisecond
	if !e.Vendor {
		return known
	}
	return &ai.Failure{
		Err: known, Temporary: e.Temporary, Empty: e.Empty, Overthought: e.Overthought, Refused: e.Refused, Cause: core.ModelFailure(e.Cause),
		NoTools: e.NoTools, NoSchema: e.NoSchema, BadThoughts: e.BadThoughts, TooLong: e.TooLong,
		Window: e.Window, Counted: e.Counted, MaxAnswer: e.MaxAnswer,
	}
}
