package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// tool is a tool that the model may call.
type tool struct {
	name        string
	description string
	// parameters is a JSON schema.
	parameters string
	// changes marks a tool that only modes with all tools have.
	changes bool
	// alone marks a tool that changes nothing in the project and still waits for its turn.
	alone bool
	// extra marks a tool that a model with a small window is not told of.
	extra bool
	// backend marks a tool that the model is told of only in projects with a backend.
	backend bool
	// web marks a tool that there is only where the operator lets the agent read the web.
	web bool
	// eyes marks a tool that there is only where pages can be opened.
	eyes bool
	// paints marks a tool that there is only where the workspace's provider can paint.
	paints bool
	// connects marks a tool that there is only where the workspace has connectors.
	connects bool
	// timeout bounds the call; 0 is toolTimeout.
	timeout time.Duration
	run     func(ctx context.Context, in *invocation, args json.RawMessage) (Result, error)
}

// Result is the answer of a tool to the model, with the files that it changed.
type Result struct {
	Text    string
	Images  []ai.Image
	Changed []core.FileChanged
	// Frames are pictures of the page that the tool saw or used, for those who watch.
	Frames []core.Attachment
	// Approval is set for a call that was not made, because a person has to say yes first.
	Approval *core.ApprovalRequest
}

// allTools returns the tools in the order in which they are described to the model.
func allTools() []tool {
	return slices.Concat(fileTools(), projectTools(), eyeTools(), backendTools(), personTools(), webTools(), paintTools(), connectorTools())
}

// fileTools read and change the project's files.
func fileTools() []tool {
	return []tool{
		{
			name:        "list_files",
			description: "List the project's files with their sizes in bytes: all, or those below path. from continues a list that was cut.",
			parameters:  `{"type":"object","properties":{"path":{"type":"string"},"from":{"type":"integer","minimum":1}},"additionalProperties":false}`,
			run:         listFiles,
		},
		{
			name:        readTool,
			description: "Read a text file, or its lines from to to, counted from 1. The result begins with its hash.",
			parameters:  `{"type":"object","properties":{"path":{"type":"string"},"from":{"type":"integer","minimum":1},"to":{"type":"integer","minimum":1}},"required":["path"],"additionalProperties":false}`,
			run:         readFile,
		},
		{
			name:        "search_files",
			description: "Search all files, line by line, with a regular expression in RE2 syntax. from continues a list that was cut.",
			parameters:  `{"type":"object","properties":{"query":{"type":"string"},"maxResults":{"type":"integer","minimum":1,"maximum":1000},"from":{"type":"integer","minimum":1,"maximum":1000}},"required":["query"],"additionalProperties":false}`,
			run:         searchFiles,
		},
		{
			name: writeTool,
			description: "Create a file, or replace a whole file. content is the complete new content, with nothing left out. " +
				"One too long for an answer is written in parts: append adds content at its end, unfinished says that more follows.",
			parameters: `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"append":{"type":"boolean"},"unfinished":{"type":"boolean"}},"required":["path","content"],"additionalProperties":false}`,
			changes:    true,
			run:        writeFile,
		},
		{
			name: EditTool,
			description: "Replace a place in a file that you have read. oldText must occur exactly once, unless replaceAll is true: copy whole lines, enough to make it unique. " +
				"newText is taken literally. For several places give edits: all are made, or none. hash, the file's from its last result, may be left out.",
			parameters: `{"type":"object","properties":{"path":{"type":"string"},"oldText":{"type":"string"},"newText":{"type":"string"},"replaceAll":{"type":"boolean"},` +
				`"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"},"replaceAll":{"type":"boolean"}},"required":["oldText","newText"]}},"hash":{"type":"string"}},"required":["path"],"additionalProperties":false}`,
			changes: true,
			run:     editFile,
		},
		{
			name:        renameTool,
			description: "Move a file or a directory.",
			parameters:  `{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"],"additionalProperties":false}`,
			changes:     true,
			run:         renameFile,
		},
		{
			name:        deleteTool,
			description: "Delete a file, or a directory with everything in it.",
			parameters:  `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`,
			changes:     true,
			run:         deleteFile,
		},
	}
}

// projectTools build and run the project.
func projectTools() []tool {
	return []tool{
		{
			name:        "check_build",
			description: "Build the project and list the errors.",
			parameters:  `{"type":"object","properties":{},"additionalProperties":false}`,
			changes:     true,
			extra:       true,
			run:         checkBuild,
		},
		{
			name: CommandTool,
			description: "Run one line of sh in the project's directory. It has at most 2 minutes, no input, and sees neither other files of the machine nor the repository; " +
				"only what it writes into the project stays. The result has its exit code, its output, and the files that it changed.",
			parameters: `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`,
			changes:    true,
			timeout:    commandTimeout,
			run:        runCommand,
		},
		{
			name:        "console_logs",
			description: "Show what the page in the preview logged: errors, warnings and messages.",
			parameters:  `{"type":"object","properties":{},"additionalProperties":false}`,
			changes:     true,
			extra:       true,
			run:         consoleLogs,
		},
	}
}

// backendTools read and try the test data of the project's backend.
func backendTools() []tool {
	return []tool{
		{
			name: "backend_query",
			description: "Run one SELECT in SQLite's syntax on the test data of the project's backend, rules aside; it returns up to 200 rows and has 1 second. " +
				"The tables are the collections.",
			parameters: `{"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"],"additionalProperties":false}`,
			backend:    true,
			timeout:    backendTimeout,
			run:        backendQuery,
		},
		{
			name: requestTool,
			description: "Make a request on the test data of the project's backend, to try its rules or to add records. path begins with /_data/, such as /_data/collections/posts/records. " +
				"as is guest, owner (rules aside), or the e-mail address of a user in the test data.",
			parameters: `{"type":"object","properties":{"method":{"type":"string","enum":["GET","POST","PUT","PATCH","DELETE"]},"path":{"type":"string"},"body":{"type":"object"},"as":{"type":"string"}},"required":["method","path","as"],"additionalProperties":false}`,
			changes:    true,
			backend:    true,
			timeout:    backendTimeout,
			run:        backendRequest,
		},
		{
			name: "backend_logs",
			description: "Show what the preview's pages asked of the project's backend: requests for data and runs of functions, the newest first, with status, error and console. " +
				"failed is whether to show only what failed.",
			parameters: `{"type":"object","properties":{"failed":{"type":"boolean"}},"additionalProperties":false}`,
			backend:    true,
			run:        backendLogs,
		},
	}
}

// Names returns the names of all tools, in the order in which the model is
// told of them.
func Names() []string { return namesOf(allTools()) }

func namesOf(tools []tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return names
}
