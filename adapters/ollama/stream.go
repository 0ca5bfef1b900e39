package ollama

import (
	"encoding/json"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/ports/ai"
)

// line is one line of an answer. It is api.ChatResponse, except for the arguments of tool
// calls, and without the times, which compatible servers write differently.
type line struct {
	Message struct {
		Content   string `json:"content"`
		Thinking  string `json:"thinking"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name string `json:"name"`
				// Arguments is an object in Ollama, a text in some compatible servers.
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	api.Metrics
}

// stream is an answer that is being read.
type stream struct {
	// server is Caller.Mark.
	server string
	// counted is the number of prompt tokens that the server reports.
	counted int
	// thought is what the model has thought.
	thought strings.Builder
}

// thinkingMember is the member of messages with what the model thought.
const thinkingMember = "thinking"

// decode passes on one line. Tool calls arrive complete, and the last line has done.
func (s *stream) decode(answer *modelhttp.Answer, event modelhttp.Event) error {
	var in line
	if err := modelhttp.DecodeJSON(event.Data, &in); err != nil {
		return err
	}
	answer.Use(int64(in.PromptEvalCount), int64(in.EvalCount))
	s.counted = max(s.counted, in.PromptEvalCount)
	s.thought.WriteString(in.Message.Thinking)
	if err := answer.Reasoning(in.Message.Thinking); err != nil {
		return err
	}
	if err := answer.Text(in.Message.Content); err != nil {
		return err
	}
	for _, call := range in.Message.ToolCalls {
		args := modelhttp.ArgsText(call.Function.Arguments)
		if err := answer.Call(call.ID, call.Function.Name, args); err != nil {
			return err
		}
	}
	if !in.Done {
		return nil
	}
	if s.thought.Len() > 0 {
		thought := ai.Thought{Text: s.thought.String(), Signature: modelhttp.Member{Name: thinkingMember, Server: s.server}.Signature()}
		if err := answer.Signed(thought); err != nil {
			return err
		}
	}
	return answer.Finish(in.DoneReason)
}
