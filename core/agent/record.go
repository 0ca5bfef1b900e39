package agent

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// recorder takes the events of a run, as Task.Record does.
type recorder func(core.Payload) error

// say records a message of the agent's own.
func (record recorder) say(text string) error {
	if err := record(core.MessageDelta{Delta: text}); err != nil {
		return err
	}
	return record(core.AssistantMessage{Text: text})
}

// notBegun closes a call in the log that the model had announced when its answer broke
// off. The call was never carried out.
const notBegun = "The answer was cut off before this call began, so it was not carried out."

// breakOff closes the partial text and the calls of an answer that broke off.
func (record recorder) breakOff(text string, calls []ai.Call) error {
	for _, call := range calls {
		if err := record(core.ToolError{ID: call.ID, Error: notBegun}); err != nil {
			return err
		}
	}
	if text == "" {
		return nil
	}
	return record(core.AssistantMessage{Text: text})
}
