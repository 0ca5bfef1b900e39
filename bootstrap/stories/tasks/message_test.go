package tasks_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/tasks"
)

// toldModel remembers what the model was told.
type toldModel struct {
	mu   sync.Mutex
	said []string
}

func (h *toldModel) other(message string) []storytest.ToolCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, message)
	return nil
}

// want fails the test unless the model was told something with all of these words.
func (h *toldModel) want(t *testing.T, words ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, said := range h.said {
		all := true
		for _, word := range words {
			all = all && strings.Contains(said, word)
		}
		if all {
			return
		}
	}
	t.Errorf("got %q, want a message with %q", h.said, words)
}

// TestATaskBeginsAsAMessageOfAChatDoes: with commands, mode, references and images.
func TestATaskBeginsAsAMessageOfAChatDoes(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		var model toldModel
		b := newBoard(t, program, &storytest.Screenplay{Other: model.other})
		b.Put("notes.txt", "milk and honey\n")
		b.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(b.Workspace)+"/commands", storytest.Fields{"name": "ship", "text": "Make $ARGUMENTS ready to ship."}, nil)
		var made tasks.View
		b.Must(http.StatusCreated, http.MethodPost, b.Path("/tasks"), storytest.Fields{
			"content": "/ship @notes.txt", "references": []any{storytest.Fields{"type": "file", "path": "notes.txt"}, storytest.Fields{"type": "element", "path": "index.html", "tag": "h1", "line": 3, "column": 5}},
		}, &made)
		b.await(made.ID, tasks.Ready)
		model.want(t, "Make @notes.txt ready to ship.", "milk and honey", "<h1> at index.html:3:5")
		log := b.logOf(made)
		if log[0]["text"] != "/ship @notes.txt" || log[0]["command"] != "ship" || len(log[0]["references"].([]any)) != 2 {
			t.Errorf("got %v, want the message with its command and references", log[0])
		}

		b.Must(http.StatusCreated, http.MethodPost, b.Path("/tasks"), storytest.Fields{"content": "/plan a shop"}, &made)
		b.await(made.ID, tasks.Ready)
		model.want(t, "a shop")
		if log := b.logOf(made); log[0]["command"] != "plan" {
			t.Errorf("got %v, want a plan asked for", log[0])
		}

		// The model of the story is blind, and says so: the image has arrived.
		picture := storytest.Fields{"type": "image", "url": "data:image/png;base64," + dot}
		b.Must(http.StatusCreated, http.MethodPost, b.Path("/tasks"), storytest.Fields{"content": "Like this", "attachments": []any{picture}}, &made)
		b.awaitThat(made.ID, "ended", func(task tasks.View) bool { return task.Status == tasks.Failed })
		if log := b.logOf(made); len(log[0]["attachments"].([]any)) != 1 {
			t.Errorf("got %v, want the message with its image", log[0])
		}

		for field, wrong := range map[string]storytest.Fields{
			"references[0].path": {"content": "x", "references": []any{storytest.Fields{"type": "file", "path": "gone.txt"}}},
			"attachments[0]":     {"content": "x", "attachments": []any{storytest.Fields{"type": "image", "url": "data:image/png;base64,AAAA"}}},
			"text must say":      {"content": "/plan"},
		} {
			answer := b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, b.Path("/tasks"), wrong)
			if !strings.Contains(string(answer.Body), field) {
				t.Errorf("got %s, want %q named", answer.Body, field)
			}
		}
	})
}

// TestTheFirstPromptOfAProjectMayBeACommand: it means what it means in a chat.
func TestTheFirstPromptOfAProjectMayBeACommand(t *testing.T) {
	var model toldModel
	b := newBoard(t, storytest.Programs()["local"], &storytest.Screenplay{Other: model.other})
	var made core.Project
	b.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(b.Workspace)+"/projects", storytest.Fields{"name": "Shop", "prompt": "/plan a shop for tea"}, &made)
	shop := *b.Work
	shop.ID = made.ID
	var chats struct{ Items []core.Chat }
	shop.Must(http.StatusOK, http.MethodGet, shop.Path("/chats"), nil, &chats)
	shop.Chat = chats.Items[0].ID
	shop.WaitIdle()
	model.want(t, "a shop for tea")
	if log := (board{&shop}).messages(shop.ID, shop.Chat); log[0]["command"] != "plan" || log[0]["text"] != "/plan a shop for tea" {
		t.Errorf("got %v, want the command", log[0])
	}
	answer := b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, "/workspaces/"+string(b.Workspace)+"/projects", storytest.Fields{"name": "Shop", "prompt": "/plan"})
	if !strings.Contains(string(answer.Body), "/plan") {
		t.Errorf("got %s, want the command named", answer.Body)
	}
}

// TestTheFirstPromptOfAProjectTakesWhatAMessageTakes: a mode, a model, the own subscription, images.
func TestTheFirstPromptOfAProjectTakesWhatAMessageTakes(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		var model toldModel
		b := newBoard(t, program, &storytest.Screenplay{Other: model.other})
		projects, image := "/workspaces/"+string(b.Workspace)+"/projects", storytest.Fields{"type": "image", "url": "data:image/png;base64," + dot}
		create := func(with storytest.Fields) (core.ID, core.Chat) {
			var made core.Project
			b.Must(http.StatusCreated, http.MethodPost, projects, with, &made)
			var chats struct{ Items []core.Chat }
			b.Must(http.StatusOK, http.MethodGet, "/projects/"+string(made.ID)+"/chats", nil, &chats)
			other := *b.Work
			other.ID, other.Chat = made.ID, chats.Items[0].ID
			other.WaitIdle()
			return made.ID, chats.Items[0]
		}

		shop, chat := create(storytest.Fields{"name": "Shop", "prompt": "A shop for tea", "mode": "plan"})
		model.want(t, "A shop for tea")
		if log := b.messages(shop, chat.ID); chat.Mode != core.ModePlan || log[0]["text"] != "A shop for tea" {
			t.Errorf("got a chat in the mode %q that begins with %v, want a plan", chat.Mode, log[0])
		}

		// The model of the story is blind, and says so: the image has arrived.
		shop, chat = create(storytest.Fields{"name": "Shop", "prompt": "Like this", "attachments": []any{image}})
		log := b.messages(shop, chat.ID)
		attached, _ := log[0]["attachments"].([]any)
		if len(attached) != 1 {
			t.Fatalf("got %v, want the message with its image", log[0])
		}
		picture := b.Must(http.StatusOK, http.MethodGet, fmt.Sprintf("/projects/%s/chats/%s/attachments/%s", shop, chat.ID, attached[0].(map[string]any)["id"]), nil, nil)
		if sent, _ := base64.StdEncoding.DecodeString(dot); string(picture.Body) != string(sent) {
			t.Errorf("got an image of %d bytes, want the %d that were sent", len(picture.Body), len(sent))
		}

		// Nobody has connected a subscription.
		shop, chat = create(storytest.Fields{"name": "Shop", "prompt": "On my account", "provider": "own"})
		if log := b.messages(shop, chat.ID); !strings.Contains(fmt.Sprint(log), "subscription") {
			t.Errorf("got %v, want the missing subscription named", log)
		}

		for field, wrong := range map[string]storytest.Fields{
			"attachments[0]": {"name": "x", "prompt": "x", "attachments": []any{storytest.Fields{"type": "image", "url": "data:image/png;base64,AAAA"}}},
			"prompt":         {"name": "x", "attachments": []any{image}},
			"mode":           {"name": "x", "prompt": "x", "mode": strings.Repeat("x", core.MaxModeChars+1)},
			"provider":       {"name": "x", "prompt": "x", "provider": "mine"},
		} {
			answer := b.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, projects, wrong)
			if !strings.Contains(string(answer.Body), field) {
				t.Errorf("got %s, want %q named", answer.Body, field)
			}
		}
	})
}

// dot is an image of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (b board) logOf(task tasks.View) []map[string]any {
	b.T.Helper()
	return b.messages(*task.CopyID, task.ChatID)
}

func (b board) messages(project, chat core.ID) []map[string]any {
	b.T.Helper()
	var log struct{ Items []map[string]any }
	b.Must(http.StatusOK, http.MethodGet, "/chat/"+string(project)+"/messages"+storytest.Query("chatId", string(chat)), nil, &log)
	return log.Items
}
