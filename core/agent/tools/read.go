package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

func listFiles(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		Path string `json:"path"`
		From count  `json:"from"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return Result{}, err
	}
	below, err := toolFolder(args.Path)
	if err != nil {
		return Result{}, err
	}
	entries, err := in.List(ctx)
	if err != nil {
		return Result{}, err
	}
	rows := rowsOf(entries, below)
	if len(rows) == 0 {
		return Result{Text: "There are no files here."}, nil
	}
	if sizeOfRows(rows) > in.room {
		rows = foldersOf(entries, below)
	}
	text := pageOf(rows, int(args.From), in.room, "continue with from %d, or give the path of a directory")
	return Result{Text: text}, nil
}

// toolFolder reads the path of a directory; "", "." and "/" are the project's root.
func toolFolder(text string) (core.ProjectPath, error) {
	if folder := strings.Trim(text, "./"); folder == "" && !strings.Contains(text, "..") {
		return core.ProjectPath{}, nil
	}
	return toolPath(strings.TrimSuffix(text, "/"))
}

func rowsOf(entries []core.FileEntry, below core.ProjectPath) []string {
	var rows []string
	for _, entry := range entries {
		if below.Contains(entry.Path) {
			rows = append(rows, fmt.Sprintf("%s (%d)\n", entry.Path, entry.Size))
		}
	}
	return rows
}

// Folders lists the files and folders at the top of a project, at most so many.
func Folders(entries []core.FileEntry, most int) []string {
	var rows []string
	for _, row := range foldersOf(entries, core.ProjectPath{}) {
		rows = append(rows, strings.TrimSpace(row))
	}
	return rows[:min(len(rows), most)]
}

// foldersOf lists the files directly in a directory, and each directory in it with
// only its number of files.
func foldersOf(entries []core.FileEntry, below core.ProjectPath) []string {
	prefix := ""
	if !below.IsRoot() {
		prefix = below.String() + "/"
	}
	var rows []string
	folder, files := "", 0
	closeFolder := func() {
		if files > 0 {
			rows = append(rows, fmt.Sprintf("%s/ (%d files)\n", folder, files))
		}
		files = 0
	}
	for _, entry := range entries {
		if !below.Contains(entry.Path) {
			continue
		}
		name, _, inside := strings.Cut(strings.TrimPrefix(entry.Path.String(), prefix), "/")
		if !inside {
			closeFolder()
			rows = append(rows, fmt.Sprintf("%s (%d)\n", entry.Path, entry.Size))
			continue
		}
		if prefix+name != folder {
			closeFolder()
			folder = prefix + name
		}
		files++
	}
	closeFolder()
	return rows
}

func sizeOfRows(rows []string) (bytes int) {
	for _, row := range rows {
		bytes += len(row)
	}
	return bytes
}

// noteRoom is the room, in bytes, for the sentence that says how to get the rest.
const noteRoom = 160

// pageOf joins as many rows as have room, starting with number from. more says how to
// get the rest.
func pageOf(rows []string, from, room int, more string) string {
	from = max(from, 1)
	if from > len(rows) {
		return fmt.Sprintf("There are only %d.", len(rows))
	}
	if from == 1 && sizeOfRows(rows) <= room {
		return strings.Join(rows, "")
	}
	var out strings.Builder
	next := from - 1
	for next < len(rows) && (next < from || out.Len()+len(rows[next]) <= room-noteRoom) {
		out.WriteString(rows[next])
		next++
	}
	if left := len(rows) - next; left > 0 {
		fmt.Fprintf(&out, "… and %d more: "+more+"\n", left, next+1)
	}
	return out.String()
}

func readFile(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		Path string `json:"path"`
		From count  `json:"from"`
		To   count  `json:"to"`
	}
	path, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return Result{}, err
	}
	content, etag, err := in.Read(ctx, path)
	if core.IsCode(err, core.CodeNotFound) && path == schemaPath() {
		return Result{}, noBackend()
	}
	if core.IsCode(err, core.CodeNotFound) && path.String() == designFile {
		return Result{Text: DesignGuide}, nil
	}
	if err != nil {
		return Result{}, err
	}
	if !IsText(content) {
		return Result{}, core.Errorf(core.CodeUnsupportedFile, "%s is not a text file", path)
	}
	head := fmt.Sprintf("%s hash %s", path, hashOf(etag))
	if args.From <= 1 && args.To == 0 && len(head)+1+len(content) <= in.room {
		return Result{Text: head + "\n" + string(content)}, nil
	}
	shown, about, err := linesFrom(string(content), int(args.From), int(args.To), in.room-len(head)-noteRoom)
	if err != nil {
		return Result{}, err
	}
	return Result{Text: head + ", " + about + "\n" + shown}, nil
}

// linesFrom returns as many lines as have room, from number from to number to; 0
// means the first and the last line. about says which lines they are and how to get
// the rest.
func linesFrom(content string, from, to, room int) (shown, about string, err error) {
	lines := strings.SplitAfter(content, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from = max(from, 1)
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	if from > to {
		return "", "", core.Errorf(core.CodeValidationFailed, "there are no lines from %d to %d: the file has %d lines", from, to, len(lines))
	}
	var out strings.Builder
	next := from - 1
	for next < to && out.Len()+len(lines[next]) <= room {
		out.WriteString(lines[next])
		next++
	}
	switch {
	case next == to && to == len(lines):
		return out.String(), fmt.Sprintf("lines %d to %d of %d", from, next, len(lines)), nil
	case next >= from:
		return out.String(), fmt.Sprintf("only lines %d to %d of %d: continue with from %d", from, next, len(lines), next+1), nil
	}
	part, _ := CutText(lines[next], max(room, 0))
	return part, fmt.Sprintf("only the first %d of %d bytes of line %d of %d, which is longer than there is room: search it with search_files, or continue with from %d",
		len(part), len(lines[next]), from, len(lines), from+1), nil
}

func searchFiles(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		Query      string `json:"query"`
		MaxResults count  `json:"maxResults"`
		From       count  `json:"from"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return Result{}, err
	}
	if args.MaxResults < 1 {
		args.MaxResults = search.DefaultLimit
	}
	skipped := max(int(args.From), 1) - 1
	found, err := in.Search(ctx, search.Query{Pattern: args.Query, Limit: min(skipped+int(args.MaxResults), search.MaxLimit)})
	if err != nil {
		return Result{}, err
	}
	if len(found.Matches) == 0 {
		return Result{Text: "Nothing matches."}, nil
	}
	rows := make([]string, len(found.Matches))
	for i, match := range found.Matches {
		rows[i] = fmt.Sprintf("%s:%d:%d: %s\n", match.Path, match.Line, match.Column, match.Text)
	}
	text := pageOf(rows, skipped+1, in.room, "continue with from %d, or search for something narrower")
	if found.Truncated && !strings.Contains(text, "… and ") {
		text += fmt.Sprintf("… and more: continue with from %d, or search for something narrower\n", len(rows)+1)
	}
	return Result{Text: text}, nil
}
