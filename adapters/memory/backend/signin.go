package backend

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/atelierhq/atelier/adapters/memory/backend/oauth"
	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	port "github.com/atelierhq/atelier/ports/backend"
)

// topicOAuth is what a window listens to while its person is at a provider.
const topicOAuth = "@oauth2"

// providers returns those that the collection offers.
func (a authentication) providers(ctx context.Context) ([]port.SignInProvider, error) {
	option := a.c.Auth.OAuth2.Enabled
	if option != nil && !*option || option == nil && a.c.Auth.MFA.Enabled || a.set.config.SignIns == nil {
		return nil, nil
	}
	return a.set.config.SignIns.SignIns(ctx, a.set.place)
}

// offers describes providers to a page.
func offers(providers []port.SignInProvider) map[string]any {
	shown := []any{}
	for _, one := range providers {
		info := map[string]any{"name": one.Name, "displayName": one.DisplayName, "state": rand.Text(), "codeVerifier": "", "codeChallenge": "", "codeChallengeMethod": ""}
		if one.DisplayName == "" {
			info["displayName"] = one.Name
		}
		challenge := ""
		if one.PKCE == nil || *one.PKCE {
			verifier := records.NewSecret()
			sum := sha256.Sum256([]byte(verifier))
			challenge = base64.RawURLEncoding.EncodeToString(sum[:])
			info["codeVerifier"], info["codeChallenge"], info["codeChallengeMethod"] = verifier, challenge, "S256"
		}
		info["authURL"] = oauth.AuthURL(one, info["state"].(string), challenge)
		shown = append(shown, info)
	}
	return map[string]any{"enabled": len(providers) > 0, "providers": shown}
}

// withOAuth signs in whom a provider vouches for.
func (a authentication) withOAuth(ctx context.Context) (any, error) {
	ctx, done := a.set.lasting(ctx)
	defer done()
	found, err := a.providers(ctx)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, refusal(http.StatusForbidden, "The collection is not configured to allow OAuth2 authentication.")
	}
	i := slices.IndexFunc(found, func(p port.SignInProvider) bool { return p.Name == a.text("provider") })
	if i < 0 || a.text("code") == "" {
		return nil, flawed(map[string]*records.Flaw{"provider": records.FlawInvalid})
	}
	client := oauth.NewClient(a.set.config.Client)
	with := oauth.Attempt{Code: a.text("code"), Verifier: a.text("codeVerifier"), Redirect: a.text("redirectURL")}
	who, err := client.Identify(ctx, found[i], with)
	if err != nil {
		return nil, refusal(http.StatusBadRequest, "Failed to fetch OAuth2 user.")
	}
	s := &providerSignIn{authentication: a, provider: found[i].Name, who: who}
	s.fetchPicture(ctx, client)
	if err := a.commit(s.settle); err != nil {
		return nil, err
	}
	answer, err := a.signedIn(s.row)
	if err != nil {
		return nil, err
	}
	members, _ := answer.(map[string]any)
	members["meta"] = map[string]any{
		"id": who.ID, "name": who.Name, "username": who.Username, "email": who.Email, "avatarURL": who.AvatarURL, "isNew": s.isNew,
	}
	return members, nil
}

// providerSignIn is a sign-in for which a provider has vouched.
type providerSignIn struct {
	authentication
	provider string
	who      oauth.Person

	pictureName string
	picture     []byte

	row   records.Row
	isNew bool
}

// fetchPicture fetches the person's picture if a file field is to have it. It may fail.
func (s *providerSignIn) fetchPicture(ctx context.Context, client oauth.Client) {
	f := s.c.ByName(s.c.Auth.OAuth2.MappedFields.AvatarURL)
	if f == nil || f.Type != "file" || s.who.AvatarURL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.set.config.Limits.SignIn/5)
	defer cancel()
	if name, content, err := client.Picture(ctx, s.who.AvatarURL); err == nil {
		s.pictureName, s.picture = records.NewID()+"_"+name, content
	}
}

// settle finds the user, or makes one, and links them with the person at the provider.
func (s *providerSignIn) settle(tx *records.Transaction) error {
	link := records.Link{Collection: s.c.ID, Provider: s.provider, Subject: s.who.ID}
	row, known := tx.Find(s.c, tx.Links[link])
	if !known && s.Auth.Exists() && s.Auth.Collection.ID == s.c.ID {
		row, known = tx.Find(s.c, s.Auth.ID)
	}
	if !known {
		row, known = byEmail(tx.State, s.c, s.who.Email)
	}
	var err error
	if known {
		s.row, err = s.welcome(tx, row.Clone())
	} else {
		s.row, err = s.create(tx)
	}
	if err != nil {
		return err
	}
	for other, id := range tx.Links {
		if other != link && id == s.row.ID && other.Collection == link.Collection && other.Provider == link.Provider {
			return refusal(http.StatusBadRequest, "Failed to authenticate.") // another account there
		}
	}
	tx.Links[link] = s.row.ID
	return nil
}

// welcome makes a known user one whose address is verified, if it is the provider's. Who knew the
// user before does not keep a way in.
func (s *providerSignIn) welcome(tx *records.Transaction, row records.Row) (records.Row, error) {
	if row.Values["verified"] == true {
		return row, nil
	}
	maps.DeleteFunc(tx.Links, func(link records.Link, id string) bool { return link.Collection == s.c.ID && id == row.ID })
	if !s.Auth.Same(row) {
		row.Values["password"], row.Values["tokenKey"] = hashPassword(rand.Text()), records.NewSecret()
	}
	row.Values["verified"] = row.Text("email") == s.who.Email
	return row, tx.Put(row, records.Update)
}

// create makes a user, as far as the rules let the request do so.
func (s *providerSignIn) create(tx *records.Transaction) (records.Row, error) {
	s.isNew = true
	id, password := records.NewID(), rand.Text()
	as := *s.request
	as.tx, as.state, as.files = tx, tx.State, nil
	as.Context, as.Method = "oauth2", http.MethodPost
	as.Body = map[string]any{}
	if given, ok := s.Body["createData"].(map[string]any); ok {
		maps.Copy(as.Body, given)
	}
	to := s.c.Auth.OAuth2.MappedFields
	for name, value := range map[string]string{"email": s.who.Email, to.ID: s.who.ID, to.Name: s.who.Name, to.Username: s.who.Username, to.AvatarURL: s.who.AvatarURL} {
		f := s.c.ByName(name)
		if _, given := as.Body[name]; !given && f != nil && f.Type != "file" && value != "" {
			as.Body[name] = value
		}
	}
	as.Body["id"], as.Body["password"], as.Body["passwordConfirm"] = id, password, password
	if _, err := (resource{&as, s.c}).create(); err != nil {
		return records.Row{}, err
	}
	row, _ := tx.Find(s.c, id)
	row = row.Clone()
	row.Values["verified"] = row.Text("email") == s.who.Email
	if s.picture != nil {
		tx.Files[s.c.ID+"/"+id+"/"+s.pictureName] = s.picture
		row.Values[s.c.ByName(to.AvatarURL).Key] = s.pictureName
	}
	return row, tx.Put(row, records.Update)
}

// redirect answers /api/oauth2-redirect: it tells the window with an id the code that the browser
// brings from a provider.
func (r *request) redirect() (any, error) {
	said := map[string]string{}
	for _, name := range []string{"state", "code", "error"} {
		said[name] = r.Query[name]
		if r.Method == http.MethodPost {
			said[name] = r.text(name)
		}
	}
	failed := refusal(http.StatusBadRequest, "Failed to authenticate. Close this window and try again.")
	s := &r.set.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.clients[said["state"]]
	if one == nil || !slices.Contains(one.topics, topicOAuth) {
		return nil, failed
	}
	one.topics = slices.DeleteFunc(one.topics, func(topic string) bool { return topic == topicOAuth })
	text, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	select {
	case one.messages <- message{topic: topicOAuth, data: text}:
	default:
		s.leave(one)
	}
	if said["error"] != "" || said["code"] == "" {
		return nil, failed
	}
	return map[string]any{"message": "Signed in. Close this window."}, nil
}

// lasting returns a context that ends when the place does, or the time for a provider is over.
func (d *dataSet) lasting(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, d.config.Limits.SignIn)
	d.streams.mu.Lock()
	defer d.streams.mu.Unlock()
	if d.streams.waiting == nil {
		d.streams.waiting = make(map[*context.CancelFunc]bool)
	}
	d.streams.waiting[&cancel] = true
	return ctx, func() {
		d.streams.mu.Lock()
		defer d.streams.mu.Unlock()
		delete(d.streams.waiting, &cancel)
		cancel()
	}
}
