package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

// Bounds of what one tool call may put into the model's context.
const (
	maxListedFiles  = 2000
	maxReadBytes    = 256 << 10
	maxWriteBytes   = 1 << 20
	maxDiagnostics  = 20
	maxConsoleLines = 100
)

func listFiles(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	var args struct {
		Path string `json:"path"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return toolResult{}, err
	}
	var below core.ProjectPath
	if folder := strings.Trim(strings.TrimPrefix(args.Path, "./"), "/"); folder != "" && folder != "." {
		var err error
		if below, err = core.ParsePath(strings.TrimSuffix(args.Path, "/")); err != nil {
			return toolResult{}, err
		}
	}
	entries, err := desk.List(ctx)
	if err != nil {
		return toolResult{}, err
	}
	var out strings.Builder
	listed := 0
	for _, entry := range entries {
		if !below.Contains(entry.Path) {
			continue
		}
		if listed++; listed > maxListedFiles {
			continue
		}
		fmt.Fprintf(&out, "%s (%d)\n", entry.Path, entry.Size)
	}
	if listed == 0 {
		return toolResult{text: "There are no files here."}, nil
	}
	if listed > maxListedFiles {
		fmt.Fprintf(&out, "… and %d more; give a path to list less\n", listed-maxListedFiles)
	}
	return toolResult{text: out.String()}, nil
}

func readFile(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	var args struct {
		Path string `json:"path"`
	}
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return toolResult{}, err
	}
	content, etag, err := desk.Read(ctx, path)
	if err != nil {
		return toolResult{}, err
	}
	if !isText(content) {
		return toolResult{}, core.Errorf(core.CodeUnsupportedFile, "%s is not a text file", path)
	}
	text, cut := cutText(string(content), maxReadBytes)
	head := fmt.Sprintf("%s hash %s\n", path, hashOf(etag))
	if cut {
		head = fmt.Sprintf("%s hash %s, only the first %d of %d bytes\n", path, hashOf(etag), len(text), len(content))
	}
	return toolResult{text: head + text}, nil
}

func searchFiles(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	var args struct {
		Query      string `json:"query"`
		MaxResults int    `json:"maxResults"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return toolResult{}, err
	}
	if args.MaxResults < 1 {
		args.MaxResults = search.DefaultLimit
	}
	found, err := desk.Search(ctx, search.Query{Pattern: args.Query, Limit: min(args.MaxResults, search.MaxLimit)})
	if err != nil {
		return toolResult{}, err
	}
	if len(found.Matches) == 0 {
		return toolResult{text: "Nothing matches."}, nil
	}
	var out strings.Builder
	for _, match := range found.Matches {
		fmt.Fprintf(&out, "%s:%d:%d: %s\n", match.Path, match.Line, match.Column, match.Text)
	}
	if found.Truncated {
		out.WriteString("… and more\n")
	}
	return toolResult{text: out.String()}, nil
}

func writeFile(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	var args struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
	}
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return toolResult{}, err
	}
	if args.Content == nil {
		return toolResult{}, core.Errorf(core.CodeInvalidRequest, "content is missing: give the whole content of the file")
	}
	return change(ctx, desk, core.FileChange{Op: core.OpWrite, Path: path, Content: []byte(*args.Content)}, "")
}

func editFile(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	var args struct {
		Path    string  `json:"path"`
		OldText string  `json:"oldText"`
		NewText *string `json:"newText"`
		Hash    string  `json:"hash"`
	}
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return toolResult{}, err
	}
	if args.OldText == "" || args.NewText == nil {
		return toolResult{}, core.Errorf(core.CodeInvalidRequest, "oldText and newText are both needed; to write a whole file use write_file")
	}
	content, etag, err := desk.Read(ctx, path)
	if err != nil {
		return toolResult{}, err
	}
	if args.Hash != "" && hashOf(args.Hash) != hashOf(etag) {
		return toolResult{}, core.Errorf(core.CodePreconditionFailed, "%s has changed since it was read: read it again", path)
	}
	edited, err := replaceOnce(content, args.OldText, *args.NewText)
	if err != nil {
		return toolResult{}, err
	}
	return change(ctx, desk, core.FileChange{Op: core.OpWrite, Path: path, Content: edited}, etag)
}

// replaceOnce replaces the only place where old stands in content, literally. A
// file with Windows line endings keeps them.
func replaceOnce(content []byte, old, replacement string) ([]byte, error) {
	if bytes.Contains(content, []byte("\r\n")) {
		old, replacement = windowsLines(old), windowsLines(replacement)
	}
	switch n := bytes.Count(content, []byte(old)); n {
	case 0:
		return nil, core.Errorf(core.CodeValidationFailed, "oldText does not stand in the file: read the file and copy the text exactly")
	case 1:
		return bytes.Replace(content, []byte(old), []byte(replacement), 1), nil
	default:
		return nil, core.Errorf(core.CodeValidationFailed, "oldText stands in the file %d times: give more of the lines around it", n)
	}
}

func windowsLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

func renameFile(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	var args struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	from, err := decodePath(raw, &args, &args.From)
	if err != nil {
		return toolResult{}, err
	}
	to, err := core.ParsePath(args.To)
	if err != nil {
		return toolResult{}, err
	}
	return change(ctx, desk, core.FileChange{Op: core.OpRename, Path: from, To: to}, "")
}

func deleteFile(ctx context.Context, desk Desk, raw json.RawMessage) (toolResult, error) {
	var args struct {
		Path string `json:"path"`
	}
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return toolResult{}, err
	}
	return change(ctx, desk, core.FileChange{Op: core.OpDelete, Path: path}, "")
}

// change makes one change and tells what became of it, together with what then
// keeps the project from building.
func change(ctx context.Context, desk Desk, c core.FileChange, ifMatch string) (toolResult, error) {
	if len(c.Content) > maxWriteBytes {
		return toolResult{}, core.Errorf(core.CodePayloadTooLarge, "the content is larger than %d bytes: split it into files", maxWriteBytes)
	}
	action, err := desk.Apply(ctx, c, ifMatch)
	if err != nil {
		return toolResult{}, err
	}
	shown := c.Path
	if c.Op == core.OpRename {
		shown = c.To
	}
	result := toolResult{
		text:    fmt.Sprintf("%s %s.\n", shown, action),
		changed: []core.FileChanged{{Path: shown.String(), Action: action}},
	}
	report, err := buildReport(ctx, desk)
	if err != nil {
		// The change stands; only its check could not be made.
		report = "The build could not be checked: " + messageOf(err)
	}
	result.text += report
	return result, nil
}

func decodePath(raw json.RawMessage, into any, path *string) (core.ProjectPath, error) {
	if err := decodeArgs(raw, into); err != nil {
		return core.ProjectPath{}, err
	}
	return core.ParsePath(*path)
}

// hashOf is an ETag without its quotes: models copy it more reliably.
func hashOf(etag string) string { return strings.Trim(etag, `"`) }

func isText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

// cutText cuts text to at most limit bytes, between characters.
func cutText(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], true
}
