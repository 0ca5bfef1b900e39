package openai

import (
	"bytes"
	"encoding/json"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// responseEvent is one event of the Responses API's stream
// (https://platform.openai.com/docs/api-reference/responses-streaming).
type responseEvent struct {
	Type        string     `json:"type"`
	OutputIndex int        `json:"output_index"`
	Delta       string     `json:"delta"`
	Item        outputItem `json:"item"`
	Response    response   `json:"response"`
}

// outputItem is a message, a call or a thought.
type outputItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Encrypted string `json:"encrypted_content"`
}

// response is the whole answer, at its end.
type response struct {
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		InputTokens  int64 `json:"input_tokens"`
		OutputTokens int64 `json:"output_tokens"`
		InputDetails struct {
			CachedTokens int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

// decodeResponse passes on one event.
func decodeResponse(answer *modelhttp.Answer, event modelhttp.Event) error {
	data := bytes.TrimSpace(event.Data)
	if len(data) == 0 || string(data) == "[DONE]" {
		return nil
	}
	var in responseEvent
	if err := modelhttp.DecodeJSON(data, &in); err != nil {
		return err
	}
	switch in.Type {
	case "response.output_text.delta", "response.refusal.delta":
		return answer.Text(in.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return answer.Reasoning(in.Delta)
	case "response.output_item.done":
		return decodeItem(answer, in.Item)
	case "response.completed", "response.incomplete", "response.failed":
		return in.Response.finish(answer)
	}
	return nil
}

// decodeItem passes on a whole item: a text has come in pieces before.
func decodeItem(answer *modelhttp.Answer, item outputItem) error {
	switch item.Type {
	case "function_call":
		return answer.Call(item.CallID, item.Name, modelhttp.ArgsText(quote(item.Arguments)))
	case "reasoning":
		if item.ID != "" && item.Encrypted != "" {
			return answer.Signed(ai.Thought{Signature: item.ID + signatureCut + item.Encrypted, Redacted: true})
		}
	}
	return nil
}

// quote is a text as JSON.
func quote(text string) json.RawMessage {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return quoted
}

// finish takes the usage and the end of the answer.
func (r response) finish(answer *modelhttp.Answer) error {
	answer.Use(r.Usage.InputTokens, r.Usage.OutputTokens)
	answer.UseCache(r.Usage.InputDetails.CachedTokens, 0)
	if failure := modelhttp.Complaint(r.Error); failure != nil {
		return failure
	}
	reason := r.Incomplete.Reason
	if reason == "max_output_tokens" {
		reason = "length"
	}
	return answer.Finish(reason)
}

// refusesEncryption reports a refusal of encryptedReasoning by a model that does not think.
func refusesEncryption(failure *ai.Failure) bool {
	return failure.Err.Code == core.CodeModelUnavailable && bytes.Contains(bytes.ToLower([]byte(failure.Err.Message)), []byte("encrypted content is not supported"))
}
