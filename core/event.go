package core

import (
	"encoding/json"
	"fmt"
)

// EventType discriminates the events of a chat.
type EventType string

// The types of chat events.
const (
	EventUserMessage        EventType = "user.message"
	EventMessageDelta       EventType = "assistant.message_delta"
	EventReasoningDelta     EventType = "assistant.reasoning_delta"
	EventToolCall           EventType = "tool.call"
	EventToolResult         EventType = "tool.result"
	EventToolError          EventType = "tool.error"
	EventAssistantMessage   EventType = "assistant.message"
	EventUsageInfo          EventType = "session.usage_info"
	EventCompactionStart    EventType = "session.compaction_start"
	EventCompactionComplete EventType = "session.compaction_complete"
	EventFileChanged        EventType = "file.changed"
	EventVersionCreated     EventType = "version.created"
	EventCheckResult        EventType = "check.result"
	EventApprovalRequest    EventType = "approval.request"
	EventSessionStep        EventType = "session.step"
	EventSessionNotice      EventType = "session.notice"
	EventTaskComplete       EventType = "session.task_complete"
	EventSessionError       EventType = "session.error"
)

// Payload is the content of one type of event.
type Payload interface{ EventType() EventType }

// Event is one entry of a chat's log. Seq grows by one per chat, without gaps,
// from 1.
type Event struct {
	Seq       int64
	CreatedAt Time
	Payload   Payload
}

// The payloads, one for each type of event.
type (
	// UserMessage opens a run.
	UserMessage struct {
		Text        string       `json:"text"`
		Attachments []Attachment `json:"attachments"`
		// By is the user's id.
		By ID `json:"by"`
		// Command is the name of the command that Text begins with, if there is one.
		Command string `json:"command,omitempty"`
		// References are the files and elements that the message is about.
		References []Reference `json:"references,omitempty"`
		// Prompt goes to the model in place of Text, if it differs.
		Prompt string `json:"prompt,omitempty"`
		// Approval is set if the message answers an ApprovalRequest.
		Approval *Approval `json:"approval,omitempty"`
	}
	// MessageDelta is a piece of the answer's text.
	MessageDelta struct {
		Delta string `json:"delta"`
	}
	// ReasoningDelta is a piece of a thinking model's reasoning. With Signed and without a
	// Delta it ends a thought, whose text came before.
	ReasoningDelta struct {
		Delta  string         `json:"delta"`
		Signed *SignedThought `json:"signed,omitempty"`
	}
	// SignedThought is a vendor's proof that a thought is its model's own, or a mark of the server that
	// it came from. It is sent back to that model only.
	SignedThought struct {
		Model     string `json:"model"`
		Signature string `json:"signature"`
		// Redacted says that the signature is the thought itself, encrypted.
		Redacted bool `json:"redacted,omitempty"`
	}
	// ToolCall says that the agent calls a tool. Args is a JSON object.
	ToolCall struct {
		ID   string          `json:"id"`
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	// ToolResult is the result of a tool call. Frames are pictures of the page that it saw or used,
	// for the person who watches.
	ToolResult struct {
		ID     string       `json:"id"`
		Result string       `json:"result"`
		Frames []Attachment `json:"frames,omitempty"`
	}
	// ToolError says why a tool call was denied or failed.
	ToolError struct {
		ID     string       `json:"id"`
		Error  string       `json:"error"`
		Frames []Attachment `json:"frames,omitempty"`
	}
	// AssistantMessage is the whole text of one answer of the model.
	AssistantMessage struct {
		Text string `json:"text"`
	}
	// UsageInfo is the use of one model call, as Usage has it. Cost is in USD. Retry is set
	// for a call that failed before it produced or used anything and is repeated. Images counts
	// the pictures of a call that painted.
	UsageInfo struct {
		InputTokens   int64   `json:"inputTokens"`
		CachedTokens  int64   `json:"cachedTokens,omitempty"`
		WrittenTokens int64   `json:"cacheWriteTokens,omitempty"`
		OutputTokens  int64   `json:"outputTokens"`
		Images        int64   `json:"images,omitempty"`
		Cost          float64 `json:"cost"`
		Retry         *Retry  `json:"retry,omitempty"`
	}
	// Retry says why a model call failed, or the work on the run, and when it is repeated.
	Retry struct {
		Cause ModelFailure `json:"cause"`
		At    Time         `json:"at"`
	}
	// CompactionStart begins a summary of the context.
	CompactionStart struct{}
	// CompactionComplete ends it.
	CompactionComplete struct {
		TokensBefore int64 `json:"tokensBefore"`
		TokensAfter  int64 `json:"tokensAfter"`
	}
	// FileChanged says that the agent changed a file.
	FileChanged struct {
		Path   string     `json:"path"`
		Action FileAction `json:"action"`
	}
	// VersionCreated says that a run's changes were committed.
	VersionCreated struct {
		VersionID    string `json:"versionId"`
		FilesChanged int    `json:"filesChanged"`
	}
	// CheckResult says what became of a check that was played at the end of a run. Message says
	// why it failed, and Picture is the page at that step.
	CheckResult struct {
		Name    string      `json:"name"`
		Title   string      `json:"title"`
		Passed  bool        `json:"passed"`
		Message string      `json:"message,omitempty"`
		Picture *Attachment `json:"picture,omitempty"`
	}
	// ApprovalRequest says that a call of a connector's tool waits for a person's yes. ID is that of the
	// tool.call. Args is the JSON object that the tool would get.
	ApprovalRequest struct {
		ID        string          `json:"id"`
		Connector string          `json:"connector"`
		Tool      string          `json:"tool"`
		Args      json.RawMessage `json:"args"`
		Reason    ApprovalReason  `json:"reason"`
	}
	// SessionStep tells people what a run begins to do between two answers of the model. Faults is how
	// many the model is asked to mend, for StepMend.
	SessionStep struct {
		Step   Step `json:"step"`
		Faults int  `json:"faults,omitempty"`
	}
	// SessionNotice tells people what a run could not do as usual, or that it did nothing. Text is for
	// people, Code for programs.
	SessionNotice struct {
		Code NoticeCode `json:"code"`
		Text string     `json:"text"`
	}
	// TaskComplete is the last event of a successful run. For ReasonAsked it has a Question, or in
	// Approval the id of the ApprovalRequest that waits.
	TaskComplete struct {
		Reason CompletionReason `json:"reason"`
		// Changed is how many files the run changed; it is nil in logs of versions that did not count
		// them.
		Changed  *int      `json:"changed,omitempty"`
		Question *Question `json:"question,omitempty"`
		Approval string    `json:"approval,omitempty"`
		// Mode is the mode in which the answer is worked on, if that is not the chat's.
		Mode string `json:"mode,omitempty"`
	}
	// SessionError is the last event of a failed run. Cause is why the model did not
	// answer, if Error is CodeModelUnavailable and the cause is known.
	SessionError struct {
		Error   Code         `json:"error"`
		Message string       `json:"message"`
		Cause   ModelFailure `json:"cause,omitempty"`
		// RetryAt is when the vendor said that trying again may help, 0 if it did not.
		RetryAt Time `json:"retryAt,omitzero"`
	}
)

// ModelFailure says why a model did not answer, for reasons that people can do something
// about. "" is any other reason.
type ModelFailure string

// The failures of models.
const (
	// FailureKey: the provider refused the key. FailureCredit: the account there has no
	// credit.
	FailureKey    ModelFailure = "key_refused"
	FailureCredit ModelFailure = "no_credit"
	// FailureRate: too many requests in a short time.
	FailureRate ModelFailure = "rate_limited"
	// FailureModel: the provider does not have the model.
	FailureModel ModelFailure = "no_model"
	// FailureProvider: the provider failed internally. FailureUnreachable: it does not
	// answer.
	FailureProvider    ModelFailure = "provider_failed"
	FailureUnreachable ModelFailure = "unreachable"
	// FailureService: not the model failed, but the service could not read or save for a while.
	// Only a Retry has it.
	FailureService ModelFailure = "service_failed"
)

// Step is what a run does between two answers of the model.
type Step string

// The steps of a run.
const (
	// StepBuild: it finds out whether the project builds.
	StepBuild Step = "build"
	// StepLook: it looks at the page and at the types.
	StepLook Step = "look"
	// StepChecks: it plays the project's checks.
	StepChecks Step = "checks"
	// StepMend: the model is asked to mend what was found.
	StepMend Step = "mend"
)

// NoticeCode says what a SessionNotice is about.
type NoticeCode string

// The codes of notices.
const (
	// NoticeUnchanged: the answer claimed a change, and the run made none.
	NoticeUnchanged NoticeCode = "nothing_changed"
	// NoticeUnchecked: the page, the build or the types were not checked at the end of the run.
	NoticeUnchecked NoticeCode = "not_checked"
	// NoticeEmulated: the model gets its tools as text, because it cannot call them.
	NoticeEmulated NoticeCode = "tools_emulated"
	// NoticeTypes: type errors are left in files that the run changed.
	NoticeTypes NoticeCode = "type_errors"
	// NoticeOpenSteps: steps of the agent's own list are not done.
	NoticeOpenSteps NoticeCode = "steps_open"
)

// CompletionReason says why a run ended well.
type CompletionReason string

// The reasons for the end of a run.
const (
	ReasonDone    CompletionReason = "done"
	ReasonStopped CompletionReason = "stopped"
	ReasonLimit   CompletionReason = "limit"
	// ReasonAsked: the agent waits for an answer, which is the chat's next message.
	ReasonAsked CompletionReason = "asked"
)

// Question is the agent's question to a person. They choose one of the choices, or answer in their
// own words.
type Question struct {
	Text    string   `json:"text"`
	Choices []string `json:"choices"`
}

// Approval is a person's answer to an ApprovalRequest: whether exactly that call may be made, once.
type Approval struct {
	ID    string `json:"id"`
	Allow bool   `json:"allow"`
}

// ApprovalReason says why a call needs a person's yes.
type ApprovalReason string

// The reasons for a request.
const (
	// ApprovalConsent: an admin wants a yes for each call of the tool.
	ApprovalConsent ApprovalReason = "consent"
	// ApprovalOutside: the chat has text of another connector, which may have asked for the call.
	ApprovalOutside ApprovalReason = "outside_text"
)

// EventType implements Payload.
func (UserMessage) EventType() EventType        { return EventUserMessage }
func (MessageDelta) EventType() EventType       { return EventMessageDelta }
func (ReasoningDelta) EventType() EventType     { return EventReasoningDelta }
func (ToolCall) EventType() EventType           { return EventToolCall }
func (ToolResult) EventType() EventType         { return EventToolResult }
func (ToolError) EventType() EventType          { return EventToolError }
func (AssistantMessage) EventType() EventType   { return EventAssistantMessage }
func (UsageInfo) EventType() EventType          { return EventUsageInfo }
func (CompactionStart) EventType() EventType    { return EventCompactionStart }
func (CompactionComplete) EventType() EventType { return EventCompactionComplete }
func (FileChanged) EventType() EventType        { return EventFileChanged }
func (VersionCreated) EventType() EventType     { return EventVersionCreated }
func (CheckResult) EventType() EventType        { return EventCheckResult }
func (SessionStep) EventType() EventType        { return EventSessionStep }
func (SessionNotice) EventType() EventType      { return EventSessionNotice }
func (ApprovalRequest) EventType() EventType    { return EventApprovalRequest }
func (TaskComplete) EventType() EventType       { return EventTaskComplete }
func (SessionError) EventType() EventType       { return EventSessionError }

// Ends reports whether the event is the last of its run.
func (e Event) Ends() bool {
	switch e.Payload.(type) {
	case TaskComplete, SessionError:
		return true
	}
	return false
}

// MarshalJSON writes type, seq and createdAt beside the payload's own members.
func (e Event) MarshalJSON() ([]byte, error) {
	body, err := json.Marshal(e.Payload)
	if err != nil {
		return nil, err
	}
	head := fmt.Appendf(nil, `{"type":%q,"seq":%d,"createdAt":%q`, e.Payload.EventType(), e.Seq, e.CreatedAt.String())
	if len(body) > 2 {
		head = append(head, ',')
	}
	return append(head, body[1:]...), nil
}

// DecodePayload reads a payload that was stored as JSON. An unknown type or a
// broken body has code CodeInternal.
func DecodePayload(kind EventType, body []byte) (Payload, error) {
	decode, known := decoders[kind]
	if !known {
		return nil, Errorf(CodeInternal, "stored event has the unknown type %q", kind)
	}
	payload, err := decode(body)
	if err != nil {
		return nil, Wrap(CodeInternal, err, "stored event %q is malformed", kind)
	}
	return payload, nil
}

var decoders = map[EventType]func([]byte) (Payload, error){
	EventUserMessage:        decodeAs[UserMessage],
	EventMessageDelta:       decodeAs[MessageDelta],
	EventReasoningDelta:     decodeAs[ReasoningDelta],
	EventToolCall:           decodeAs[ToolCall],
	EventToolResult:         decodeAs[ToolResult],
	EventToolError:          decodeAs[ToolError],
	EventAssistantMessage:   decodeAs[AssistantMessage],
	EventUsageInfo:          decodeAs[UsageInfo],
	EventCompactionStart:    decodeAs[CompactionStart],
	EventCompactionComplete: decodeAs[CompactionComplete],
	EventFileChanged:        decodeAs[FileChanged],
	EventVersionCreated:     decodeAs[VersionCreated],
	EventCheckResult:        decodeAs[CheckResult],
	EventSessionStep:        decodeAs[SessionStep],
	EventSessionNotice:      decodeAs[SessionNotice],
	EventApprovalRequest:    decodeAs[ApprovalRequest],
	EventTaskComplete:       decodeAs[TaskComplete],
	EventSessionError:       decodeAs[SessionError],
}

func decodeAs[P Payload](body []byte) (Payload, error) {
	var payload P
	err := json.Unmarshal(body, &payload)
	return payload, err
}
