package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// TestAProjectFromNothingToTheWebWithTheToolsAlone is the whole job of a coding agent.
func TestAProjectFromNothingToTheWebWithTheToolsAlone(t *testing.T) {
	for name, served := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := served.Serve(t)
			p := connect(t, s, token(s.SignUp()))

			var workspaces struct{ Items []core.Workspace }
			p.must("list_workspaces", nil, &workspaces)
			if templates := p.must("list_templates", nil, nil); !strings.Contains(templates, storytest.Template) {
				t.Fatalf("got the templates %s, want %s among them", templates, storytest.Template)
			}
			var project core.Project
			p.must("create_project", storytest.Fields{"wid": workspaces.Items[0].ID, "name": "Tools", "template": storytest.Template}, &project)
			of := func(more storytest.Fields) storytest.Fields {
				all := storytest.Fields{"projectId": project.ID}
				for name, value := range more {
					all[name] = value
				}
				return all
			}
			var chats struct{ Items []core.Chat }
			p.must("list_chats", of(nil), &chats)
			chat := chats.Items[0].ID
			var begun struct {
				ChatID core.ID
				After  int64
			}
			p.must("send_message", of(storytest.Fields{"chatId": chat, "text": `Change the heading to "Bonjour".`}), &begun)
			if begun.ChatID != chat || begun.After == 0 {
				t.Errorf("got %+v, want the chat and its place", begun)
			}
			wantRun(t, p.follow(project.ID, chat, begun.After))
			wantUndone(p, of)

			if page := p.must("read_file", of(storytest.Fields{"path": "index.html"}), nil); !strings.Contains(page, "Bonjour") {
				t.Errorf("got %s, want what the agent wrote", page)
			} else {
				p.must("write_file", of(storytest.Fields{"path": "index.html", "content": strings.ReplaceAll(page, "Bonjour", "Good evening")}), nil)
			}
			if found := p.must("search_files", of(storytest.Fields{"q": "Good evening", "maxResults": 5}), nil); !strings.Contains(found, `"index.html"`) {
				t.Errorf("got %s, want the page", found)
			}
			p.must("save_version", of(storytest.Fields{"message": "By hand"}), nil)
			p.must("check_types", of(nil), nil)
			wantBuilt(p, of(nil))

			var versions struct{ Items []core.Version }
			p.must("list_versions", of(nil), &versions)
			if len(versions.Items) != 5 || versions.Items[0].Message != "By hand" {
				t.Fatalf("got %+v, want those of the template, of the agent, undone, restored and by hand", versions.Items)
			}
			// A later edit changed the same line.
			p.refused(core.CodeConflict, "undo_version", of(storytest.Fields{"sha": versions.Items[3].ID}))
			p.must("restore_version", of(storytest.Fields{"sha": versions.Items[1].ID}), nil)
			wantPublished(p, s, of)
		})
	}
}

// wantUndone undoes the agent's version, and restores it.
func wantUndone(p *program, of func(storytest.Fields) storytest.Fields) {
	p.t.Helper()
	var versions struct{ Items []core.Version }
	p.must("list_versions", of(nil), &versions)
	page := of(storytest.Fields{"path": "index.html"})
	p.must("undo_version", of(storytest.Fields{"sha": versions.Items[0].ID}), nil)
	if text := p.must("read_file", page, nil); strings.Contains(text, "Bonjour") {
		p.t.Errorf("got %s, want what the agent wrote undone", text)
	}
	p.must("restore_version", of(storytest.Fields{"sha": versions.Items[0].ID}), nil)
	if text := p.must("read_file", page, nil); !strings.Contains(text, "Bonjour") {
		p.t.Errorf("got %s, want what the agent wrote back", text)
	}
}

// wantRun wants the events of a successful run without the pieces of its texts.
func wantRun(t *testing.T, events []storytest.Fields) {
	t.Helper()
	var kinds []string
	for _, event := range events {
		kinds = append(kinds, fmt.Sprint(event["type"]))
	}
	got := strings.Join(kinds, " ")
	if !strings.Contains(got, "file.changed") || !strings.HasSuffix(got, "version.created session.task_complete") || strings.Contains(got, "delta") {
		t.Errorf("got the events %s, want a run that changes a file", got)
	}
}

// wantBuilt waits for the preview.
func wantBuilt(p *program, project storytest.Fields) {
	p.t.Helper()
	var preview struct{ Status string }
	var text string
	conformance.Becomes(func() bool {
		text = p.must("get_preview", project, &preview)
		return preview.Status == "ready" || preview.Status == "error"
	})
	if preview.Status != "ready" {
		p.t.Fatalf("got the preview %s", text)
	}
}

// wantPublished publishes twice, looks, and rolls back.
func wantPublished(p *program, s *storytest.Site, of func(storytest.Fields) storytest.Fields) {
	p.t.Helper()
	var site struct{ URL string }
	wantPage := func(text string) {
		p.t.Helper()
		if page := s.Fetch(site.URL); page.Status != http.StatusOK || !strings.Contains(string(page.Body), text) {
			p.t.Errorf("got %d %.300s, want %q on the site", page.Status, page.Body, text)
		}
	}
	p.must("publish", of(storytest.Fields{"slug": "tools"}), &site)
	wantPage("Bonjour")
	p.must("write_file", of(storytest.Fields{"path": "index.html", "content": "<h1>Later</h1>"}), nil)
	p.must("publish", of(nil), &site)
	wantPage("Later")
	var deployments struct{ Items []core.Deployment }
	p.must("list_deployments", of(nil), &deployments)
	p.must("roll_back", of(storytest.Fields{"deploymentId": deployments.Items[1].ID}), nil)
	wantPage("Bonjour")
}
