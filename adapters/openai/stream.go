package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// chunk is one event of a stream, or the whole answer of a server that does not
// stream.
type chunk struct {
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Index        int    `json:"index"`
	Delta        delta  `json:"delta"`
	Message      delta  `json:"message"`
	FinishReason string `json:"finish_reason"`
}

// delta has a field for each server's name of the reasoning: reasoning_content (DeepSeek,
// vLLM), reasoning (OpenRouter, Ollama, newer vLLM), thinking.
type delta struct {
	Content          content `json:"content"`
	Refusal          string  `json:"refusal"`
	ReasoningContent string  `json:"reasoning_content"`
	Reasoning        string  `json:"reasoning"`
	Thinking         string  `json:"thinking"`
	// ReasoningDetails are OpenRouter's.
	ReasoningDetails []detail    `json:"reasoning_details"`
	ToolCalls        []toolDelta `json:"tool_calls"`
}

type toolDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		// Arguments is a text by the documentation, an object in some servers.
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Extra extraContent `json:"extra_content"`
}

// usage has a field for each server's count of cached tokens, which are part of
// PromptTokens: prompt_tokens_details (OpenAI, and most others; OpenRouter also counts what
// was written), prompt_cache_hit_tokens (DeepSeek), cached_tokens (Moonshot).
type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	PromptDetails    struct {
		CachedTokens  int64 `json:"cached_tokens"`
		WrittenTokens int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHitTokens int64 `json:"prompt_cache_hit_tokens"`
	CachedTokens   int64 `json:"cached_tokens"`
}

func (u usage) tell(answer *modelhttp.Answer) {
	answer.Use(u.PromptTokens, u.CompletionTokens)
	answer.UseCache(cmp.Or(u.PromptDetails.CachedTokens, u.CacheHitTokens, u.CachedTokens), u.PromptDetails.WrittenTokens)
}

// content is a text, or a list of parts that may include reasoning (Mistral).
type content struct {
	text     string
	thoughts string
}

// UnmarshalJSON accepts any JSON. Unknown parts contribute no text.
func (c *content) UnmarshalJSON(data []byte) error {
	type textPart struct {
		Text string `json:"text"`
	}
	var parts []struct {
		textPart
		Thinking []textPart `json:"thinking"`
	}
	switch data[0] {
	case '"':
		return json.Unmarshal(data, &c.text)
	case '[':
		if err := modelhttp.DecodeJSON(data, &parts); err != nil {
			return err
		}
	}
	for _, part := range parts {
		c.text += part.Text
		for _, thought := range part.Thinking {
			c.thoughts += thought.Text
		}
	}
	return nil
}

// stream is an answer that is being read.
type stream struct{ thoughts thoughts }

// decode passes on one event.
func (s *stream) decode(answer *modelhttp.Answer, event modelhttp.Event) error {
	data := bytes.TrimSpace(event.Data)
	if len(data) == 0 {
		return nil
	}
	if string(data) == "[DONE]" {
		return s.finish(answer, "")
	}
	var in chunk
	if err := modelhttp.DecodeJSON(data, &in); err != nil {
		return err
	}
	in.Usage.tell(answer)
	for _, choice := range in.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := s.decodeChoice(answer, choice); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) decodeChoice(answer *modelhttp.Answer, in choice) error {
	for _, delta := range []delta{in.Delta, in.Message} {
		if err := s.decodeDelta(answer, delta); err != nil {
			return err
		}
	}
	switch in.FinishReason {
	case "":
		return nil
	case "error":
		return &ai.Failure{
			Err:       core.Errorf(core.CodeModelUnavailable, "the provider broke off the answer"),
			Temporary: true,
		}
	}
	return s.finish(answer, in.FinishReason)
}

// finish passes on what belongs before the end of the answer.
func (s *stream) finish(answer *modelhttp.Answer, reason string) error {
	if err := s.thoughts.sign(answer); err != nil {
		return err
	}
	return answer.Finish(reason)
}

func (s *stream) decodeDelta(answer *modelhttp.Answer, in delta) error {
	if err := s.thoughts.add(answer, in); err != nil {
		return err
	}
	if err := answer.Text(in.Content.text + in.Refusal); err != nil {
		return err
	}
	for _, call := range in.ToolCalls {
		if signature := call.Extra.Google.ThoughtSignature; signature != "" {
			if err := answer.Signed(ai.Thought{Signature: signature, Redacted: true}); err != nil {
				return err
			}
		}
		piece := modelhttp.Piece{
			Index: call.Index, ID: call.ID, Tool: strings.TrimSpace(call.Function.Name),
			Args: modelhttp.ArgsText(call.Function.Arguments),
		}
		if err := answer.Piece(piece); err != nil {
			return err
		}
	}
	return nil
}
