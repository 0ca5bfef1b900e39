package storytest

import (
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
)

// Remote asks for the refs of a project with the stock git client.
func (w *Work) Remote(token string) (string, error) {
	return StockGit("/", "ls-remote", w.GitURL(token))
}

// GitRequest is a body of git's protocol.
type GitRequest struct {
	io.Reader
	Service string
}

// ContentType is that of the service's requests.
func (g GitRequest) ContentType() string { return "application/x-git-" + g.Service + "-pack-request" }

// GitBody is a request that asks for nothing and pushes nothing. The stock git client
// sends it to find out whether it may push.
func GitBody(service string) GitRequest { return GitRequest{strings.NewReader("0000"), service} }

// GitURL is the address of a project's remote, with a token as the password.
func (w *Work) GitURL(token string) string {
	w.T.Helper()
	address, err := url.Parse(w.URL)
	if err != nil {
		w.T.Fatal(err)
	}
	if token != "" {
		address.User = url.UserPassword("anybody", token)
	}
	return address.String() + "/git/" + string(w.ID) + ".git"
}

// StockGit runs the stock git client without prompts.
func StockGit(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "NO_PROXY=*", "no_proxy=*",
		"GIT_AUTHOR_NAME=Stock", "GIT_AUTHOR_EMAIL=stock@example.com", "GIT_COMMITTER_NAME=Stock", "GIT_COMMITTER_EMAIL=stock@example.com",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=core.protectNTFS", "GIT_CONFIG_VALUE_0=false",
		"GIT_CONFIG_KEY_1=core.protectHFS", "GIT_CONFIG_VALUE_1=false", "GIT_CONFIG_KEY_2=gc.auto", "GIT_CONFIG_VALUE_2=0")
	out, err := command.CombinedOutput()
	return string(out), err
}
