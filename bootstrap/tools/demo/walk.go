package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// walker carries the results of one step of the walk to the next.
type walker struct {
	*client
	ctx       context.Context
	workspace core.ID
	project   core.Project
	changed   []string
	// site and preview are addresses. The preview gets another when a member joins or
	// leaves, so only the last one counts.
	site, preview string
	// outbox is the folder of the service's mails, guest the second person.
	outbox string
	guest  *client
	// scripted says that the demo provider answered, and no model.
	scripted bool
}

func (w *walker) signUp() error {
	email := fmt.Sprintf("demo-%d@example.com", time.Now().UnixNano())
	var answer struct {
		User        core.User      `json:"user"`
		Workspace   core.Workspace `json:"workspace"`
		AccessToken string         `json:"accessToken"`
	}
	body := map[string]string{"email": email, "password": "correct horse battery staple", "displayName": "Demo"}
	if err := w.call(w.ctx, http.MethodPost, "/auth/signup", body, &answer); err != nil {
		return err
	}
	w.token, w.workspace = answer.AccessToken, answer.Workspace.ID
	say("%s has the workspace %q", answer.User.Email, answer.Workspace.Name)
	return nil
}

func (w *walker) createProject() error {
	body := map[string]string{"name": "My first app", "template": "todo-app"}
	if err := w.call(w.ctx, http.MethodPost, "/workspaces/"+string(w.workspace)+"/projects", body, &w.project); err != nil {
		return err
	}
	var files []core.FileEntry
	if err := w.call(w.ctx, http.MethodGet, w.path("/files"), nil, &files); err != nil {
		return err
	}
	say("%q is there with %d files", w.project.Name, len(files))
	return nil
}

func (w *walker) askAgent() error {
	return w.ask(`Change the heading of the page to "` + heading + `".`)
}

// ask sends a request to the project's chat and shows how the agent works.
func (w *walker) ask(request string) error {
	var chats struct {
		Items []core.Chat `json:"items"`
	}
	if err := w.call(w.ctx, http.MethodGet, w.path("/chats"), nil, &chats); err != nil {
		return err
	}
	if len(chats.Items) == 0 {
		return errors.New("the project has no chat")
	}
	say("you: %s", request)
	body := map[string]string{"chatId": string(chats.Items[0].ID), "text": request}
	return w.stream(w.ctx, "/chat/"+string(w.project.ID)+"/messages", body, w.show)
}

// show prints one event of the agent's stream.
func (w *walker) show(raw []byte) error {
	var event struct {
		Type, Tool, Text, Path, Action, Error, Message, Reason, VersionID string
		Args                                                              json.RawMessage
	}
	if err := json.Unmarshal(raw, &event); err != nil {
		return err
	}
	switch core.EventType(event.Type) {
	case core.EventToolCall:
		say("agent calls %s %.100s", event.Tool, event.Args)
	case core.EventToolError:
		say("the call failed: %s", event.Error)
	case core.EventFileChanged:
		w.changed = append(w.changed, event.Path)
		say("%s %s", event.Path, event.Action)
	case core.EventAssistantMessage:
		say("agent: %s", event.Text)
		w.scripted = strings.Contains(event.Text, "This was the demo, a script.")
	case core.EventVersionCreated:
		say("version %.8s", event.VersionID)
	case core.EventSessionError:
		return fmt.Errorf("the run failed: %s: %s", event.Error, event.Message)
	}
	return nil
}

func (w *walker) seeFile() error {
	for _, path := range w.changed {
		content, err := w.fetch(w.ctx, w.base+w.path("/files/"+path))
		if err != nil {
			return err
		}
		for line := range strings.Lines(content) {
			if strings.Contains(line, heading) {
				say("%s: %s", path, strings.TrimSpace(line))
				return nil
			}
		}
	}
	return fmt.Errorf("none of the changed files %q holds %q", w.changed, heading)
}

func (w *walker) seeVersion() error {
	var versions struct {
		Items []core.Version `json:"items"`
	}
	if err := w.call(w.ctx, http.MethodGet, w.path("/versions"), nil, &versions); err != nil {
		return err
	}
	for _, version := range versions.Items {
		say("%.8s by %s (%s): %s", version.ID, version.Author.Name, version.Author.Kind, version.Message)
	}
	if len(versions.Items) < 2 || versions.Items[0].Author.Kind != core.AuthorAgent {
		return errors.New("the agent's version is missing")
	}
	return nil
}

// preview is the state of a live preview.
type preview struct {
	URL         string
	Status      string
	Diagnostics []core.Diagnostic
}

// awaitPreview starts the project's preview and waits until it is ready.
func (w *walker) awaitPreview() (preview, error) {
	var state preview
	method := http.MethodPost
	for state.Status != "ready" {
		if err := w.call(w.ctx, method, w.path("/preview"), nil, &state); err != nil {
			return state, err
		}
		if state.Status == "error" {
			return state, fmt.Errorf("the build failed: %+v", state.Diagnostics)
		}
		method = http.MethodGet
		if err := ctxsync.Sleep(w.ctx, 200*time.Millisecond); err != nil {
			return state, err
		}
	}
	return state, nil
}

func (w *walker) openPreview() error {
	state, err := w.awaitPreview()
	if err != nil {
		return err
	}
	w.preview = state.URL
	say("at %s", state.URL)
	return w.findHeading(state.URL)
}

func (w *walker) publish() error {
	var answer struct {
		URL     string `json:"url"`
		BuildMs int64  `json:"buildMs"`
	}
	slug := fmt.Sprintf("demo-%d", time.Now().UnixMilli())
	if err := w.call(w.ctx, http.MethodPost, w.path("/publish"), map[string]string{"slug": slug}, &answer); err != nil {
		return err
	}
	w.site = answer.URL
	say("built in %d ms", answer.BuildMs)
	return nil
}

func (w *walker) visit() error { return w.findHeading(w.site) }

// scripts matches the scripts that a page loads.
var scripts = regexp.MustCompile(`(?:src|href)="(/[^"]+\.m?js[^"]*)"`)

// findHeading searches for the heading in a page and in the scripts that it loads.
func (w *walker) findHeading(url string) error {
	page, err := w.fetch(w.ctx, url+"/")
	if err != nil {
		return err
	}
	texts := map[string]string{"the page itself": page}
	for _, match := range scripts.FindAllStringSubmatch(page, -1) {
		if texts[match[1]], err = w.fetch(w.ctx, url+match[1]); err != nil {
			return err
		}
	}
	for where, text := range texts {
		if strings.Contains(text, heading) {
			say("found %q in %s", heading, where)
			return nil
		}
	}
	return fmt.Errorf("%q is not in the page %s", heading, url)
}

func (w *walker) path(rest string) string { return "/projects/" + string(w.project.ID) + rest }

func say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Println("   " + strings.ReplaceAll(text, "\n", "\n   "))
}
