package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func consentStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a person lets a program use the tools, and disconnects it": aProgramIsAllowed,
	}
}

// aProgramIsAllowed: a program sends a person to the studio, who takes a scope away, allows the
// rest, returns to the program, and disconnects it in the settings.
func aProgramIsAllowed(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	returns := make(chan url.Values, 4)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			returns <- r.URL.Query()
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<title>back</title><h1>Back in the program</h1>")
	}))
	t.Cleanup(program.Close)
	u := s.signUp(t)
	var client struct {
		ID string `json:"client_id"`
	}
	u.call(http.StatusCreated, http.MethodPost, "/oauth/register", map[string]any{"client_name": "Robot <b>7</b>", "redirect_uris": []string{program.URL + "/callback"}}, &client)
	page := "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {program.URL + "/callback"}, "code_challenge_method": {"S256"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "resource": {u.url + "/mcp"}, "state": {"a b"}, "prompt": {"consent"},
	}.Encode()

	p := c.enterAs(t, u, page)
	p.sees("Robot <b>7</b>")
	p.sees("Atelier can’t verify this program’s name")
	p.everywhere("consent", axe)
	p.press("button", "Cancel")
	p.wantHeading("Back in the program")
	if back := <-returns; back.Get("error") != "access_denied" || back.Get("state") != "a b" {
		t.Errorf("got back %v, want that it is denied", back)
	}

	p.visit(u.url + page)
	p.press("checkbox", "Publish")
	p.press("button", "Allow")
	p.wantHeading("Back in the program")
	back := <-returns
	response, err := http.PostForm(u.url+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ID}, "redirect_uri": {program.URL + "/callback"}, "code": {back.Get("code")},
		"code_verifier": {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	tokens, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || strings.Contains(string(tokens), "publish") || !strings.Contains(string(tokens), "files:write") {
		t.Fatalf("got %d %s, want tokens without the scope that was taken away", response.StatusCode, tokens)
	}

	p.visit(u.url + "/settings/tokens")
	p.sees("Connected programs")
	p.everywhere("connected programs", axe)
	p.press("button", "Disconnect")
	p.agree("Disconnect")
	p.misses("Connected programs")
	for language, words := range map[string]string{"de": "für Sie arbeiten dürfen", "es": "trabaje por ti"} {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`localStorage.setItem('atelier.language', %q)`, language)))
		p.visit(u.url + page)
		p.sees(words)
		p.everywhere("consent "+language, axe)
	}
}
