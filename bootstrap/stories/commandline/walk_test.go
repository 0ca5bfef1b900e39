package commandline_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestAPersonWorksFromTheirShell walks every command once, on one service.
func TestAPersonWorksFromTheirShell(t *testing.T) {
	s, ada := installation(t)
	signIn(s, ada)
	w := &storytest.Work{Caller: ada}
	s.run(0, "", "create", "Shell Page", "--template", "static-html", "--json").reads(&w.Project)
	var chats struct{ Items []core.Chat }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &chats)
	w.Chat = chats.Items[0].ID
	var listed struct{ Items []core.Project }
	if s.run(0, "", "projects", "--json").reads(&listed); len(listed.Items) != 1 || listed.Items[0].ID != w.ID {
		t.Errorf("got the projects %+v, want the new one", listed.Items)
	}
	if got := s.run(0, "", "open", "shell-page").out; got != ada.URL+"/projects/"+string(w.ID)+"\n" {
		t.Errorf("got %q opened, want the studio's address", got)
	}
	if got := s.run(4, "", "open", "nothing", "--json").told(); got.Error != "not_found" || got.Next == "" {
		t.Errorf("got %+v for a project that is not there", got)
	}
	renewals(s, ada)
	versions(s, w)
	talk(s.in("shell-page"), w)
	secrets(s.in("shell-page"), w)
	site(s.in("shell-page"), w)
	watch(s.in("shell-page"))
	mirror(s.in("shell-page"), w)
	tokens(s, w)
	signOut(s, ada)
}

// signIn signs in by password, once wrongly and once with a second factor.
func signIn(s *shell, ada *storytest.Caller) {
	s.t.Helper()
	s.run(3, "", "projects").says("signed in nowhere", "Next: atelier login URL")
	s.run(2, "", "login", "http://example.com").says("use https://")
	s.run(2, "", "login", "https://ada:secret@example.com").says("leave user name and password out")
	if got := s.run(3, "wrong\n", "login", ada.URL, "--email", ada.User.Email, "--json").told(); got.Error != "invalid_credentials" {
		s.t.Errorf("got %+v for a wrong password", got)
	}
	var setup struct{ Secret string }
	ada.Must(http.StatusOK, http.MethodPost, "/auth/mfa/totp", storytest.Fields{"password": password}, &setup)
	code, err := memory.NewTimeCodes().Code(setup.Secret, core.At(time.Now()))
	if err != nil {
		s.t.Fatal(err)
	}
	var factor struct{ RecoveryCodes []string }
	ada.Must(http.StatusOK, http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": code}, &factor)
	s.run(3, password+"\n000000\n", "login", ada.URL, "--email", ada.User.Email)
	s.run(0, password+"\n"+factor.RecoveryCodes[0]+"\n", "login", ada.URL, "--email", ada.User.Email)
	var who struct{ URL, Person, Credential string }
	if s.run(0, "", "whoami", "--json").reads(&who); who.URL != ada.URL || who.Person != ada.User.Email || who.Credential != "session" {
		s.t.Errorf("got %+v, want who signed in", who)
	}
	info, err := os.Stat(s.logins())
	if err != nil || info.Mode().Perm() != 0o600 {
		s.t.Errorf("got %v, %v, want the credentials for the person alone", info, err)
	}
	if strings.Contains(s.in(filepath.Dir(s.logins())).read("logins.json"), password) {
		s.t.Error("got the password kept, want only what it was exchanged for")
	}
}

// renewals has many processes find that the access token has ended. A refresh token works once.
func renewals(s *shell, ada *storytest.Caller) {
	s.t.Helper()
	held := map[string]any{}
	text := s.in(filepath.Dir(s.logins())).read("logins.json")
	if err := json.Unmarshal([]byte(text), &held); err != nil {
		s.t.Fatal(err)
	}
	held["installations"].(map[string]any)[ada.URL].(map[string]any)["accessToken"] = "ended"
	changed, err := json.Marshal(held)
	if err == nil {
		err = os.WriteFile(s.logins(), changed, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if out, err := s.command("", "whoami").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), ada.User.Email) {
				s.t.Errorf("got %s, %v, want the session renewed for all", out, err)
			}
		})
	}
	all.Wait()
}

// logins is the file with the credentials.
func (s *shell) logins() string { return filepath.Join(s.home, ".config", "atelier", "logins.json") }

// versions pulls and pushes, also when both sides have changed.
func versions(s *shell, w *storytest.Work) {
	s.t.Helper()
	w.Put("open.txt", "edited, in no version yet")
	s.run(2, "", "pull").says("atelier pull PROJECT")
	s.run(0, "", "pull", "shell-page")
	c := s.in("shell-page")
	if got := c.read("open.txt"); got != "edited, in no version yet" {
		s.t.Errorf("got %q, want what was edited in the studio", got)
	}
	c.write("mine.txt", "mine\n")
	c.write("both.txt", "one\ntwo\nthree\nfour\nfive\n")
	c.write("node_modules/x/index.js", "not pushed")
	c.run(0, "", "push", "-m", "From a shell")
	if got := w.Versions()[0]; got.Message != "From a shell" || got.FilesChanged != 2 {
		s.t.Errorf("got %+v, want a version of the two files", got)
	}
	stockAgrees(c)

	w.Put("both.txt", "ONE\ntwo\nthree\nfour\nfive\n")
	c.write("both.txt", "one\ntwo\nthree\nfour\nFIVE\n")
	c.run(5, "", "push").says("the project has changed since you last pulled", "atelier pull")
	c.run(0, "", "pull")
	if got := c.read("both.txt"); got != "ONE\ntwo\nthree\nfour\nFIVE\n" {
		s.t.Errorf("got %q, want both changes", got)
	}
	c.run(0, "", "push")
	conflicts(c, w)
	if out, err := storytest.StockGit(c.dir, "fsck", "--strict", "--no-progress", "--no-dangling"); err != nil {
		s.t.Errorf("git fsck: %v\n%s", err, out)
	}
}

// stockAgrees wants the stock client to see nothing that is not committed.
func stockAgrees(c *shell) {
	c.t.Helper()
	if out, err := storytest.StockGit(c.dir, "status", "--porcelain", "--", ":!node_modules"); err != nil || out != "" {
		c.t.Errorf("git status: got %q, %v, want nothing", out, err)
	}
}

// conflicts changes a line on both sides, and beside it commits with the stock client.
func conflicts(c *shell, w *storytest.Work) {
	c.t.Helper()
	w.Put("both.txt", "ONE\ntwo\nTHREE\nfour\nFIVE\n")
	c.write("both.txt", "ONE\ntwo\ndrei\nfour\nFIVE\n")
	c.write("untouched.txt", "mine alone")
	got := c.run(5, "", "pull", "--json").told()
	if len(got.Files) != 1 || got.Files[0] != "both.txt" || c.read("both.txt") != "ONE\ntwo\ndrei\nfour\nFIVE\n" {
		c.t.Errorf("got %+v and %q, want the file named and left alone", got, c.read("both.txt"))
	}
	c.run(5, "", "pull", "--merge")
	if got := c.read("both.txt"); !strings.Contains(got, "drei\n=======\nTHREE\n") || c.read("untouched.txt") != "mine alone" {
		c.t.Errorf("got %q, want both texts", got)
	}
	c.run(5, "", "push").says("markers of a conflict", "both.txt")
	c.write("both.txt", "ONE\ntwo\n3\nfour\nFIVE\n")
	c.run(0, "", "push")

	c.write("local.txt", "committed with git\n")
	for _, args := range [][]string{{"add", "local.txt"}, {"commit", "-q", "-m", "With git"}} {
		if out, err := storytest.StockGit(c.dir, args...); err != nil {
			c.t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	w.Put("remote.txt", "theirs")
	c.run(5, "", "push")
	c.run(0, "", "pull")
	c.run(0, "", "push")
	files := w.Files()
	if files["local.txt"] != "committed with git\n" || files["remote.txt"] != "theirs" || files["both.txt"] != "ONE\ntwo\n3\nfour\nFIVE\n" {
		c.t.Errorf("got the project's files %q, want all of both sides", files)
	}
	stockAgrees(c)
}

// talk sends messages to the agent.
func talk(c *shell, w *storytest.Work) {
	c.t.Helper()
	var last struct{ Type, Reason string }
	kinds := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(c.run(0, "", "send", "--json", "Change the heading to Told by a shell").out))
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			c.t.Fatalf("got %q, want an event a line", lines.Text())
		}
		kinds[last.Type] = true
	}
	if last.Type != "session.task_complete" || last.Reason != "done" || !kinds["user.message"] || !kinds["version.created"] {
		c.t.Errorf("got the events %v, the last %+v, want a whole run", kinds, last)
	}
	if got := w.Files()["index.html"]; !strings.Contains(got, "Told by a shell") {
		c.t.Errorf("got %q, want what the agent was told", got)
	}
	got := c.run(0, "Change the heading to Told once more", "send", "-")
	if !strings.Contains(got.out, "Told once more") || !strings.Contains(got.errs, "edit_file index.html") {
		c.t.Errorf("got %q and %q, want the answer and what was done for it", got.out, got.errs)
	}
	c.run(0, "", "send", "--no-wait", "Change the heading to Told without waiting")
	w.Do(http.MethodGet, "/chat/"+string(w.ID)+"/stream?after=0&chatId="+string(w.Chat), nil) // to the run's end
	if got := w.Files()["index.html"]; !strings.Contains(got, "Told without waiting") {
		c.t.Errorf("got %q, want the run to end without anybody who waits", got)
	}
}

// secrets sets environment values, which nothing shows again.
func secrets(c *shell, w *storytest.Work) {
	c.t.Helper()
	c.run(2, "", "env", "set", "KEY=value").says("command line can be read by others")
	c.run(0, "s3cret\n", "env", "set", "API_KEY")
	if got := c.run(0, "", "env", "list"); got.out != "API_KEY\n" {
		c.t.Errorf("got %q, want the name alone", got.out)
	}
	c.run(0, "", "env", "unset", "API_KEY")
	var listed struct{ Items []any }
	if w.Must(http.StatusOK, http.MethodGet, w.Path("/env"), nil, &listed); len(listed.Items) != 0 {
		c.t.Errorf("got %v, want nothing set", listed.Items)
	}
}

// site publishes, and fails to.
func site(c *shell, w *storytest.Work) {
	c.t.Helper()
	var published struct{ URL string }
	c.run(0, "", "publish", "--json").reads(&published)
	if got := w.Fetch(published.URL); got.Status != http.StatusOK {
		c.t.Errorf("got %d at %s, want the site", got.Status, published.URL)
	}
	if got := c.run(5, "", "publish", "--slug", "admin", "--json").told(); got.Error != "slug_taken" {
		c.t.Errorf("got %+v for a reserved name", got)
	}
	w.Put("backend/schema.json", "{")
	if got := c.run(7, "", "publish", "--json").told(); got.Error != "build_failed" || len(got.Diagnostics) == 0 || got.Diagnostics[0].Path != "backend/schema.json" {
		c.t.Errorf("got %+v, want the mistake", got)
	}
	w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/files/backend/schema.json"), nil, nil)
}

// follower is a command that goes on until it is interrupted.
type follower struct {
	c       *shell
	command *exec.Cmd
	lines   *bufio.Scanner
}

func (s *shell) follow(args ...string) *follower {
	s.t.Helper()
	command := s.command("", args...)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return &follower{s, command, bufio.NewScanner(out)}
}

// until reads lines of JSON until one has all these members.
func (f *follower) until(members ...string) {
	f.c.t.Helper()
	for f.lines.Scan() {
		line := f.lines.Text()
		if !json.Valid([]byte(line)) {
			f.c.t.Fatalf("got %q, want JSON a line", line)
		}
		if !slices.ContainsFunc(members, func(member string) bool { return !strings.Contains(line, member) }) {
			return
		}
	}
	f.c.t.Fatalf("got the end of the output, want a line with %q", members)
}

// interrupt ends it as Ctrl+C does.
func (f *follower) interrupt(code int) {
	f.c.t.Helper()
	if err := f.command.Process.Signal(os.Interrupt); err != nil {
		f.c.t.Fatal(err)
	}
	_ = f.command.Wait()
	if got := f.command.ProcessState.ExitCode(); got != code {
		f.c.t.Errorf("atelier %q interrupted: got the exit code %d, want %d", f.command.Args[1:], got, code)
	}
}

// watch follows the logs.
func watch(c *shell) {
	c.t.Helper()
	c.run(0, "", "logs", "--no-follow")
	logs := c.follow("logs", "--json")
	logs.until(`"source":"preview"`, `"preview.status"`, `"ready"`)
	logs.interrupt(130)
}

// mirror edits on both sides while they are kept alike.
func mirror(c *shell, w *storytest.Work) {
	c.t.Helper()
	both := c.follow("dev", "--json")
	both.until(`"ready"`)
	w.Put("mirrored/theirs.txt", "from the studio")
	both.until(`"received"`, "mirrored/theirs.txt")
	if got := c.read("mirrored/theirs.txt"); got != "from the studio" {
		c.t.Errorf("got %q, want what was edited in the studio", got)
	}
	c.write("mirrored/mine.txt", "from an editor")
	both.until(`"sent"`, "mirrored/mine.txt")
	if err := os.Remove(filepath.Join(c.dir, "mirrored", "theirs.txt")); err != nil {
		c.t.Fatal(err)
	}
	both.until(`"removed"`, "mirrored/theirs.txt")
	files := w.Files()
	if _, there := files["mirrored/theirs.txt"]; there || files["mirrored/mine.txt"] != "from an editor" {
		c.t.Errorf("got the project's files %q, want them as here", files)
	}
	both.interrupt(0)
	stockAgrees(c)
}

// tokens works with API tokens, from a prompt and from the environment of a script.
func tokens(s *shell, w *storytest.Work) {
	s.t.Helper()
	token := func(scopes ...core.Scope) string {
		var made struct{ Token string }
		w.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "shell", "scopes": scopes}, &made)
		return made.Token
	}
	script := s.in(s.dir)
	script.home = s.t.TempDir()
	script.run(3, "atl_wrong\n", "login", w.URL, "--with-token")
	script.run(0, token(core.Scopes()...)+"\n", "login", w.URL, "--with-token")
	if got := script.run(0, "", "whoami"); !strings.HasPrefix(got.out, w.User.Email+" at ") {
		s.t.Errorf("got %q, want the token's owner", got.out)
	}
	script.home = s.t.TempDir()
	script.env = []string{"ATELIER_TOKEN=" + token(core.ScopeProjectsRead)}
	script.run(2, "", "projects").says("ATELIER_URL")
	script.in("shell-page").run(2, "", "pull").says("ATELIER_URL") // a folder does not say where a token goes
	script.env = append(script.env, "ATELIER_URL="+w.URL)
	script.run(0, "", "projects")
	if got := script.run(6, "", "publish", "shell-page", "--json").told(); got.Error != "insufficient_scope" {
		s.t.Errorf("got %+v, want the scope", got)
	}
	script.in("shell-page").run(0, "", "pull") // which needs no more than to read
	script.in("shell-page").write("more.txt", "more")
	script.in("shell-page").run(6, "", "push")
	script.run(8, "", "projects", "--server", "http://localhost:1").says("cannot be reached")
	if got := script.run(0, "", "__complete", "open", "sh"); got.out != "shell-page\n" {
		s.t.Errorf("got %q, want the project completed", got.out)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if got := script.run(0, "", "completion", shell); !strings.Contains(got.out, "atelier __complete") {
			s.t.Errorf("%s: got %q, want a script", shell, got.out)
		}
	}
}

// signOut ends the session, also for holders of its tokens.
func signOut(s *shell, ada *storytest.Caller) {
	s.t.Helper()
	var held struct {
		Installations map[string]struct{ RefreshToken string }
	}
	if err := json.Unmarshal([]byte(s.in(filepath.Dir(s.logins())).read("logins.json")), &held); err != nil {
		s.t.Fatal(err)
	}
	s.run(0, "", "logout")
	s.run(3, "", "whoami")
	stolen := storytest.Fields{"refreshToken": held.Installations[ada.URL].RefreshToken}
	(&storytest.Caller{Site: ada.Site}).Must(http.StatusUnauthorized, http.MethodPost, "/auth/refresh", stolen, nil)
}
