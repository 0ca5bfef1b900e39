package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/atelierhq/atelier/ports/languageserver"
)

// document names a document in a question.
func (c *Client) document(d languageserver.Document) map[string]string {
	return map[string]string{"uri": c.places.address(d.Path.String())}
}

// at are the parameters of a question about a place.
func (c *Client) at(place languageserver.Place) map[string]any {
	return map[string]any{"textDocument": c.document(place.Document), "position": inside(place)}
}

// inside returns the position of a place, which is within the text.
func inside(place languageserver.Place) position {
	lines := strings.SplitN(place.Text, "\n", max(1, place.Line)+1)
	number := min(max(1, place.Line), len(lines))
	line := strings.TrimSuffix(lines[number-1], "\r")
	most := 0
	for _, r := range line {
		most += max(1, utf16.RuneLen(r))
	}
	return position{number - 1, min(natural(place.Column-1), most)}
}

// Complete implements languageserver.Server.
func (c *Client) Complete(ctx context.Context, at languageserver.Place) (languageserver.Completions, error) {
	var list itemList
	err := c.about(ctx, at.Document, func(ask asker) (err error) {
		list, err = c.list(ask, at)
		return err
	})
	if err != nil {
		return languageserver.Completions{}, err
	}
	slices.SortStableFunc(list.Items, func(a, b item) int { return cmp.Compare(a.SortText, b.SortText) })
	made := languageserver.Completions{Column: inside(at).Character + 1, Truncated: list.Incomplete}
	if replaced := list.replaced(); replaced != nil && replaced.Start.Line == inside(at).Line {
		made.Column = replaced.toRange().Column
	}
	for _, one := range list.Items {
		if len(made.Items) == languageserver.MaxCompletions {
			made.Truncated = true
			break
		}
		made.Items = append(made.Items, one.toCompletion())
	}
	return made, nil
}

// list asks for the completions at a place.
func (c *Client) list(ask asker, at languageserver.Place) (itemList, error) {
	params := c.at(at)
	params["context"] = map[string]int{"triggerKind": 1}
	var raw json.RawMessage
	if err := ask("textDocument/completion", params, &raw); err != nil {
		return itemList{}, err
	}
	var list itemList
	// The answer is a list, or its items alone.
	if json.Unmarshal(raw, &list) != nil {
		_ = json.Unmarshal(raw, &list.Items)
	}
	return list, nil
}

// replaced is what completions without a range of their own replace; nil if the list does not say.
func (l itemList) replaced() *span {
	if l.Defaults == nil || l.Defaults.EditRange == nil {
		return nil
	}
	if l.Defaults.EditRange.Insert != nil {
		return l.Defaults.EditRange.Insert
	}
	return &l.Defaults.EditRange.span
}

func (i item) source() string {
	if i.LabelDetails == nil {
		return ""
	}
	return bounded(i.LabelDetails.Description, languageserver.MaxMessageBytes)
}

func (i item) toCompletion() languageserver.Completion {
	made := languageserver.Completion{
		Label: bounded(i.Label, languageserver.MaxMessageBytes), Kind: kindOf(i.Kind), Source: i.source(), Deprecated: slices.Contains(i.Tags, 1),
	}
	insert := i.InsertText
	if edit := i.TextEdit; edit != nil {
		insert = edit.NewText
		if where := cmp.Or(edit.Range, edit.Insert); where != nil {
			replaced := where.toRange()
			made.Replace = &replaced
		}
	}
	if insert != i.Label {
		made.Insert = bounded(insert, languageserver.MaxMessageBytes)
	}
	return made
}

// Describe implements languageserver.Server.
func (c *Client) Describe(ctx context.Context, at languageserver.Place, label, source string) (languageserver.Description, error) {
	made := languageserver.Description{Edits: []languageserver.Edit{}}
	err := c.about(ctx, at.Document, func(ask asker) error {
		list, err := c.list(ask, at)
		if err != nil {
			return err
		}
		found := slices.IndexFunc(list.Items, func(i item) bool { return i.Label == label && i.source() == source })
		if found < 0 {
			return nil
		}
		one := list.Items[found]
		if len(one.Data) == 0 && list.Defaults != nil {
			one.Data = list.Defaults.Data
		}
		if err := ask("completionItem/resolve", one, &one); err != nil {
			return err
		}
		made.Signature = bounded(one.Detail, languageserver.MaxMessageBytes)
		_, made.Documentation = described(textOf(one.Docs))
		made.Edits = toEdits(one.Edits)
		return nil
	})
	return made, err
}

// textOf reads documentation, which is a text or has one.
func textOf(raw json.RawMessage) string {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return plain
	}
	var marked markup
	_ = json.Unmarshal(raw, &marked)
	return marked.Value
}

// toEdits translates edits, in the order of their places.
func toEdits(edits []textEdit) []languageserver.Edit {
	made := []languageserver.Edit{}
	for _, edit := range edits {
		if edit.Range != nil {
			made = append(made, languageserver.Edit{Range: edit.Range.toRange(), Text: strings.ToValidUTF8(edit.NewText, "\uFFFD")})
		}
	}
	slices.SortStableFunc(made, func(a, b languageserver.Edit) int { return compare(a.Range, b.Range) })
	return made
}

// compare orders ranges by where they begin.
func compare(a, b languageserver.Range) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// Hover implements languageserver.Server.
func (c *Client) Hover(ctx context.Context, at languageserver.Place) (languageserver.Hover, error) {
	var got *hover
	err := c.about(ctx, at.Document, func(ask asker) error { return ask("textDocument/hover", c.at(at), &got) })
	if err != nil || got == nil || got.Range == nil {
		return languageserver.Hover{}, err
	}
	where := got.Range.toRange()
	made := languageserver.Hover{Range: &where}
	made.Signature, made.Documentation = described(got.Contents.Value)
	return made, nil
}

// Define implements languageserver.Server.
func (c *Client) Define(ctx context.Context, at languageserver.Place) ([]languageserver.Location, error) {
	var raw json.RawMessage
	err := c.about(ctx, at.Document, func(ask asker) error { return ask("textDocument/definition", c.at(at), &raw) })
	if err != nil {
		return nil, err
	}
	var found []location
	if json.Unmarshal(raw, &found) != nil {
		var one location
		if json.Unmarshal(raw, &one) == nil {
			found = []location{one}
		}
	}
	made := []languageserver.Location{}
	for _, one := range found {
		file, name, ok := c.places.locate(one.URI)
		if ok && len(made) < languageserver.MaxLocations {
			made = append(made, languageserver.Location{Path: file, Package: name, Range: one.Range.toRange()})
		}
	}
	return made, nil
}

// Diagnose implements languageserver.Server.
func (c *Client) Diagnose(ctx context.Context, document languageserver.Document) ([]languageserver.Finding, error) {
	var got report
	err := c.about(ctx, document, func(ask asker) error {
		return ask("textDocument/diagnostic", map[string]any{"textDocument": c.document(document)}, &got)
	})
	if err != nil {
		return nil, err
	}
	made := []languageserver.Finding{}
	for _, one := range got.Items {
		severity := languageserver.SeverityError
		switch one.Severity {
		case 3, 4:
			// A hint, such as a name that is not used yet.
			continue
		case 2:
			severity = languageserver.SeverityWarning
		}
		// A code that is no number stays 0.
		code, _ := strconv.Atoi(string(one.Code))
		made = append(made, languageserver.Finding{
			Range: one.Range.toRange(), Severity: severity, Code: code, Message: bounded(one.Message, languageserver.MaxMessageBytes),
		})
	}
	slices.SortStableFunc(made, func(a, b languageserver.Finding) int { return compare(a.Range, b.Range) })
	return made[:min(len(made), languageserver.MaxFindings)], nil
}

// Format implements languageserver.Server.
func (c *Client) Format(ctx context.Context, document languageserver.Document, style languageserver.Style) ([]languageserver.Edit, error) {
	var got []textEdit
	err := c.about(ctx, document, func(ask asker) error {
		return ask("textDocument/formatting", map[string]any{
			"textDocument": c.document(document),
			"options":      map[string]any{"tabSize": style.IndentSize, "insertSpaces": !style.Tabs, "trimTrailingWhitespace": true},
		}, &got)
	})
	if err != nil {
		return nil, err
	}
	return toEdits(got), nil
}
