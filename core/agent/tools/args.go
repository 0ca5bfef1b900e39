package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/dialect"
)

// decodeArgs reads a call's arguments into the tool's own type, strictly, so that
// the model learns of a misspelt member.
func decodeArgs(args json.RawMessage, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(args))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return core.Errorf(core.CodeInvalidRequest, "the arguments are wrong: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return core.Errorf(core.CodeInvalidRequest, "the arguments must be one JSON object")
	}
	return nil
}

// count is a number that models also write as text. Anything but a positive number
// is 0.
type count int

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	switch {
	case string(data) == "null" || string(data) == `""`:
		*c = 0
	case err != nil:
		return errors.New("json: cannot unmarshal " + string(data) + " into a whole number")
	default:
		*c = count(max(0, min(n, 1<<30)))
	}
	return nil
}

// remarks are the members in which models explain why they make a call.
var remarks = []string{
	"explanation", "reason", "reasoning", "thought", "thoughts", "comment", "comments", "note", "notes", "purpose", "rationale",
	"justification", "description", "summary", "intent", "why", "title", "instruction", "instructions", "tool", "name", "type", "security_risk",
}

// withoutRemarks removes members that the tool does not have from a call's
// arguments: those that only comment on the call, and any others if all of the
// tool's own are present.
func withoutRemarks(args json.RawMessage, parameters string) json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(parameters), &schema) != nil || json.Unmarshal(args, &members) != nil {
		return args
	}
	missing, extra := 0, false
	for name := range schema.Properties {
		if _, given := members[name]; !given {
			missing++
		}
	}
	for name := range members {
		if _, known := schema.Properties[name]; !known && (missing == 0 || slices.Contains(remarks, strings.ToLower(name))) {
			delete(members, name)
			extra = true
		}
	}
	if !extra {
		return args
	}
	cleaned, err := json.Marshal(members)
	if err != nil {
		return args
	}
	return cleaned
}

// NameOf returns the tool that a model means: by its name in any spelling, or by one that other agents
// taught it. It returns any other name unchanged.
func NameOf(name string) string {
	if known, is := dialect.Resolve(name, Names()); is {
		return known
	}
	return name
}

// synonyms are the names of arguments that other agents taught models, by the name here.
var synonyms = map[string][]string{
	"path":       {"file_path", "filePath", "filepath", "file", "filename", "file_name", "target_file", "absolute_path", "relative_path", "dir", "directory", "dir_path", "folder"},
	"content":    {"contents", "file_text", "fileText", "file_content", "fileContent", "text", "code", "new_content"},
	"oldText":    {"old_string", "oldString", "old_str", "oldStr", "old_text", "old", "search", "find"},
	"newText":    {"new_string", "newString", "new_str", "newStr", "new_text", "new", "replace", "replacement"},
	"replaceAll": {"replace_all", "all", "global"},
	"edits":      {"changes", "replacements", "edit"},
	"query":      {"pattern", "regex", "regexp", "search_term", "search", "q"},
	"maxResults": {"max_results", "limit", "head_limit"},
	"command":    {"cmd", "script", "command_line", "commandLine"},
	"from":       {"offset", "start", "start_line", "startLine", "line_start", "source", "old_path", "oldPath", "src"},
	"to":         {"end", "end_line", "endLine", "line_end", "destination", "new_path", "newPath", "dest", "dst", "target"},
	"sql":        {"query", "statement"},
	"question":   {"prompt", "text"},
	"url":        {"uri", "address", "link", "href"},
}

// withSynonyms gives a call's arguments the tool's own names, where a model used others and their
// meaning is clear.
func withSynonyms(args json.RawMessage, parameters string) json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(parameters), &schema) != nil || json.Unmarshal(args, &members) != nil {
		return args
	}
	changed := asLines(members, schema.Properties)
	for name := range schema.Properties {
		if _, given := members[name]; given {
			continue
		}
		for _, other := range synonyms[name] {
			_, known := schema.Properties[other]
			if value, given := members[other]; given && !known {
				members[name] = value
				delete(members, other)
				changed = true
				break
			}
		}
	}
	var edits []json.RawMessage
	if json.Unmarshal(members["edits"], &edits) == nil {
		for i, edit := range edits {
			edits[i] = withSynonyms(edit, editParameters)
		}
		renamed, err := json.Marshal(edits)
		if err == nil && string(renamed) != string(members["edits"]) {
			members["edits"], changed = renamed, true
		}
	}
	if !changed {
		return args
	}
	renamed, err := json.Marshal(members)
	if err != nil {
		return args
	}
	return renamed
}

// editParameters is the schema of one of edit_file's edits.
const editParameters = `{"properties":{"oldText":{},"newText":{},"replaceAll":{}}}`

// asLines turns an offset and a number of lines, and a view_range, into the first and the last line.
func asLines(members, properties map[string]json.RawMessage) (changed bool) {
	if _, has := properties["to"]; !has || properties["path"] == nil {
		return false
	}
	var ends []float64
	if json.Unmarshal(members["view_range"], &ends) == nil && len(ends) == 2 {
		delete(members, "view_range")
		setLine(members, "from", ends[0])
		setLine(members, "to", ends[1])
		return true
	}
	var limit count
	if members["limit"] == nil || members["to"] != nil || json.Unmarshal(members["limit"], &limit) != nil {
		return false
	}
	delete(members, "limit")
	from := count(1)
	for _, name := range append([]string{"from"}, synonyms["from"]...) {
		if given := members[name]; given != nil {
			_ = json.Unmarshal(given, &from)
			break
		}
	}
	if limit > 0 {
		setLine(members, "to", float64(max(from, 1)+limit-1))
	}
	return true
}

// setLine sets a number of a line, if there is one: a view_range may end with -1.
func setLine(members map[string]json.RawMessage, name string, line float64) {
	if line >= 1 && line <= math.MaxInt32 {
		members[name], _ = json.Marshal(int(line))
	}
}

// editorCommands are the tools that the editor of other agents is, by its command.
var editorCommands = map[string]string{"view": readTool, "create": writeTool, "str_replace": EditTool}

// Understood returns the tool and the arguments that a model means by a call: names in any spelling, and
// those that other agents taught it.
func Understood(name string, args json.RawMessage) (string, json.RawMessage) {
	known := NameOf(name)
	if known == EditTool {
		known, args = withoutCommand(args)
	}
	for _, t := range allTools() {
		if t.name == known {
			return known, withSynonyms(args, t.parameters)
		}
	}
	return known, args
}

// withoutCommand returns the tool that a call of an editor is, by a command in its arguments.
func withoutCommand(args json.RawMessage) (string, json.RawMessage) {
	var members map[string]json.RawMessage
	var command string
	if json.Unmarshal(args, &members) != nil || json.Unmarshal(members["command"], &command) != nil {
		return EditTool, args
	}
	tool, known := editorCommands[command]
	if !known {
		return EditTool, args
	}
	delete(members, "command")
	rest, err := json.Marshal(members)
	if err != nil {
		return EditTool, args
	}
	return tool, rest
}
