package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

// event is the union of the events of a stream, and of the whole message of a
// server that does not stream.
type event struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
	// Message belongs to message_start, ContentBlock to content_block_start,
	// Delta to content_block_delta and message_delta.
	Message      fullMessage  `json:"message"`
	ContentBlock contentBlock `json:"content_block"`
	Delta        delta        `json:"delta"`
	fullMessage
}

type fullMessage struct {
	Content    []contentBlock `json:"content"`
	StopReason string         `json:"stop_reason"`
	Usage      usage          `json:"usage"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

type delta struct {
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

// usage counts tokens that were read from and written to the vendor's cache beside the
// other input tokens.
type usage struct {
	InputTokens      int64 `json:"input_tokens"`
	CacheReadTokens  int64 `json:"cache_read_input_tokens"`
	CacheWriteTokens int64 `json:"cache_creation_input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
}

func (u usage) tell(answer *modelhttp.Answer) {
	read, written := max(u.CacheReadTokens, 0), max(u.CacheWriteTokens, 0)
	answer.Use(max(u.InputTokens, 0)+read+written, u.OutputTokens)
	answer.UseCache(read, written)
}

// stream decodes one answer.
type stream struct {
	// structured means that the answer arrives as the arguments of answerTool; answers
	// says which blocks are such.
	structured bool
	answers    map[int]bool
	// thoughts are the open blocks of thinking.
	thoughts map[int]*ai.Thought
}

// decode passes on one event. It skips events and blocks of unknown types: the API adds
// new ones without a new version.
func (s *stream) decode(answer *modelhttp.Answer, in modelhttp.Event) error {
	data := bytes.TrimSpace(in.Data)
	if len(data) == 0 || string(data) == "[DONE]" {
		return nil
	}
	var event event
	if err := modelhttp.DecodeJSON(data, &event); err != nil {
		return err
	}
	event.Message.Usage.tell(answer)
	event.Usage.tell(answer)
	switch event.Type {
	case "content_block_start":
		return s.begin(answer, event.Index, event.ContentBlock)
	case "content_block_delta":
		return s.grow(answer, event.Index, event.Delta)
	case "content_block_stop":
		return s.close(answer, event.Index)
	case "message_delta":
		if event.Delta.StopReason == "" {
			return nil
		}
		return answer.Finish(event.Delta.StopReason)
	case "message_stop":
		return answer.Finish("")
	case "message":
		return s.decodeWhole(answer, event.fullMessage)
	}
	return nil
}

func (s *stream) begin(answer *modelhttp.Answer, index int, block contentBlock) error {
	switch block.Type {
	case "text":
		return answer.Text(block.Text)
	case "thinking":
		s.thoughts[index] = &ai.Thought{Text: block.Thinking, Signature: block.Signature}
		return answer.Reasoning(block.Thinking)
	case "redacted_thinking":
		s.thoughts[index] = &ai.Thought{Signature: block.Data, Redacted: true}
	case "tool_use":
		input := modelhttp.ArgsText(block.Input)
		// The first documented piece is an empty object, and the input follows.
		if string(input) == "{}" {
			input = nil
		}
		if s.structured && block.Name == answerTool {
			s.answers[index] = true
			return answer.Text(string(input))
		}
		return answer.Piece(modelhttp.Piece{Index: &index, ID: block.ID, Tool: block.Name, Args: input})
	}
	return nil
}

// close ends a block: a call, or a thought that is signed.
func (s *stream) close(answer *modelhttp.Answer, index int) error {
	thought := s.thoughts[index]
	delete(s.thoughts, index)
	if thought != nil && thought.Signature != "" {
		return answer.Signed(*thought)
	}
	return answer.Close(index)
}

func (s *stream) grow(answer *modelhttp.Answer, index int, piece delta) error {
	if thought := s.thoughts[index]; thought != nil {
		thought.Text += piece.Thinking
		thought.Signature += piece.Signature
	}
	if err := answer.Reasoning(piece.Thinking); err != nil {
		return err
	}
	if err := answer.Text(piece.Text); err != nil {
		return err
	}
	if piece.PartialJSON == "" {
		return nil
	}
	if s.answers[index] {
		return answer.Text(piece.PartialJSON)
	}
	return answer.Extend(index, piece.PartialJSON)
}

// decodeWhole passes on a message that was not streamed.
func (s *stream) decodeWhole(answer *modelhttp.Answer, message fullMessage) error {
	for i, block := range message.Content {
		if err := s.begin(answer, i, block); err != nil {
			return err
		}
		if err := s.close(answer, i); err != nil {
			return err
		}
	}
	return answer.Finish(message.StopReason)
}
