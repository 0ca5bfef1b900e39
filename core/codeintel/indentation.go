package codeintel

import (
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
)

const (
	// maxConfigBytes is how much of a configuration is read.
	maxConfigBytes = 64 << 10
	// usualIndent is the indentation of a file that has none.
	usualIndent = 2
	maxIndent   = 16
)

// styleOf returns how a document is indented: as the root's .editorconfig or Prettier's
// configuration (as JSON) say, or else as its own first indented line is.
func styleOf(files fs.FS, document languageserver.Document) languageserver.Style {
	style := indentIn(document.Text)
	if text := readConfig(files, ".editorconfig"); text != "" {
		style = editorConfig(text, path.Base(document.Path.String()), style)
	}
	for _, name := range []string{".prettierrc", ".prettierrc.json", "package.json"} {
		text := readConfig(files, name)
		if name == "package.json" {
			var manifest struct {
				Prettier json.RawMessage `json:"prettier"`
			}
			_ = json.Unmarshal([]byte(text), &manifest)
			text = string(manifest.Prettier)
		}
		style = prettier(text, style)
	}
	return style
}

func readConfig(files fs.FS, name string) string {
	file, err := files.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, maxConfigBytes))
	return string(core.WithoutMark(text))
}

// indented matches the first line that is indented, other than those of comments.
var indented = regexp.MustCompile(`(?m)^(\t+| {2,8})[^\s*]`)

func indentIn(text string) languageserver.Style {
	found := indented.FindStringSubmatch(text)
	switch {
	case found == nil:
		return languageserver.Style{IndentSize: usualIndent}
	case found[1][0] == '\t':
		return languageserver.Style{IndentSize: 4, Tabs: true}
	}
	return languageserver.Style{IndentSize: min(4, len(found[1]))}
}

// prettier applies a configuration of Prettier, if it is JSON.
func prettier(text string, style languageserver.Style) languageserver.Style {
	var config struct {
		TabWidth *int  `json:"tabWidth"`
		UseTabs  *bool `json:"useTabs"`
	}
	if json.Unmarshal([]byte(text), &config) != nil {
		return style
	}
	if config.TabWidth != nil {
		style.IndentSize = within(*config.TabWidth, style.IndentSize)
	}
	if config.UseTabs != nil {
		style.Tabs = *config.UseTabs
	}
	return style
}

// editorConfig applies the sections of an .editorconfig that are about a file of this name.
func editorConfig(text, name string, style languageserver.Style) languageserver.Style {
	applies := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if section, isSection := strings.CutPrefix(line, "["); isSection {
			applies = matches(strings.TrimSuffix(section, "]"), name)
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		value = strings.ToLower(strings.TrimSpace(value))
		if !applies {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "indent_style":
			style.Tabs = value == "tab"
		case "indent_size", "tab_width":
			if size, err := strconv.Atoi(value); err == nil {
				style.IndentSize = within(size, style.IndentSize)
			}
		}
	}
	return style
}

// matches reports whether a section's pattern is about a name: *, *.ts, *.{ts,tsx}.
func matches(pattern, name string) bool {
	before, rest, hasChoice := strings.Cut(pattern, "{")
	choices, after, closed := strings.Cut(rest, "}")
	if !hasChoice || !closed {
		choices, before, after = "", pattern, ""
	}
	for choice := range strings.SplitSeq(choices, ",") {
		is, err := path.Match(strings.TrimPrefix(before+strings.TrimSpace(choice)+after, "**/"), name)
		if err == nil && is {
			return true
		}
	}
	return false
}

func within(size, otherwise int) int {
	if size < 1 || size > maxIndent {
		return otherwise
	}
	return size
}
