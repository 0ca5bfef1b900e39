package lsp

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
)

// Config configures a Client.
type Config struct {
	// Root is the project's directory and Language that of the language's own declarations, as
	// the process sees them.
	Root, Language string
	// Exists reports whether the project has a file. It decides what Changed tells.
	Exists func(path string) bool
	// Time is how long an answer may take.
	Time time.Duration
	// End ends the process. It may be called repeatedly and does not wait.
	End func()
}

// Client talks to one process.
type Client struct {
	config Config
	places places
	link   *link
	// turn has one element while a question may be asked.
	turn chan struct{}

	// The document that is open, and its version. Only the holder of the turn uses them.
	open    languageserver.Document
	version int
}

var _ languageserver.Server = (*Client)(nil)

// New returns a client that writes to in. Output takes what the process says, and Over says that
// it has ended.
func New(config Config, in io.WriteCloser) *Client {
	c := &Client{
		config: config, places: places{config.Root, config.Language}, turn: make(chan struct{}, 1),
		link: newLink(languageserver.MaxAnswerBytes, config.End),
	}
	c.turn <- struct{}{}
	go c.link.write(in)
	return c
}

// Write takes a part of the process's output. It implements io.Writer. A process that breaks the
// protocol is ended.
func (c *Client) Write(part []byte) (int, error) {
	if err := c.link.read(part); err != nil {
		c.config.End()
		return 0, err
	}
	return len(part), nil
}

// Over tells the client that the process has ended.
func (c *Client) Over() { c.link.over() }

// Done implements languageserver.Server.
func (c *Client) Done() <-chan struct{} { return c.link.done }

// Close implements languageserver.Server.
func (c *Client) Close() {
	c.config.End()
	<-c.link.done
}

// Begin begins the conversation. It returns an error if the process does not answer.
func (c *Client) Begin(ctx context.Context) error {
	root := c.places.address("")
	return c.take(ctx, func(ask asker) error {
		var ignored struct{}
		err := ask("initialize", map[string]any{
			"processId": nil, "rootUri": root, "workspaceFolders": []any{map[string]string{"uri": root, "name": "app"}},
			"capabilities": capabilities(),
		}, &ignored)
		if err != nil {
			return err
		}
		return c.link.post(message{Method: "initialized", Params: struct{}{}})
	})
}

// capabilities are what this client understands.
func capabilities() map[string]any {
	return map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-16"}},
		"textDocument": map[string]any{
			"completion": map[string]any{
				"completionItem": map[string]any{
					"snippetSupport": false, "documentationFormat": []string{"markdown"}, "labelDetailsSupport": true,
					"tagSupport":     map[string]any{"valueSet": []int{1}},
					"resolveSupport": map[string]any{"properties": []string{"documentation", "detail", "additionalTextEdits"}},
				},
				"completionList": map[string]any{"itemDefaults": []string{"editRange", "data"}},
			},
			"hover":      map[string]any{"contentFormat": []string{"markdown"}},
			"definition": map[string]any{"linkSupport": false},
			"diagnostic": map[string]any{"dynamicRegistration": false},
		},
		"workspace": map[string]any{"configuration": false},
	}
}

// asker asks one question and decodes its answer.
type asker func(method string, params, result any) error

// take waits for a turn and lets act ask. When ctx ends, take returns at once, and the turn ends
// when the process has answered or was ended.
func (c *Client) take(ctx context.Context, act func(ask asker) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.link.done:
		return errOver()
	case <-c.turn:
	}
	result := make(chan error, 1)
	go func() {
		defer func() { c.turn <- struct{}{} }()
		result <- act(func(method string, params, result any) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return c.link.call(ctx, c.config.Time, method, params, result)
		})
	}()
	select {
	case err := <-result:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// about lets act ask about a document with this text.
func (c *Client) about(ctx context.Context, document languageserver.Document, act func(ask asker) error) error {
	return c.take(ctx, func(ask asker) error {
		if err := c.show(document); err != nil {
			return err
		}
		return act(ask)
	})
}

// show opens a document, or gives the open one its text.
func (c *Client) show(document languageserver.Document) error {
	before := c.open
	if before == document {
		return nil
	}
	c.version++
	c.open = document
	address := c.places.address(document.Path.String())
	if before.Path == document.Path {
		return c.link.post(message{Method: "textDocument/didChange", Params: map[string]any{
			"textDocument":   map[string]any{"uri": address, "version": c.version},
			"contentChanges": []any{map[string]string{"text": document.Text}},
		}})
	}
	err := c.link.post(message{Method: "textDocument/didOpen", Params: map[string]any{"textDocument": map[string]any{
		"uri": address, "languageId": languageOf(document.Path.String()), "version": c.version, "text": document.Text,
	}}})
	if err != nil || before.Path == (core.ProjectPath{}) {
		return err
	}
	// The earlier one is closed last, so that the process keeps the configuration of both.
	return c.link.post(message{Method: "textDocument/didClose", Params: map[string]any{
		"textDocument": map[string]string{"uri": c.places.address(before.Path.String())},
	}})
}

func languageOf(file string) string {
	language := "javascript"
	if strings.HasSuffix(file, "ts") || strings.HasSuffix(file, "tsx") {
		language = "typescript"
	}
	if strings.HasSuffix(file, "x") {
		language += "react"
	}
	return language
}

// The protocol's kinds of changes to files.
const (
	fileCreated = 1
	fileChanged = 2
	fileDeleted = 3
)

// Changed implements languageserver.Server.
func (c *Client) Changed(paths []string) {
	changes := []any{}
	for _, file := range paths {
		kinds := []int{fileDeleted}
		if c.config.Exists(file) {
			// Nobody knows whether it was there when the process last looked.
			kinds = []int{fileDeleted, fileCreated}
		}
		for _, kind := range kinds {
			changes = append(changes, map[string]any{"uri": c.places.address(file), "type": kind})
		}
	}
	if len(changes) > 0 {
		_ = c.link.post(message{Method: "workspace/didChangeWatchedFiles", Params: map[string]any{"changes": changes}})
	}
}
