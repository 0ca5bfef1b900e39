package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/search"
)

// mapProject is a project in a map. A file that holds "BROKEN" keeps it from
// building.
type mapProject struct {
	files map[string]string
	// times are when files changed, 0 for the others.
	times   map[string]core.Time
	console []string
	failing error
	// syntax checks files, memory's when it is nil.
	syntax build.SyntaxChecker
	// commands are the effects of command lines; a nil one hangs, an unknown line
	// fails with failing.
	commands map[string]func(files map[string]string) (report string, changed []core.FileChanged, err error)
	// table and answers, by method and path, are the backend's; asked are the requests;
	// schema is what became of its schema file.
	table   backend.Table
	answers map[string]tools.BackendResponse
	asked   []tools.BackendRequest
	schema  tools.SchemaState
	// calls are the log of test data.
	calls []core.BackendCall
	// generates says that looking at the schema writes its types.
	generates bool
}

func (d *mapProject) List(context.Context) ([]core.FileEntry, error) {
	var entries []core.FileEntry
	for path, content := range d.files {
		entries = append(entries, core.FileEntry{Path: core.MustPath(path), Size: int64(len(content)), UpdatedAt: d.times[path], ETag: etag(content)})
	}
	slices.SortFunc(entries, func(a, b core.FileEntry) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	return entries, nil
}

func (d *mapProject) Read(_ context.Context, path core.ProjectPath) ([]byte, string, error) {
	content, found := d.files[path.String()]
	if !found {
		return nil, "", core.NotFound("file")
	}
	return []byte(content), etag(content), nil
}

func (d *mapProject) Apply(_ context.Context, change core.FileChange, ifMatch string) (tools.ChangeResult, error) {
	if d.failing != nil {
		return tools.ChangeResult{}, d.failing
	}
	before, found := d.files[change.Path.String()]
	switch {
	case ifMatch != "" && etag(before) != ifMatch:
		return tools.ChangeResult{}, core.Errorf(core.CodePreconditionFailed, "the file has changed")
	case change.Op == core.OpWrite:
		d.files[change.Path.String()] = string(change.Content)
		if found {
			return tools.ChangeResult{Action: core.FileModified, ETag: etag(string(change.Content))}, nil
		}
		return tools.ChangeResult{Action: core.FileCreated, ETag: etag(string(change.Content))}, nil
	case !found:
		return tools.ChangeResult{}, core.NotFound("file")
	}
	delete(d.files, change.Path.String())
	if change.Op == core.OpRename {
		d.files[change.To.String()] = before
		return tools.ChangeResult{Action: core.FileRenamed, ETag: etag(before)}, nil
	}
	return tools.ChangeResult{Action: core.FileDeleted}, nil
}

func (d *mapProject) Search(_ context.Context, query search.Query) (search.Found, error) {
	var found search.Found
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		if content := d.files[path]; strings.Contains(content, query.Pattern) {
			found.Matches = append(found.Matches, core.Match{Path: core.MustPath(path), Line: 1, Column: 1, Text: content})
		}
	}
	return found, nil
}

func (d *mapProject) Check(context.Context) (wrong, warnings []core.Diagnostic, err error) {
	for path, content := range d.files {
		if bytes.Contains([]byte(content), []byte("BROKEN")) {
			return []core.Diagnostic{{Path: path, Line: 1, Column: 1, Message: "it is broken"}}, nil, nil
		}
	}
	if strings.Contains(d.files["index.html"], "FAINT") {
		warnings = []core.Diagnostic{{Path: "index.html", Message: "it is faint"}}
	}
	return nil, warnings, nil
}

func (d *mapProject) Syntax(ctx context.Context, path core.ProjectPath, content []byte) ([]core.Diagnostic, error) {
	if d.syntax != nil {
		return d.syntax.Syntax(ctx, path.String(), content)
	}
	return memory.NewBuilder().Syntax(ctx, path.String(), content)
}

func (d *mapProject) Console(context.Context) ([]string, error) { return d.console, nil }

func (d *mapProject) Network(context.Context) string { return "It reaches what the test says." }

func (d *mapProject) Run(ctx context.Context, command string) (string, []core.FileChanged, error) {
	does, known := d.commands[command]
	if !known {
		return "", nil, d.failing
	}
	if does == nil {
		<-ctx.Done()
		return "", []core.FileChanged{{Path: "half.txt", Action: core.FileCreated}}, ctx.Err()
	}
	return does(d.files)
}

func (d *mapProject) Query(context.Context, string) (backend.Table, error) { return d.table, d.failing }

func (d *mapProject) Request(_ context.Context, request tools.BackendRequest) (tools.BackendResponse, error) {
	d.asked = append(d.asked, request)
	return d.answers[request.Method+" "+request.Path], d.failing
}

func (d *mapProject) Calls(_ context.Context, failed bool) ([]core.BackendCall, error) {
	return slices.DeleteFunc(slices.Clone(d.calls), func(call core.BackendCall) bool { return failed && !call.Failed() }), d.failing
}

func (d *mapProject) Schema(context.Context) (tools.SchemaState, error) {
	if _, found := d.files[core.BackendSchemaPath]; !found {
		return tools.SchemaState{}, core.NotFound("backend")
	}
	if d.generates {
		d.files[core.BackendTypesPath] = "// types of " + d.files[core.BackendSchemaPath]
	}
	return d.schema, nil
}

// etag is quick for the megabytes that some tests have.
func etag(content string) string {
	return fmt.Sprintf(`"%08x%x"`, crc32.ChecksumIEEE([]byte(content)), len(content))
}
