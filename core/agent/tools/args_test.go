package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/core/agent/tools"
)

// TestNamesThatOtherAgentsTaughtAreUnderstood has calls as models make them that were trained with other
// agents' tools.
func TestNamesThatOtherAgentsTaughtAreUnderstood(t *testing.T) {
	for _, c := range []struct{ name, args, tool, want string }{
		{"read_file", `{"file_path":"a.txt"}`, "read_file", `{"path":"a.txt"}`},
		{"Read", `{"file_path":"a.txt","offset":10,"limit":5}`, "read_file", `{"from":10,"path":"a.txt","to":14}`},
		{"read", `{"filePath":"a.txt","limit":5}`, "read_file", `{"path":"a.txt","to":5}`},
		{"Write", `{"file_path":"a.txt","content":"x"}`, "write_file", `{"content":"x","path":"a.txt"}`},
		{"write_to_file", `{"path":"a.txt","contents":"x"}`, "write_file", `{"content":"x","path":"a.txt"}`},
		{"create_file", `{"filename":"a.txt","text":"x"}`, "write_file", `{"content":"x","path":"a.txt"}`},
		{"Edit", `{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}`, "edit_file", `{"newText":"y","oldText":"x","path":"a","replaceAll":true}`},
		{"edit", `{"filePath":"a","oldString":"x","newString":"y"}`, "edit_file", `{"newText":"y","oldText":"x","path":"a"}`},
		{"MultiEdit", `{"file_path":"a","edits":[{"old_string":"x","new_string":"y"}]}`, "edit_file", `{"edits":[{"newText":"y","oldText":"x"}],"path":"a"}`},
		{"replace", `{"file_path":"a","old_string":"x","new_string":"y"}`, "edit_file", `{"newText":"y","oldText":"x","path":"a"}`},
		{"str_replace_editor", `{"command":"str_replace","path":"a","old_str":"x","new_str":"y"}`, "edit_file", `{"newText":"y","oldText":"x","path":"a"}`},
		{"str_replace_editor", `{"command":"create","path":"a","file_text":"x"}`, "write_file", `{"content":"x","path":"a"}`},
		{"str_replace_based_edit_tool", `{"command":"view","path":"a","view_range":[3,9]}`, "read_file", `{"from":3,"path":"a","to":9}`},
		{"str_replace_editor", `{"command":"view","path":"a","view_range":[3,-1]}`, "read_file", `{"from":3,"path":"a"}`},
		{"Bash", `{"command":"ls","description":"Lists"}`, "run_command", `{"command":"ls","description":"Lists"}`},
		{"run_terminal_cmd", `{"cmd":"ls"}`, "run_command", `{"command":"ls"}`},
		{"Grep", `{"pattern":"x","head_limit":3}`, "search_files", `{"maxResults":3,"query":"x"}`},
		{"LS", `{"path":"src"}`, "list_files", `{"path":"src"}`},
		{"list_directory", `{"dir_path":"src"}`, "list_files", `{"path":"src"}`},
		{"functions.read_file", `{"path":"a"}`, "read_file", `{"path":"a"}`},
		{"read_file<|channel|>commentary", `{"path":"a"}`, "read_file", `{"path":"a"}`},
		{"default_api:readFile", `{"path":"a"}`, "read_file", `{"path":"a"}`},
		{"move_file", `{"source":"a","destination":"b"}`, "rename_file", `{"from":"a","to":"b"}`},
		{"rm", `{"file":"a"}`, "delete_file", `{"path":"a"}`},
		// Nobody knows what these mean.
		{"read_file", `{"path":"a","file_path":"b"}`, "read_file", `{"file_path":"b","path":"a"}`},
		{"launch_rocket", `{"file_path":"a"}`, "launch_rocket", `{"file_path":"a"}`},
		{"read_file", `"a"`, "read_file", `"a"`},
	} {
		tool, args := tools.Understood(c.name, json.RawMessage(c.args))
		var value any
		if err := json.Unmarshal(args, &value); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if tool != c.tool || string(sorted) != c.want {
			t.Errorf("%s %s: got %s %s, want %s %s", c.name, c.args, tool, sorted, c.tool, c.want)
		}
	}
}
