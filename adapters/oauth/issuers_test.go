package oauth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

// oneIssuer is an issuer as a provider that is known from the beginning.
type oneIssuer struct {
	port.Issuers
	issuer port.Issuer
}

func (o oneIssuer) Provider() core.IdentityProvider { return "oidc:acme" }

func (o oneIssuer) AuthorizeURL(ctx context.Context, attempt port.Attempt) (string, error) {
	return o.Issuers.AuthorizeURL(ctx, o.issuer, attempt)
}

func (o oneIssuer) Identify(ctx context.Context, attempt port.Attempt, code string) (port.Profile, error) {
	said, err := o.Issuers.Identify(ctx, o.issuer, attempt, port.Return{Code: code})
	return said.Profile, err
}

func issuerAt(url string) port.Issuer {
	return port.Issuer{
		URL: url, ClientID: oauthtest.ClientID, ClientSecret: oauthtest.ClientSecret, RedirectURI: client().RedirectURI, GroupsClaim: "groups",
	}
}

func newIssuers() *oauth.Issuers { return oauth.NewIssuers(netguard.New(true), time.Now) }

func TestIssuers(t *testing.T) {
	oauthtest.RunIdentifier(t, func(t *testing.T) (port.Identifier, oauthtest.Provider) {
		server := oauthtest.Serve(t, time.Now)
		return oneIssuer{newIssuers(), issuerAt(server.URL)}, server
	})
}

// memoryIssuer lets the people of the suite live at one issuer in memory.
type memoryIssuer struct{ *memory.Issuers }

func (m memoryIssuer) AddPerson(profile port.Profile) {
	m.Issuers.AddPerson("https://id.example", port.Statement{Profile: profile})
}

func TestMemoryIssuers(t *testing.T) {
	oauthtest.RunIdentifier(t, func(*testing.T) (port.Identifier, oauthtest.Provider) {
		there := memoryIssuer{memory.NewIssuers()}
		there.AddPerson(port.Profile{Subject: "1"})
		return oneIssuer{there.Issuers, issuerAt("https://id.example")}, there
	})
}

// identify lets ada sign in at an issuer, with a returning browser that alter changes.
func identify(t *testing.T, issuers port.Issuers, server *oauthtest.Server, alter func(*port.Return)) (port.Statement, error) {
	t.Helper()
	server.AddPerson(ada())
	one, attempt := oneIssuer{issuers, issuerAt(server.URL)}, oauthtest.Attempt()
	back := port.Return{Code: oauthtest.Code(t, one, server, attempt, ada().Subject)}
	if alter != nil {
		alter(&back)
	}
	return issuers.Identify(t.Context(), one.issuer, attempt, back)
}

// signer is a key of an algorithm as an issuer publishes it.
type signer struct {
	header, jwk map[string]any
	sign        func([]byte) []byte
}

func ecKey(t *testing.T) signer {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]byte, 32), make([]byte, 32)
	private.X.FillBytes(x)
	private.Y.FillBytes(y)
	return signer{map[string]any{"alg": "ES256", "kid": "ec"}, map[string]any{"kty": "EC", "crv": "P-256", "kid": "ec", "use": "sig", "x": b64(x), "y": b64(y)}, func(input []byte) []byte {
		sum := sha256.Sum256(input)
		r, s, err := ecdsa.Sign(rand.Reader, private, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		signature := make([]byte, 64)
		r.FillBytes(signature[:32])
		s.FillBytes(signature[32:])
		return signature
	}}
}

func edKey(t *testing.T) signer {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{map[string]any{"alg": "EdDSA", "kid": "ed"}, map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": "ed", "use": "sig", "x": b64(public)}, func(input []byte) []byte {
		signature, err := private.Sign(nil, input, crypto.Hash(0))
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func TestIssuersSignWithEllipticCurves(t *testing.T) {
	for name, make := range map[string]func(*testing.T) signer{"ES256": ecKey, "EdDSA": edKey} {
		server, key := oauthtest.Serve(t, time.Now), make(t)
		server.Amend(oauthtest.KeysPath, func(any) any { return map[string]any{"keys": []any{key.jwk}} })
		server.Forge(func(claims map[string]any) string {
			// at_hash of EdDSA is of another hash.
			delete(claims, "at_hash")
			return oauthtest.Token(key.header, claims, key.sign)
		})
		issuers := newIssuers()
		if said, err := identify(t, issuers, server, nil); err != nil || said.Subject != ada().Subject {
			t.Errorf("%s: got %+v, %v, want Ada", name, said, err)
		}
		if problems := issuers.Test(t.Context(), issuerAt(server.URL)); slices.ContainsFunc(problems, func(p port.Problem) bool { return p.Blocks }) {
			t.Errorf("%s: got %+v, want an issuer that works", name, problems)
		}
	}
}

// TestIssuersThatLie has a row an attack; each is refused, and no account hears of it.
func TestIssuersThatLie(t *testing.T) {
	key := oauthtest.KeyNumber(0)
	claim := func(name string, value any) func(*oauthtest.Server) {
		return func(s *oauthtest.Server) {
			s.Forge(func(claims map[string]any) string {
				claims[name] = value
				return key.Sign(claims)
			})
		}
	}
	token := func(header map[string]any, sign func([]byte) []byte) func(*oauthtest.Server) {
		return func(s *oauthtest.Server) {
			s.Forge(func(claims map[string]any) string { return oauthtest.Token(header, claims, sign) })
		}
	}
	document := func(name string, value any) func(*oauthtest.Server) {
		return func(s *oauthtest.Server) {
			s.Amend(oauthtest.DiscoveryPath, func(d any) any {
				d.(map[string]any)[name] = value
				return d
			})
		}
	}
	for name, c := range map[string]struct {
		lie  func(*oauthtest.Server)
		back func(*port.Return)
		want core.Code
	}{
		"a nonce of another attempt": {claim("nonce", core.NewSecret()), nil, core.CodeInvalidCredentials},
		"another issuer":             {claim("iss", "https://other.example"), nil, core.CodeInvalidCredentials},
		"another client":             {claim("aud", "somebody"), nil, core.CodeInvalidCredentials},
		"issued for another party":   {claim("azp", "somebody"), nil, core.CodeInvalidCredentials},
		"expired":                    {claim("exp", time.Now().Add(-time.Minute).Unix()), nil, core.CodeInvalidCredentials},
		"of the future":              {claim("iat", time.Now().Add(time.Hour).Unix()), nil, core.CodeInvalidCredentials},
		"of another access token":    {claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), nil, core.CodeInvalidCredentials},
		"no subject":                 {claim("sub", ""), nil, core.CodeInvalidCredentials},
		"groups that are a number":   {claim("groups", 7), nil, core.CodeInvalidCredentials},
		"too many groups of Entra's": {overage, nil, core.CodeTooManyGroups},
		"too many groups, in short":  {claim("hasgroups", true), nil, core.CodeTooManyGroups},
		"no signature":               {token(map[string]any{"alg": "none"}, func([]byte) []byte { return nil }), nil, core.CodeInvalidCredentials},
		"the public key as a secret": {token(map[string]any{"alg": "HS256", "kid": key.ID}, func(input []byte) []byte {
			mac := hmac.New(sha256.New, key.PublicPEM())
			mac.Write(input)
			return mac.Sum(nil)
		}), nil, core.CodeInvalidCredentials},
		"another hash":              {token(map[string]any{"alg": "RS512", "kid": key.ID}, key.Signature), nil, core.CodeInvalidCredentials},
		"a key of somebody else":    {token(map[string]any{"alg": "RS256", "kid": key.ID}, oauthtest.KeyNumber(1).Signature), nil, core.CodeInvalidCredentials},
		"a browser from elsewhere":  {nil, func(b *port.Return) { b.Issuer = "https://other.example" }, core.CodeInvalidCredentials},
		"no iss, though promised":   {document("authorization_response_iss_parameter_supported", true), nil, core.CodeInvalidCredentials},
		"userinfo of somebody else": {userInfoOf("somebody"), nil, core.CodeInvalidCredentials},
	} {
		server := oauthtest.Serve(t, time.Now)
		if c.lie != nil {
			c.lie(server)
		}
		said, err := identify(t, newIssuers(), server, c.back)
		oauthtest.WantError(t, err, c.want, server.Secrets()...)
		if !reflect.DeepEqual(said, port.Statement{}) {
			t.Errorf("%s: got %+v, %v, want nothing", name, said, err)
		}
	}
}

// overage is what Entra says of somebody with more than 200 groups.
func overage(s *oauthtest.Server) {
	s.Forge(func(claims map[string]any) string {
		claims["_claim_names"] = map[string]any{"groups": "src1"}
		claims["_claim_sources"] = map[string]any{"src1": map[string]any{"endpoint": "https://graph.windows.net/x/getMemberObjects"}}
		return oauthtest.KeyNumber(0).Sign(claims)
	})
}

// userInfoOf lets the userinfo endpoint answer for a subject.
func userInfoOf(subject string) func(*oauthtest.Server) {
	return func(s *oauthtest.Server) {
		s.Amend(oauthtest.DiscoveryPath, func(d any) any {
			d.(map[string]any)["userinfo_endpoint"] = s.URL + "/userinfo"
			return d
		})
		s.Answer("/userinfo", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"sub":"` + subject + `","email":"ceo@example.com","email_verified":true,"groups":["/dev"]}`))
		})
	}
}

func TestUserinfoAddsWhatTheTokenLacks(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	userInfoOf(ada().Subject)(server)
	said, err := identify(t, newIssuers(), server, nil)
	if err != nil || said.Email != ada().Email || !slices.Equal(said.Groups, []string{"/dev"}) {
		t.Errorf("got %+v, %v, want the token's address and the groups of userinfo", said, err)
	}
	server.Forge(func(claims map[string]any) string {
		delete(claims, "email")
		return oauthtest.KeyNumber(0).Sign(claims)
	})
	said, err = identify(t, newIssuers(), server, nil)
	if err != nil || said.Email != "ceo@example.com" || !said.EmailVerified {
		t.Errorf("got %+v, %v, want the address with its own verification", said, err)
	}
}

// TestKeysRotate runs in a bubble: go-oidc answers a sign-in before it has put the keys it fetched
// away, and a sign-in that comes in between is given those keys again.
func TestKeysRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := oauthtest.NewServer("https://id.example.com", time.Now)
		issuers := oauth.NewIssuers(memory.NewGuard().Handle("id.example.com", server), time.Now)
		for i := range 2 {
			server.SetKey(oauthtest.KeyNumber(i))
			if _, err := identify(t, issuers, server, nil); err != nil {
				t.Errorf("key %d: got %v, want Ada", i, err)
			}
			synctest.Wait()
		}
		server.Forge(oauthtest.KeyNumber(0).Sign)
		_, err := identify(t, issuers, server, nil)
		oauthtest.WantError(t, err, core.CodeInvalidCredentials)
	})
}

// TestNoAddressOfADocumentLeavesTheGuard lets a public issuer name addresses of the inside.
func TestNoAddressOfADocumentLeavesTheGuard(t *testing.T) {
	inside := 0
	for _, field := range []string{"jwks_uri", "token_endpoint", "userinfo_endpoint"} {
		server := oauthtest.NewServer("https://id.example.com", time.Now)
		server.Amend(oauthtest.DiscoveryPath, func(d any) any {
			d.(map[string]any)[field] = "https://169.254.169.254/latest"
			return d
		})
		guard := memory.NewGuard().Handle("id.example.com", server).Handle("169.254.169.254", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside++ }))
		issuers := oauth.NewIssuers(guard, time.Now)
		problems := issuers.Test(t.Context(), issuerAt(server.URL))
		found := slices.ContainsFunc(problems, func(p port.Problem) bool { return p.Kind == port.ProblemForbiddenAddress })
		if field != "userinfo_endpoint" && !found {
			t.Errorf("%s: got %+v, want it forbidden", field, problems)
		}
	}
	if inside > 0 {
		t.Errorf("got %d calls of the inside, want none", inside)
	}
}

func TestWhatATestFinds(t *testing.T) {
	for name, c := range map[string]struct {
		amend  func(*oauthtest.Server)
		issuer func(*port.Issuer)
		want   port.ProblemKind
	}{
		"another issuer": {nil, func(i *port.Issuer) { i.URL += "/" }, port.ProblemIssuer},
		"no document":    {func(s *oauthtest.Server) { s.Answer(oauthtest.DiscoveryPath, http.NotFound) }, nil, port.ProblemUnreachable},
		"nobody there":   {func(s *oauthtest.Server) { s.SetDown(true) }, nil, port.ProblemUnreachable},
		"a wrong secret": {nil, func(i *port.Issuer) { i.ClientSecret = "wrong" }, port.ProblemClient},
		"no key": {func(s *oauthtest.Server) {
			s.Amend(oauthtest.KeysPath, func(any) any { return map[string]any{"keys": []any{}} })
		}, nil, port.ProblemKeys},
		"an unsafe scheme": {func(s *oauthtest.Server) { amendDocument(s, "token_endpoint", "ftp://x") }, nil, port.ProblemDocument},
		"an unknown scope": {func(s *oauthtest.Server) { amendDocument(s, "scopes_supported", []string{"openid"}) }, func(i *port.Issuer) { i.Scopes = []string{"groups"} }, port.ProblemScopes},
		"no sign-out":      {nil, nil, port.ProblemSignOut},
	} {
		server := oauthtest.Serve(t, time.Now)
		if c.amend != nil {
			c.amend(server)
		}
		issuer := issuerAt(server.URL)
		if c.issuer != nil {
			c.issuer(&issuer)
		}
		problems := newIssuers().Test(t.Context(), issuer)
		if !slices.ContainsFunc(problems, func(p port.Problem) bool { return p.Kind == c.want }) {
			t.Errorf("%s: got %+v, want %s", name, problems, c.want)
		}
		for _, problem := range problems {
			if strings.Contains(problem.Detail, oauthtest.ClientSecret) {
				t.Errorf("%s: got the secret in %q", name, problem.Detail)
			}
		}
	}
}

func amendDocument(s *oauthtest.Server, name string, value any) {
	s.Amend(oauthtest.DiscoveryPath, func(d any) any {
		d.(map[string]any)[name] = value
		return d
	})
}
