package browser

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
)

func homeStories() map[string]func(*testing.T, *chromium, *service) {
	stories := map[string]func(*testing.T, *chromium, *service){
		"a wish becomes a project with the agent at work":             aWishBecomesAProject,
		"a workspace without any AI is led to one":                    aFirstAIIsConnected,
		"a project is made, named, described and copied":              aProjectIsMade,
		"projects are filed in folders":                               projectsAreFiled,
		"a project goes through the trash and is gone":                aProjectGoesThroughTheTrash,
		"projects are found, and come in portions":                    projectsAreFound,
		"an archive that is dropped on the page becomes a project":    anArchiveIsDropped,
		"a repository is imported and downloaded":                     aRepositoryIsImported,
		"an archive comes with notes":                                 anArchiveComesWithNotes,
		"names that look like code are text":                          hostileNamesAreText,
		"a project is shared as a template, and others begin with it": aTemplateIsShared,
	}
	maps.Copy(stories, accountStories())
	maps.Copy(stories, departureStories())
	return stories
}

// isolated returns a name with bidi isolation, so that its direction does not affect the text
// around it.
func isolated(name string) string { return "\u2068" + name + "\u2069" }

// choose presses an entry of the menu of a project or a folder.
func (p *tab) choose(name, entry string) {
	p.t.Helper()
	p.press("button", "More actions for "+isolated(name))
	p.press("menuitem", entry)
}

// agree presses a button of the dialog, when it is open.
func (p *tab) agree(button string) {
	p.t.Helper()
	p.until("a dialog", `document.querySelector('dialog[open]') !== null`)
	p.press("button", button)
}

// at waits for the tab to be at an address whose beginning is the path.
func (p *tab) at(path string) {
	p.t.Helper()
	p.until("the address "+path, fmt.Sprintf("(location.pathname + location.search).startsWith(%q)", path))
}

// projects returns those of the user, by name.
func (u *user) projects(query string) map[string]core.Project {
	u.t.Helper()
	var answer struct{ Items []core.Project }
	u.call(http.StatusOK, http.MethodGet, "/projects?limit=100"+query, nil, &answer)
	found := make(map[string]core.Project)
	for _, item := range answer.Items {
		found[item.Name] = item
	}
	return found
}

func aWishBecomesAProject(t *testing.T, c *chromium, s *service) {
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/signup")
	p.fill("Email", "wish@example.com")
	p.fill("Password", "long enough")
	p.press("button", "Create account")
	p.at("/dashboard")
	p.wantHeading("What do you want to build?")
	p.sees("Your projects will appear here")
	p.press("button", "Bakery page")
	p.until("the example", `document.querySelector('textarea').value.includes('bakery')`)

	wish := "A list of my books. I want to sort them\nby author."
	p.fill("What do you want to build?", wish)
	p.press("button", "Start from: Blank")
	p.press("menuitem", "Todo app")
	p.do(chromedp.Focus("textarea"), chromedp.KeyEvent(kb.Enter))
	p.at("/projects/")
	p.wantQuiet()

	u := &user{service: s, t: t}
	var answer struct{ AccessToken string }
	u.call(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": "wish@example.com", "password": "long enough"}, &answer)
	u.token = answer.AccessToken
	made, found := u.projects("")["A list of my books"]
	if !found || made.Template == nil || *made.Template != "todo-app" {
		t.Fatalf("got the projects %+v, want one of the wish's first words, from the template", u.projects(""))
	}
	var chats struct{ Items []core.Chat }
	u.call(http.StatusOK, http.MethodGet, "/projects/"+string(made.ID)+"/chats", nil, &chats)
	p.wait("the agent's answer to the wish", func() bool {
		var events struct {
			Items []struct{ Type, Text string }
		}
		u.call(http.StatusOK, http.MethodGet, "/chat/"+string(made.ID)+"/messages?chatId="+string(chats.Items[0].ID), nil, &events)
		return len(events.Items) > 1 && events.Items[0].Text == wish && events.Items[len(events.Items)-1].Type == "session.task_complete"
	})
}

func aFirstAIIsConnected(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", map[string]string{"AI_PROVIDER": "none"})
	u := s.signUp(t)
	p := c.enterAs(t, u, "/dashboard")
	p.sees("Connect an AI provider first")
	p.fill("What do you want to build?", "A page")
	p.until("nothing to press", named("button", "Build")+"?.disabled === true")
	p.press("button", "Try the demo")
	p.misses("Connect an AI provider first")
	p.press("button", "Build")
	p.at("/projects/")
	p.wantQuiet()
}

func aProjectIsMade(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	p := c.enterAs(t, u, "/dashboard")
	p.press("button", "From a template")
	p.fill("Name", "Shop")
	p.tick("landing-page")
	p.press("button", "Create")
	p.at("/projects/")
	p.press("link", "Atelier")
	p.choose("Shop", "Rename")
	p.fill("Name", "Corner shop")
	p.press("button", "Rename")
	p.until("the new name", `document.querySelector('.project__name').textContent === 'Corner shop'`)
	p.choose("Corner shop", "Description")
	p.fill("Description", "Sells umbrellas")
	p.press("button", "Save")
	p.misses("Description of")
	p.choose("Corner shop", "Who can see it")
	p.tick("private")
	p.press("button", "Save")
	p.until("the mark", `document.querySelector('.project__notes').textContent.startsWith('Private')`)
	p.choose("Corner shop", "Duplicate")
	p.agree("Duplicate")
	p.until("the copy", `[...document.querySelectorAll('.project__name')].some((e) => e.textContent === 'Corner shop copy')`)
	u.call(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": "Team"}, nil)
	p.visit(s.url + "/dashboard")
	p.choose("Corner shop copy", "Move to another workspace")
	p.agree("Move project")
	p.until("one left", `[...document.querySelectorAll('.project__name')].map((e) => e.textContent).join() === 'Corner shop'`)
	p.wantQuiet()
	shop := u.projects("")["Corner shop"]
	if shop.Description == nil || *shop.Description != "Sells umbrellas" || shop.Visibility != "private" || *shop.Template != "landing-page" || len(u.projects("")) != 2 {
		t.Errorf("got %+v, want it described and private, and a copy of it", shop)
	}
}

func projectsAreFiled(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	first, second := u.create("blank"), u.create("static-html")
	p := c.enterAs(t, u, "/dashboard")
	for _, name := range []string{"Garden", "Old"} {
		p.press("button", "New")
		p.press("menuitem", "New folder")
		p.fill("Name", name)
		p.press("button", "Create")
		p.until("the folder", named("link", name)+" !== null")
	}
	p.choose(first.Name, "Move to a folder")
	p.pick("Folder", "Garden")
	p.press("button", "Move")
	p.sees(isolated(first.Name) + " is now in " + isolated("Garden") + ".")
	p.carry(`.project`, `.folder:nth-child(1)`)
	p.sees(isolated(second.Name) + " is now in " + isolated("Garden") + ".")

	p.choose("Garden", "Move to a folder")
	p.pick("Folder", "Old")
	p.press("button", "Move")
	p.until("one folder", `document.querySelectorAll('.folder').length === 1`)
	p.press("link", "Old")
	p.press("link", "Garden")
	p.until("both projects", `document.querySelectorAll('.project').length === 2`)
	p.carry(`.project`, `.path__step`)
	p.sees("is no longer in a folder.")

	p.press("link", "Old")
	p.choose("Garden", "Rename")
	p.fill("Name", "Gardens")
	p.press("button", "Rename")
	p.choose("Gardens", "Delete folder")
	p.agree("Delete")
	p.sees("This folder is empty")
	p.press("link", "Projects")
	p.until("both projects", `document.querySelectorAll('.project').length === 2`)
	p.wantQuiet()
}

// carry drags one element onto another with the mouse.
func (p *tab) carry(from, to string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const dataTransfer = new DataTransfer();
		document.querySelector(%[1]q).dispatchEvent(new DragEvent('dragstart', {dataTransfer, bubbles: true}));
		for (const type of ['dragover', 'drop']) document.querySelector(%[2]q).dispatchEvent(new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true}));
	})()`, from, to)))
}

func aProjectGoesThroughTheTrash(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	made := u.create("static-html")
	made.publish()
	p := c.enterAs(t, u, "/dashboard")
	p.until("the live mark", named("link", "Live")+" !== null")
	p.choose(made.Name, "Move to trash")
	p.sees("Its site goes offline immediately.")
	p.agree("Move to trash")
	p.sees("Your projects will appear here")
	p.press("link", "Trash")
	p.press("button", "Restore")
	p.sees("The trash is empty")
	p.press("link", "Back to projects")
	p.choose(made.Name, "Move to trash")
	p.agree("Move to trash")
	p.sees("Your projects will appear here")
	p.press("link", "Trash")
	p.press("button", "Delete "+isolated(made.Name)+" for good")
	p.agree("Delete for good")
	p.sees("The trash is empty")
	p.wantQuiet()
	u.call(http.StatusNotFound, http.MethodPost, made.path("/restore"), nil, nil)
}

func projectsAreFound(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	for i := range 30 {
		u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(u.workspace)+"/projects", map[string]any{"name": fmt.Sprintf("Number %02d", i)}, nil)
	}
	needle := u.create("blank")
	u.call(http.StatusOK, http.MethodPatch, needle.path(""), map[string]string{"description": "haystack", "visibility": "public"}, nil)
	p := c.enterAs(t, u, "/dashboard")
	p.until("the first portion", `document.querySelectorAll('.project').length === 24`)
	p.press("button", "Load more")
	p.until("all", `document.querySelectorAll('.project').length === 31`)
	p.until("no more", named("button", "Load more")+" === null")
	p.fill("Search projects", "hayst")
	p.until("one", `document.querySelectorAll('.project').length === 1`)
	p.at("/dashboard?q=hayst")
	p.fill("Search projects", "nobody has this")
	p.sees("No matches")
	p.press("link", "Show all projects")
	p.until("the empty search", `document.querySelector('[type=search]').value === ''`)
	p.pick("Visibility", "Public")
	p.until("one", `document.querySelectorAll('.project').length === 1`)
	p.do(chromedp.Evaluate[chromedp.Void](`void history.back()`))
	p.until("the first portion", `document.querySelectorAll('.project').length === 24`)
	p.wantQuiet()
}

// downloads lets the tab save files, and returns the folder that they come to.
func (p *tab) downloads() string {
	p.t.Helper()
	folder := p.t.TempDir()
	id := send(p, target.GetTargetInfo, target.GetTargetInfoParams{}).TargetInfo.BrowserContextID
	send(p, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: id, DownloadPath: folder,
	})
	return folder
}

// dropFile drops a file on the page, as soon as the page takes one.
func (p *tab) dropFile(name string, content []byte) {
	p.t.Helper()
	p.until("a place to drop", fmt.Sprintf(`(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q));
		const send = (type) => document.body.dispatchEvent(new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true}));
		return !send('dragover') && !send('drop');
	})()`, base64.StdEncoding.EncodeToString(content), name))
}

func hostileNamesAreText(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	names := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`, strings.Repeat("W", 90), "שלום עולם"}
	for _, name := range names {
		u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(u.workspace)+"/projects", map[string]string{"name": name}, nil)
		u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(u.workspace)+"/folders", map[string]string{"name": "Folder " + name}, nil)
	}
	for _, width := range []int64{1440, 390} {
		p := c.enterAs(t, u, "/dashboard")
		p.show(width, 844, "dark")
		p.until("all", `document.querySelectorAll('.project').length === 5 && document.querySelectorAll('.folder').length === 5`)
		for _, name := range names {
			p.until("the name as text", fmt.Sprintf(`[...document.querySelectorAll('.project__name')].some((e) => e.textContent === %q)`, name))
		}
		p.until("nothing beside the screen", `document.documentElement.scrollWidth <= innerWidth`)
		p.choose(names[1], "Move to trash")
		p.sees("is in the trash")
		u.call(http.StatusOK, http.MethodPost, "/projects/"+string(u.projects("&deleted=true")[names[1]].ID)+"/restore", nil, nil)
		p.wantQuiet()
	}
}
