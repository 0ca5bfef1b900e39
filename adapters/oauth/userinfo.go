package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
)

// userInfo asks an issuer for the claims of the person to whom a token belongs.
func (g *openID) userInfo(ctx context.Context, proof proof) (claims, error) {
	var set claims
	if err := g.get(ctx, proof.found.userInfo, proof.token.AccessToken, &set); err != nil {
		return nil, err
	}
	return set, nil
}

// get reads the JSON of an address, with an access token unless that is "".
func (g *openID) get(ctx context.Context, address, token string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return g.down("it names an invalid address")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := g.http.Do(request)
	if err != nil {
		return g.known(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return g.down("its answer is not what the protocol says")
	}
	return nil
}

// checkKeys looks for a key whose signatures are accepted.
func (g *openID) checkKeys(ctx context.Context, found *discovery) *oauth.Problem {
	var set struct {
		Keys []publishedKey `json:"keys"`
	}
	if err := g.get(ctx, found.keysURL, "", &set); err != nil {
		problem := problemOf(err)
		return &problem
	}
	for _, key := range set.Keys {
		if key.Use != "enc" && slices.Contains(g.algorithms, key.algorithm()) {
			return nil
		}
	}
	return &oauth.Problem{Kind: oauth.ProblemKeys, Detail: "jwks_uri has no key for " + strings.Join(g.algorithms, ", "), Blocks: true}
}

// checkClient offers a code that nobody gave, and a token to revoke that nobody has: most issuers
// refuse the one only once they know the client, others know it for the other.
func (g *openID) checkClient(ctx context.Context, found *discovery) *oauth.Problem {
	_, err := g.redeem(ctx, g.configOf(found), oauth.Attempt{Verifier: core.NewSecret()}, core.NewSecret())
	if core.IsCode(err, core.CodeInvalidCredentials) {
		err = nil
	}
	if err == nil && found.revocation != "" {
		// Any other failure says nothing about signing in.
		if refused := g.revoke(ctx, found); errors.Is(refused, errClient) {
			err = refused
		}
	}
	if err == nil {
		return nil
	}
	problem := problemOf(err)
	if errors.Is(err, errClient) {
		problem.Kind = oauth.ProblemClient
	}
	return &problem
}

// revoke revokes a token that nobody has (RFC 7009).
func (g *openID) revoke(ctx context.Context, found *discovery) error {
	form := url.Values{"token": {core.NewSecret()}}
	if found.endpoint.AuthStyle == oauth2.AuthStyleInParams {
		form.Set("client_id", g.client.ID)
		form.Set("client_secret", g.client.Secret)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, found.revocation, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if found.endpoint.AuthStyle == oauth2.AuthStyleInHeader {
		request.SetBasicAuth(url.QueryEscape(g.client.ID), url.QueryEscape(g.client.Secret))
	}
	response, err := g.http.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// publishedKey is the part of a JSON Web Key that says what it signs.
type publishedKey struct {
	Type      string `json:"kty"`
	Curve     string `json:"crv"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
}

// algorithm returns the algorithm of the key's signatures, "" for one that nobody here accepts.
func (k publishedKey) algorithm() string {
	switch {
	case k.Algorithm != "":
		return k.Algorithm
	case k.Type == "RSA":
		return oidc.RS256
	case k.Type == "EC" && k.Curve == "P-256":
		return oidc.ES256
	case k.Type == "OKP" && k.Curve == "Ed25519":
		return oidc.EdDSA
	}
	return ""
}

// has reports whether there is a claim.
func (c claims) has(name string) bool { return len(c[name]) > 0 && string(c[name]) != "null" }

// at returns the claim of a name or, if there is none, of a path with dots; nil without one.
func (c claims) at(path string) json.RawMessage {
	if c.has(path) {
		return c[path]
	}
	head, rest, nested := strings.Cut(path, ".")
	if !nested || !c.has(head) {
		return nil
	}
	var inner claims
	if json.Unmarshal(c[head], &inner) != nil {
		return nil
	}
	return inner.at(rest)
}

// overflows reports whether the issuer left out groups because there are too many: Entra then says
// where else they could be asked for, or only that there are some.
func (c claims) overflows(path string) bool {
	if c.at(path) != nil {
		return false
	}
	var elsewhere map[string]json.RawMessage
	_ = json.Unmarshal(c["_claim_names"], &elsewhere)
	_, named := elsewhere[path]
	return named || c.isTrue("hasgroups")
}

// groups reads a person's groups: texts, or one text.
func (c claims) groups(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	if c.overflows(path) {
		return nil, core.Errorf(core.CodeTooManyGroups, "the provider left out the groups because there are too many: let it send only the groups that are assigned to this application")
	}
	raw := c.at(path)
	if raw == nil {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var several []string
	if json.Unmarshal(raw, &several) != nil {
		return nil, fmt.Errorf("its claim %q is not a list of texts", path)
	}
	return several, nil
}
