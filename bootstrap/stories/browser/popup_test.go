package browser

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// identityProvider is an OpenID Connect provider at which Anna is signed in.
type identityProvider struct {
	url string

	mu sync.Mutex
	// registered are the redirect addresses that browsers may be sent back to.
	registered []string
	declines   bool
	challenges map[string]url.Values // what a code was asked for with
	referrers  []string
	problems   []string
	last       string // where the last browser was sent
}

func startProvider(t *testing.T) *identityProvider {
	t.Helper()
	p := &identityProvider{challenges: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"sub":"anna-1","email":"anna@id.example","email_verified":true}`))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// authorize sends a browser back at once, as providers do that know the person and the application.
func (p *identityProvider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := r.URL.Query()
	p.referrers = append(p.referrers, r.Referer())
	if back := asked.Get("redirect_uri"); !slices.Contains(p.registered, back) || asked.Get("client_id") != "shop" || asked.Get("code_challenge_method") != "S256" {
		p.problems = append(p.problems, "asked with "+asked.Encode())
		http.Error(w, "This address is not registered.", http.StatusBadRequest)
		return
	}
	brought := url.Values{"state": asked["state"], "code": {rand.Text()}}
	if p.declines {
		brought = url.Values{"state": asked["state"], "error": {"access_denied"}}
	}
	p.challenges[brought.Get("code")] = asked
	p.last = asked.Get("redirect_uri") + "?" + brought.Encode()
	http.Redirect(w, r, p.last, http.StatusSeeOther)
}

// token exchanges a code once, for the application that it was given to.
func (p *identityProvider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.challenges[r.FormValue("code")]
	delete(p.challenges, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	_, secret, _ := r.BasicAuth()
	if asked == nil || secret != "shop-secret" && r.FormValue("client_secret") != "shop-secret" || asked.Get("redirect_uri") != r.FormValue("redirect_uri") ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		p.problems = append(p.problems, "exchanged with "+r.Form.Encode())
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"access_token":"access","token_type":"Bearer"}`))
}

// decline lets Anna say no from now on, or yes.
func (p *identityProvider) decline(is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.declines = is
}

// register makes the provider known to a project, and the project's address to the provider.
func (p *identityProvider) register(of *project, env core.DataEnv) {
	of.t.Helper()
	of.call(http.StatusOK, http.MethodPut, of.path("/backend/"+string(env)+"/providers/oidc"), map[string]string{
		"clientId": "shop", "clientSecret": "shop-secret", "authURL": p.url + "/auth", "tokenURL": p.url + "/token", "userInfoURL": p.url + "/me",
	}, nil)
	var settings struct{ Redirects []struct{ URL string } }
	of.call(http.StatusOK, http.MethodGet, of.path("/backend/"+string(env)+"/providers"), nil, &settings)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.registered = append(p.registered, settings.Redirects[0].URL)
}

// membersPage signs in with PocketBase's client as its documentation says.
const membersPage = `import PocketBase from 'pocketbase'

const client = new PocketBase('/_data')
document.body.innerHTML = '<h1></h1><button id="in">Sign in</button><button id="out">Sign out</button><button id="own">Sign in by a window of the page</button>'
const say = (text: string) => { document.querySelector('h1')!.textContent = text }
const show = () => say(client.authStore.record?.email ?? 'nobody')
show()
document.querySelector<HTMLButtonElement>('#in')!.onclick = () => {
	client.collection('users').authWithOAuth2({ provider: 'oidc' }).then(show, () => say('refused'))
}
document.querySelector<HTMLButtonElement>('#own')!.onclick = () => {
	client.collection('users').authWithOAuth2({ provider: 'oidc', urlCallback: (url) => { Object.assign(window, { own: window.open(url, 'own', 'width=500,height=500') }) } }).then(show, () => say('refused'))
}
document.querySelector<HTMLButtonElement>('#out')!.onclick = () => { client.authStore.clear(); show() }
`

// aPopupSignsPeopleIn signs in with the stock client in a real page: on the preview, whose address
// changes, inside the studio, and on the published site.
func aPopupSignsPeopleIn(t *testing.T, c *chromium) {
	s, provider := startService(t, "localhost", map[string]string{"PRIVATE_NETWORKS": "allow"}), startProvider(t)
	project := s.signUp(t).create("todo-app")
	project.save("backend/schema.json", `{"collections": [{"name": "users", "type": "auth", "createRule": ""}]}`)
	project.alter("package.json", `"react": `, `"pocketbase": "0.28.1", "react": `)
	project.save("src/main.tsx", membersPage)
	provider.register(project, core.DataTest)
	first := project.preview()
	p := c.open(t)
	p.visit(first)
	p.signsIn()
	provider.decline(true)
	p.click("#out")
	p.click("#in")
	p.wantHeading("refused")
	provider.decline(false)
	p.click("#own")
	p.wantHeading("anna@id.example")
	p.until("the page's own window closed", `window.own.closed`)
	p.wantQuiet()

	project.call(http.StatusNoContent, http.MethodDelete, project.path("/preview"), nil, nil)
	second := project.preview()
	if first == second {
		t.Fatal("the preview has kept its address")
	}
	p = c.open(t)
	p.visit(second)
	p.signsIn()
	p.wantQuiet()
	provider.strangersGetNothing(t, s, project)
	p = c.enterAs(t, project.user, "/projects/"+string(project.ID))
	framed := p.frame(second)
	p.clickIn(framed, "#in")
	framed.wantHeading("anna@id.example")
	framed.wantQuiet()

	site := project.publish()
	provider.register(project, core.DataLive)
	p = c.open(t)
	p.visit(site)
	p.signsIn()
	p.wantQuiet()

	provider.mu.Lock()
	defer provider.mu.Unlock()
	if len(provider.problems) > 0 {
		t.Errorf("the provider was asked wrongly: %v", provider.problems)
	}
	for _, referrer := range provider.referrers {
		if strings.HasPrefix(referrer, first) || strings.HasPrefix(referrer, second) {
			t.Errorf("got the preview's secret host %s at the provider", referrer)
		}
	}
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		var users struct{ Items []struct{ Email string } }
		project.call(http.StatusOK, http.MethodGet, project.path("/backend/"+string(env)+"/collections/users/records"), nil, &users)
		if len(users.Items) != 1 || users.Items[0].Email != "anna@id.example" {
			t.Errorf("%s: got %v, want Anna once", env, users.Items)
		}
	}
}

// signsIn signs Anna in twice.
func (p *tab) signsIn() {
	p.t.Helper()
	p.wantHeading("nobody")
	p.click("#in")
	p.wantHeading("anna@id.example")
	p.click("#out")
	p.wantHeading("nobody")
	p.click("#in")
	p.wantHeading("anna@id.example")
	p.reload()
	p.wantHeading("anna@id.example")
}

// strangersGetNothing replays what a browser brought, takes it to another project, and forges it.
func (p *identityProvider) strangersGetNothing(t *testing.T, s *service, of *project) {
	t.Helper()
	at, err := url.Parse(p.last)
	if err != nil {
		t.Fatal(err)
	}
	other := s.signUp(t).create("static-html")
	for name, address := range map[string]string{
		"a replay":          at.String(),
		"a foreign project": strings.Replace(at.String(), string(of.ID), string(other.ID), 1),
		"a missing state":   strings.SplitN(at.String(), "?", 2)[0] + "?code=stolen",
		"a forged state":    strings.SplitN(at.String(), "?", 2)[0] + "?code=stolen&state=" + rand.Text(),
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest || response.Header.Get("Location") != "" {
			t.Errorf("%s: got %s %v, want it refused", name, response.Status, response.Header)
		}
	}
}
