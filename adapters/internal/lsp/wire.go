package lsp

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
)

// The records of the protocol, as far as they are read.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	// editRange is a span, or one for inserting and one for replacing.
	editRange struct {
		span
		Insert *span `json:"insert"`
	}
	textEdit struct {
		Range   *span  `json:"range,omitempty"`
		Insert  *span  `json:"insert,omitempty"`
		NewText string `json:"newText"`
	}
	markup struct {
		Value string `json:"value"`
	}
	item struct {
		Label        string          `json:"label"`
		LabelDetails *labelDetails   `json:"labelDetails,omitempty"`
		Kind         int             `json:"kind,omitempty"`
		Tags         []int           `json:"tags,omitempty"`
		Detail       string          `json:"detail,omitempty"`
		Docs         json.RawMessage `json:"documentation,omitempty"`
		SortText     string          `json:"sortText,omitempty"`
		InsertText   string          `json:"insertText,omitempty"`
		FilterText   string          `json:"filterText,omitempty"`
		TextEdit     *textEdit       `json:"textEdit,omitempty"`
		Edits        []textEdit      `json:"additionalTextEdits,omitempty"`
		Data         json.RawMessage `json:"data,omitempty"`
	}
	labelDetails struct {
		Description string `json:"description,omitempty"`
	}
	itemList struct {
		Incomplete bool `json:"isIncomplete"`
		Defaults   *struct {
			EditRange *editRange      `json:"editRange"`
			Data      json.RawMessage `json:"data"`
		} `json:"itemDefaults"`
		Items []item `json:"items"`
	}
	hover struct {
		Contents markup `json:"contents"`
		Range    *span  `json:"range"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	report struct {
		Items []struct {
			Range    span            `json:"range"`
			Severity int             `json:"severity"`
			Code     json.RawMessage `json:"code"`
			Message  string          `json:"message"`
		} `json:"items"`
	}
)

// The directory of the project, and what the compiler's own declarations are below, as the
// process sees them.
type places struct{ root, language string }

// address is the file's address.
func (p places) address(file string) string {
	return (&url.URL{Scheme: "file", Path: path.Join(p.root, file)}).String()
}

// locate says what an address means. Files below node_modules are of the innermost package. ok is
// false for everything else.
func (p places) locate(address string) (file, name string, ok bool) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "file" || !utf8.ValidString(parsed.Path) {
		return "", "", false
	}
	const modules = "/node_modules/"
	if at := strings.LastIndex(parsed.Path, modules); at >= 0 {
		parts := strings.SplitN(parsed.Path[at+len(modules):], "/", 3)
		if strings.HasPrefix(parts[0], "@") && len(parts) > 1 {
			return "", parts[0] + "/" + parts[1], true
		}
		return "", parts[0], true
	}
	if strings.HasPrefix(parsed.Path, p.language+"/") {
		return "", "typescript", true
	}
	below, isBelow := strings.CutPrefix(parsed.Path, p.root+"/")
	if found, err := core.ParsePath(below); isBelow && err == nil {
		return found.String(), "", true
	}
	return "", "", false
}

func (s span) toRange() languageserver.Range {
	return languageserver.Range{
		Line: natural(s.Start.Line) + 1, Column: natural(s.Start.Character) + 1,
		EndLine: natural(s.End.Line) + 1, EndColumn: natural(s.End.Character) + 1,
	}
}

func natural(n int) int { return max(0, n) }

// kindOf translates the protocol's kinds.
func kindOf(kind int) string {
	switch kind {
	case 2:
		return "method"
	case 3, 4:
		return "function"
	case 5, 10:
		return "property"
	case 7:
		return "class"
	case 8:
		return "interface"
	case 9:
		return "namespace"
	case 13:
		return "enum"
	case 14:
		return "keyword"
	case 20, 21:
		return "constant"
	case 22, 25:
		return "type"
	case 6:
		return "variable"
	}
	return "text"
}

// described divides the Markdown of a description: TypeScript puts the type first, as a block of
// code.
func described(text string) (signature, documentation string) {
	for _, opening := range []string{"```typescript\n", "```tsx\n", "```ts\n"} {
		rest, isCode := strings.CutPrefix(text, opening)
		if !isCode {
			continue
		}
		signature, documentation, _ = strings.Cut(rest, "\n```")
		return bounded(strings.TrimSpace(signature), languageserver.MaxMessageBytes), bounded(strings.TrimSpace(documentation), languageserver.MaxDocumentationBytes)
	}
	return "", bounded(strings.TrimSpace(text), languageserver.MaxDocumentationBytes)
}

func bounded(text string, most int) string {
	return core.Shorten(strings.ToValidUTF8(text, "\uFFFD"), most)
}
