package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/ai"
)

// render writes a request as one without tools.
func render(req ai.Request, nonce string) ai.Request {
	out := req
	out.Tools, out.Messages = nil, nil
	w := writer{nonce}
	if len(req.Tools) > 0 && req.Schema == nil {
		out.System = strings.TrimSpace(req.System + "\n\n" + w.manual(req.Tools))
	}
	for _, message := range req.Messages {
		out.Messages = addMessage(out.Messages, w.message(message))
	}
	return out
}

// addMessage appends a message. It merges two in a row of one side, because models
// expect the sides to alternate.
func addMessage(messages []ai.Message, next ai.Message) []ai.Message {
	last := len(messages) - 1
	if last < 0 || messages[last].Role != next.Role {
		return append(messages, next)
	}
	merged := messages[last]
	merged.Text = strings.TrimPrefix(merged.Text+"\n\n"+next.Words(), "\n\n")
	merged.Images = append(slices.Clip(merged.Images), next.Images...)
	messages[last] = merged
	return messages
}

// writer writes tags with one nonce.
type writer struct{ nonce string }

func (w writer) message(m ai.Message) ai.Message {
	out := ai.Message{Role: m.Role, Briefing: m.Briefing, Text: m.Text, Images: m.Images}
	if m.Role == ai.RoleTool {
		out.Role, out.Text = ai.RoleUser, w.result(m)
	}
	for _, call := range m.Calls {
		out.Text = strings.TrimPrefix(out.Text+"\n\n"+w.call(call), "\n\n")
	}
	return out
}

func (w writer) result(m ai.Message) string {
	status := ""
	if m.Failed {
		status = ` status="failed"`
	}
	return fmt.Sprintf("<result-%s tool=%q%s>\n%s\n</result-%s>", w.nonce, m.Tool, status, strings.TrimSuffix(m.Text, "\n"), w.nonce)
}

// call writes a call in the form that the parser reads. It writes only the name of a
// broken call, so that the model does not learn from it.
func (w writer) call(call ai.Call) string {
	var out strings.Builder
	fmt.Fprintf(&out, "<call-%s tool=%q>\n", w.nonce, call.Tool)
	for _, arg := range members(call.Args) {
		if arg.name == unreadableName {
			continue
		}
		fmt.Fprintf(&out, "<arg-%s name=%q>%s</arg-%s>\n", w.nonce, arg.name, blockText(arg.text()), w.nonce)
	}
	fmt.Fprintf(&out, "</call-%s>", w.nonce)
	return out.String()
}

// blockText puts a text of several lines, and one with white space at its end, on
// lines of its own; the parser removes the line breaks next to the tags.
func blockText(text string) string {
	if text == "" || strings.ContainsAny(text, "\r\n") || strings.TrimSpace(text) != text {
		return "\n" + text + "\n"
	}
	return text
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// text returns the value if it is a string, else its JSON.
func (m member) text() string {
	var text string
	if json.Unmarshal(m.value, &text) == nil {
		return text
	}
	return string(m.value)
}

// members returns the members of an object in their order, nil for any other JSON.
func members(object json.RawMessage) []member {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	var all []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return all
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return all
		}
		all = append(all, member{name.(string), value})
	}
	return all
}

// object is the JSON object of the members, in their order.
func object(all []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(m.name)...), ':'), m.value...)
	}
	return append(out, '}')
}
