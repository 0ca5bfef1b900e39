package dialect

import (
	"slices"
	"strings"
	"unicode"
)

// learnt are the names that other agents taught models, by the tool of Atelier that does the same.
var learnt = map[string][]string{
	"read_file":    {"read", "view", "view_file", "open_file", "cat", "get_file", "file_read", "read_file_content", "str_replace_editor_view"},
	"write_file":   {"write", "create", "create_file", "write_to_file", "save_file", "file_write", "put_file", "new_file", "replace_file"},
	"edit_file":    {"edit", "str_replace", "replace", "replace_in_file", "search_replace", "search_and_replace", "multi_edit", "apply_edit", "update_file", "modify_file", "file_edit", "str_replace_editor", "str_replace_based_edit_tool", "text_editor"},
	"list_files":   {"ls", "list", "list_dir", "list_directory", "glob", "list_project_files"},
	"search_files": {"grep", "search", "grep_search", "search_code", "codebase_search", "find_in_files", "ripgrep"},
	"run_command":  {"bash", "shell", "sh", "exec", "execute_command", "run_terminal_cmd", "run_shell_command", "terminal", "execute_bash", "run"},
	"delete_file":  {"delete", "remove_file", "rm", "unlink"},
	"rename_file":  {"rename", "move_file", "move", "mv"},
	"todo":         {"todo_write", "todowrite", "update_todo_list", "write_todos"},
	"ask_person":   {"ask_user", "ask_question", "ask_followup_question", "ask_user_question"},
	"fetch_page":   {"web_fetch", "webfetch", "fetch", "fetch_url", "read_url"},
}

// Resolve returns the offered tool that a model means: by its name in any spelling, behind a prefix
// such as functions., before marks of a template such as <|channel|>, or by a name that other agents
// taught models.
func Resolve(name string, offered []string) (string, bool) {
	if slices.Contains(offered, name) {
		return name, true
	}
	plain, _, _ := strings.Cut(strings.TrimSpace(name), "<")
	plain = strings.TrimRight(plain, " :.0123456789")
	plain = letters(plain[strings.LastIndexAny(plain, ".:/")+1:])
	if plain == "" {
		return "", false
	}
	for _, known := range offered {
		if letters(known) == plain {
			return known, true
		}
	}
	for _, known := range offered {
		if slices.ContainsFunc(learnt[known], func(other string) bool { return letters(other) == plain }) {
			return known, true
		}
	}
	return "", false
}

// letters are the letters of a name, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
