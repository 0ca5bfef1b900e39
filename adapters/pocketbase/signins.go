package pocketbase

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/filesystem"
	"github.com/pocketbase/pocketbase/tools/hook"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Bounds of requests to providers.
const (
	// maxProviderBytes bounds an answer.
	maxProviderBytes = 1 << 20
	// maxExchanges bounds the sign-ins of one place that wait for a provider.
	maxExchanges = 20
	// pictureShare is the fraction of a sign-in's time (1/pictureShare) for a new user's picture.
	pictureShare = 5
)

// usesProviders reports whether a request needs the providers of its place.
func usesProviders(path string) bool {
	return strings.HasSuffix(path, "/auth-methods") || strings.HasSuffix(path, "/auth-with-oauth2")
}

type providersKey struct{}

// withProviders adds the providers of a place to a context, in PocketBase's form.
func (e *Engine) withProviders(ctx context.Context, place backend.Place) (context.Context, error) {
	if e.config.SignIns == nil {
		return ctx, nil
	}
	found, err := e.config.SignIns.SignIns(ctx, place)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the providers are not available")
	}
	configs := make([]pb.OAuth2ProviderConfig, len(found))
	for i, one := range found {
		configs[i] = pb.OAuth2ProviderConfig{
			PKCE: one.PKCE, Name: one.Name, ClientId: one.ClientID, ClientSecret: one.ClientSecret, DisplayName: one.DisplayName,
			AuthURL: one.AuthURL, TokenURL: one.TokenURL, UserInfoURL: one.UserInfoURL, Extra: caution(one),
		}
	}
	return context.WithValue(ctx, providersKey{}, configs), nil
}

// caution makes PocketBase trust an address from Microsoft only if Microsoft has verified
// it: users of any organisation can sign in, and its admins can set any address.
func caution(provider backend.SignInProvider) map[string]any {
	at, err := url.Parse(provider.TokenURL)
	if provider.Name != "microsoft" || err != nil {
		return nil
	}
	tenant, _, _ := strings.Cut(strings.TrimPrefix(at.Path, "/"), "/")
	if slices.Contains([]string{"", "common", "organizations", "consumers"}, tenant) {
		return map[string]any{"idTokenEmailClaim": "any_verified"}
	}
	return nil
}

// providerOffer is an application whose auth collections offer the providers of one request.
// Providers are not stored in the database.
type providerOffer struct {
	pb.App
	providers []pb.OAuth2ProviderConfig
}

// FindCachedCollectionByNameOrId implements pb.App.
func (o providerOffer) FindCachedCollectionByNameOrId(nameOrID string) (*pb.Collection, error) { //nolint:revive // PocketBase's name
	found, err := o.App.FindCachedCollectionByNameOrId(nameOrID)
	if err != nil || !found.IsAuth() {
		return found, err
	}
	collection := *found
	collection.OAuth2.Providers = o.providers
	collection.OAuth2.Enabled = found.OAuth2.Enabled && len(o.providers) > 0
	return &collection, nil
}

// offerProviders makes the providers available to the requests that need them.
func offerProviders() *hook.Handler[*pb.RequestEvent] {
	return &hook.Handler[*pb.RequestEvent]{
		Id: "atelierProviders",
		Func: func(e *pb.RequestEvent) error {
			if usesProviders(e.Request.URL.Path) {
				providers, _ := e.Request.Context().Value(providersKey{}).([]pb.OAuth2ProviderConfig)
				e.App = providerOffer{e.App, providers}
			}
			return e.Next()
		},
	}
}

// serveExchange serves a sign-in with a provider. It takes the gate only after the provider
// has answered (settleExchange).
func (s *dataSet) serveExchange(w http.ResponseWriter, r *http.Request) error {
	body, ok := readBody(w, r)
	if !ok {
		return nil
	}
	if len(body) > maxProviderBytes {
		backend.Refuse(w, http.StatusRequestEntityTooLarge, "The request is larger than 1 MiB.")
		return nil
	}
	select {
	case s.exchanges <- struct{}{}:
		defer func() { <-s.exchanges }()
	default:
		return core.Errorf(core.CodeRateLimited, "Too many people are signing in. Try again in a moment.")
	}
	app, life, release, err := s.borrow(r.Context())
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.WithValue(life, setKey{}, s), s.config.Limits.SignIn)
	defer cancel()
	answer := &buffer{header: make(http.Header)}
	app.handler.ServeHTTP(answer, withBody(r.WithContext(ctx), body))
	if life.Err() != nil && answer.status >= http.StatusBadRequest {
		return core.Errorf(core.CodeUnavailable, "the backend was closed")
	}
	if err := app.ship(); err != nil {
		return notKept(err) // the next request closes the place
	}
	answer.sendTo(w)
	return nil
}

type setKey struct{}

// settleExchange runs when a provider has identified a user. It holds the gate while
// PocketBase signs the user in, so that nothing changes during a snapshot or a switch.
func settleExchange(config Config) func(*pb.RecordAuthWithOAuth2RequestEvent) error {
	return func(e *pb.RecordAuthWithOAuth2RequestEvent) error {
		if e.OAuth2User == nil || e.OAuth2User.Id == "" || e.OAuth2User.Id == "0" {
			return e.BadRequestError("Failed to fetch OAuth2 user.", errors.New("the provider did not say who it is"))
		}
		ctx := e.Request.Context()
		addPicture(e, config)
		if set, ok := ctx.Value(setKey{}).(*dataSet); ok {
			if err := set.enter(ctx); err != nil {
				return e.BadRequestError("Failed to authenticate.", err)
			}
			defer set.gate.RUnlock()
		}
		return e.Next()
	}
}

// enter takes the gate as shared does, unless ctx ends. An exclusive holder may be waiting
// for this request, and ends ctx for that.
func (s *dataSet) enter(ctx context.Context) error {
	for !s.gate.TryRLock() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	if ctx.Err() != nil {
		s.gate.RUnlock()
	}
	return ctx.Err()
}

// addPicture fetches the picture of a new user if a file field is mapped to it. PocketBase
// would bypass the guarded client.
func addPicture(e *pb.RecordAuthWithOAuth2RequestEvent, config Config) {
	field := e.Collection.OAuth2.MappedFields.AvatarURL
	if _, given := e.CreateData[field]; given || !e.IsNewRecord || e.OAuth2User.AvatarURL == "" {
		return
	}
	if mapped := e.Collection.Fields.GetByName(field); mapped == nil || mapped.Type() != pb.FieldTypeFile {
		return
	}
	if e.CreateData == nil {
		e.CreateData = make(map[string]any)
	}
	e.CreateData[field] = nil
	ctx, cancel := context.WithTimeout(e.Request.Context(), config.Limits.SignIn/pictureShare)
	defer cancel()
	if picture, err := fetchPicture(ctx, config.outgoing(), e.OAuth2User.AvatarURL); err == nil {
		e.CreateData[field] = picture
	}
}

func fetchPicture(ctx context.Context, client *http.Client, address string) (*filesystem.File, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New("there is no picture")
	}
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	return filesystem.NewFileFromBytes(content, path.Base(r.URL.Path))
}

// outgoing returns the client for providers. It follows no redirects and bounds answers.
func (c Config) outgoing() *http.Client {
	var transport http.RoundTripper
	if c.Client != nil {
		transport = c.Client.Transport
		if transport == nil {
			transport = http.DefaultTransport
		}
	}
	return &http.Client{Transport: boundedTransport{transport}}
}

// boundedTransport is an http.RoundTripper that bounds answers and rejects redirects. PocketBase and
// golang.org/x/oauth2 use only the transport of a client.
type boundedTransport struct{ over http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.over == nil {
		return nil, errors.New("there is no client for providers")
	}
	answer, err := b.over.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return nil, errors.Join(errors.New("the provider answers with a redirect"), answer.Body.Close())
	}
	answer.Body = http.MaxBytesReader(nil, answer.Body, maxProviderBytes)
	return answer, nil
}

// asPage answers with a page that says whether the code has reached the waiting window.
// PocketBase would redirect to its admin page, which is not served.
func (b *buffer) asPage() {
	if b.status != http.StatusTemporaryRedirect && b.status != http.StatusSeeOther {
		return
	}
	done := strings.HasSuffix(b.header.Get("Location"), "success")
	*b = buffer{header: make(http.Header)}
	if !done {
		backend.Refuse(b, http.StatusBadRequest, "Failed to authenticate. Close this window and try again.")
		return
	}
	b.header.Set("Content-Type", "application/json")
	_, _ = b.Write([]byte(`{"message":"Signed in. Close this window."}`))
}
