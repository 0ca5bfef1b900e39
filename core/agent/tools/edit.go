package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/edits"
	"github.com/atelierhq/atelier/core/agent/writegate"
)

// maxEdits bounds the edits of one call.
const maxEdits = 100

// editCall is the arguments of edit_file: one edit, or a list of them.
type editCall struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
	editArgs
	Edits editList `json:"edits"`
}

// editArgs is one edit as a model gives it.
type editArgs struct {
	OldText    string  `json:"oldText"`
	NewText    *string `json:"newText"`
	ReplaceAll bool    `json:"replaceAll"`
}

// editList is a list that models also write as a text of JSON.
type editList []editArgs

// UnmarshalJSON implements json.Unmarshaler.
func (l *editList) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil && text != "" {
		data = []byte(text)
	}
	return json.Unmarshal(data, (*[]editArgs)(l))
}

// all returns the edits of the call, in order.
func (c editCall) all() ([]edits.Edit, error) {
	given := []editArgs(c.Edits)
	if c.OldText != "" || c.NewText != nil {
		given = append([]editArgs{c.editArgs}, given...)
	}
	if len(given) == 0 || len(given) > maxEdits {
		return nil, core.Errorf(core.CodeInvalidRequest, "give oldText and newText, or edits, a list of 1 to %d such pairs; to write a whole file use write_file", maxEdits)
	}
	all := make([]edits.Edit, len(given))
	for i, edit := range given {
		if edit.OldText == "" || edit.NewText == nil {
			return nil, core.Errorf(core.CodeInvalidRequest, "oldText and newText are both needed; to write a whole file use write_file")
		}
		all[i] = edits.Edit{OldText: edit.OldText, NewText: *edit.NewText, All: edit.ReplaceAll}
	}
	return all, nil
}

// given is the texts of the call, for its fingerprint.
func (c editCall) given() string {
	text := ""
	for _, edit := range append([]editArgs{c.editArgs}, c.Edits...) {
		text += edit.OldText + editSeparator
		if edit.NewText != nil {
			text += *edit.NewText
		}
		text += editSeparator
	}
	return text
}

func editFile(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args editCall
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return Result{}, err
	}
	all, err := args.all()
	if err != nil {
		return Result{}, err
	}
	content, etag, err := in.Read(ctx, path)
	if err != nil {
		return Result{}, err
	}
	if !IsText(content) {
		return Result{}, core.Errorf(core.CodeUnsupportedFile, "%s is not a text file", path)
	}
	if err := in.memory.mayEdit(path, hashOf(args.Hash), hashOf(etag)); err != nil {
		return Result{}, err
	}
	after, how, err := edits.Apply(path, string(content), all)
	if err != nil {
		return Result{}, err
	}
	write := writegate.Write{Path: path, Before: string(content), After: after, Edits: true}
	if err := in.inspect(ctx, write, args.given()); err != nil {
		return Result{}, err
	}
	result, err := change(ctx, in, core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(after)}, etag)
	if err != nil {
		return result, err
	}
	result = in.withTypes(ctx, path, result)
	if how != edits.FitsExactly {
		result.Text += fmt.Sprintf("\n(oldText did not match exactly: %s.)", how)
	}
	return result, nil
}
