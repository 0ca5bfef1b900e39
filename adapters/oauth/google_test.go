package oauth_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

func TestGoogleAsksForAnIdentityTokenWithANonce(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	attempt := oauthtest.Attempt()
	address, err := newGoogle(server).AuthorizeURL(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"scope": "openid email profile", "nonce": attempt.Nonce, "redirect_uri": client().RedirectURI, "client_id": client().ID,
	} {
		if got := page.Query().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// forged signs honest claims with changes.
func forged(changes map[string]any) func(map[string]any) string {
	return func(claims map[string]any) string {
		return oauthtest.KeyNumber(0).Sign(members(changes)(claims).(map[string]any))
	}
}

func TestAWellSignedLieIsRefused(t *testing.T) {
	now := time.Now()
	for name, changes := range map[string]map[string]any{
		"wrong nonce":                          {"nonce": core.NewSecret()},
		"no nonce":                             {"nonce": gone},
		"empty nonce":                          {"nonce": ""},
		"nonce in a list":                      {"nonce": []string{"x"}},
		"nonce under a name in capitals":       {"nonce": gone, "Nonce": "x"},
		"another audience":                     {"aud": "another-client"},
		"no audience":                          {"aud": gone},
		"empty audience":                       {"aud": []string{}},
		"an audience in another case":          {"aud": "ATELIER-CLIENT"},
		"made for another client":              {"azp": "another-client"},
		"made for nobody":                      {"azp": ""},
		"made for a list":                      {"azp": []string{"atelier-client"}},
		"several audiences, made for another":  {"aud": []string{"atelier-client", "other"}, "azp": "other"},
		"several audiences, made for nobody":   {"aud": []string{"atelier-client", "other"}, "azp": gone},
		"another issuer":                       {"iss": "https://accounts.google.com"},
		"no issuer":                            {"iss": gone},
		"an issuer with a slash more":          {"iss": "slash"},
		"expired":                              {"exp": now.Add(-time.Second).Unix()},
		"expired long ago":                     {"exp": 1},
		"no expiry":                            {"exp": gone},
		"expiry null":                          {"exp": nil},
		"expiry in a text":                     {"exp": "99999999999"},
		"expiry beyond all time":               {"exp": json.Number("1e300")},
		"not yet valid":                        {"nbf": now.Add(10 * time.Minute).Unix()},
		"made in the future":                   {"iat": now.Add(10 * time.Minute).Unix()},
		"made at no time":                      {"iat": gone},
		"missing sub":                          {"sub": gone},
		"sub null":                             {"sub": nil},
		"sub empty":                            {"sub": ""},
		"sub a number instead of a text":       {"sub": 583231},
		"sub a list":                           {"sub": []string{"583231"}},
		"sub under a name in capitals":         {"sub": gone, "SUB": "583231"},
		"sub of control characters":            {"sub": "7\x00"},
		"sub beyond ASCII":                     {"sub": "583231\u200b"},
		"sub too long":                         {"sub": strings.Repeat("7", 256)},
		"email a list":                         {"email": []string{"a@example.com", "victim@example.com"}},
		"name an object":                       {"name": map[string]any{"x": 1}},
		"another access token":                 {"at_hash": base64.RawURLEncoding.EncodeToString(make([]byte, 16))},
		"claims that stand with somebody else": {"_claim_names": map[string]any{"email": "x"}},
		"expiry 0":                             {"exp": 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			if changes["iss"] == "slash" {
				changes["iss"] = server.URL + "/"
			}
			server.Forge(forged(changes))
			wantFailure(t, newGoogle(server), server, core.CodeInvalidCredentials)
		})
	}
}

func TestAnIdentityTokenMayDifferInWhatDoesNotMatter(t *testing.T) {
	for name, changes := range map[string]map[string]any{
		"made for nobody in particular": {"azp": gone},
		"several audiences":             {"aud": []string{"other", "atelier-client"}},
		"an audience in a list":         {"aud": []string{"atelier-client"}},
		"no hash of the access token":   {"at_hash": gone},
		"a clock a minute ahead":        {"iat": time.Now().Add(time.Minute).Unix(), "nbf": time.Now().Add(time.Minute).Unix()},
		"times with fractions":          {"exp": float64(time.Now().Add(time.Hour).UnixMilli()) / 1000},
		"claims that nobody knows":      {"hd": "example.com", "crit": []string{"x"}, "EMAIL": "victim@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Forge(forged(changes))
			wantAda(t, newGoogle(server), server)
		})
	}
}

func TestOnlyTheIssuersWordVerifiesAnAddress(t *testing.T) {
	for name, row := range map[string]struct {
		changes  map[string]any
		email    string
		verified bool
	}{
		"true":                       {map[string]any{"email_verified": true}, "ada@example.com", true},
		"the text true":              {map[string]any{"email_verified": "true"}, "ada@example.com", true},
		"false":                      {map[string]any{"email_verified": false}, "ada@example.com", false},
		"the text false":             {map[string]any{"email_verified": "false"}, "ada@example.com", false},
		"missing":                    {map[string]any{"email_verified": gone}, "ada@example.com", false},
		"null":                       {map[string]any{"email_verified": nil}, "ada@example.com", false},
		"a number":                   {map[string]any{"email_verified": 1}, "ada@example.com", false},
		"the text TRUE":              {map[string]any{"email_verified": "TRUE"}, "ada@example.com", false},
		"a list":                     {map[string]any{"email_verified": []bool{true}}, "ada@example.com", false},
		"under a name in capitals":   {map[string]any{"email_verified": false, "Email_Verified": true}, "ada@example.com", false},
		"of no address":              {map[string]any{"email": gone, "email_verified": true}, "", false},
		"of an address that is null": {map[string]any{"email": nil, "email_verified": true}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Forge(forged(row.changes))
			want := ada()
			want.Email, want.EmailVerified = row.email, row.verified
			if got, err := signIn(t, newGoogle(server), server); err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

// unsigned is a signature of nothing.
func unsigned([]byte) []byte { return nil }

// withSecret signs as HS256 does.
func withSecret(secret []byte) func([]byte) []byte {
	return func(input []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(input)
		return mac.Sum(nil)
	}
}

// rs512 signs as RS512 does.
func rs512(key *oauthtest.Key) func([]byte) []byte {
	return func(input []byte) []byte {
		sum := sha512.Sum512(input)
		signature, err := rsa.SignPKCS1v15(nil, key.Private, crypto.SHA512, sum[:])
		if err != nil {
			panic(err)
		}
		return signature
	}
}

func TestForgedSignaturesAreRefused(t *testing.T) {
	key, other := oauthtest.KeyNumber(0), oauthtest.KeyNumber(1)
	token := func(header map[string]any, sign func([]byte) []byte) func(map[string]any) string {
		return func(claims map[string]any) string { return oauthtest.Token(header, claims, sign) }
	}
	header := func(changes map[string]any) map[string]any {
		all := map[string]any{"alg": "RS256", "typ": "JWT", "kid": key.ID}
		maps.Copy(all, changes)
		return all
	}
	for name, forge := range map[string]func(map[string]any) string{
		"alg none":                              token(header(map[string]any{"alg": "none"}), unsigned),
		"alg none with a signature":             token(header(map[string]any{"alg": "none"}), key.Signature),
		"alg NONE":                              token(header(map[string]any{"alg": "NonE"}), unsigned),
		"alg missing":                           token(map[string]any{"kid": key.ID}, key.Signature),
		"alg empty":                             token(header(map[string]any{"alg": ""}), key.Signature),
		"alg HS256 signed with the public key":  token(header(map[string]any{"alg": "HS256"}), withSecret(key.PublicPEM())),
		"alg HS256 signed with the modulus":     token(header(map[string]any{"alg": "HS256"}), withSecret(key.Private.N.Bytes())),
		"alg HS256 signed with the secret":      token(header(map[string]any{"alg": "HS256"}), withSecret([]byte(oauthtest.ClientSecret))),
		"alg HS256 signed with nothing":         token(header(map[string]any{"alg": "HS256"}), withSecret(nil)),
		"alg RS512 over an RS256 signature":     token(header(map[string]any{"alg": "RS512"}), key.Signature),
		"alg RS512, well signed":                token(header(map[string]any{"alg": "RS512"}), rs512(key)),
		"no signature":                          token(header(nil), unsigned),
		"another's key under the issuer's name": token(header(nil), other.Signature),
		"key id unknown":                        token(header(map[string]any{"kid": "unknown"}), key.Signature),
		"the attacker's key in the header":      token(header(map[string]any{"kid": "own", "jwk": other.JWK()}), other.Signature),
		"the attacker's keys by address":        token(header(map[string]any{"kid": "own", "jku": "https://evil.example/keys"}), other.Signature),
		"a critical extension":                  token(header(map[string]any{"crit": []string{"exp"}, "exp": 1}), key.Signature),
		"claims changed after signing": func(claims map[string]any) string {
			parts := strings.Split(key.Sign(claims), ".")
			claims["sub"] = "1"
			return parts[0] + "." + strings.Split(key.Sign(claims), ".")[1] + "." + parts[2]
		},
		"JSON serialisation": func(claims map[string]any) string {
			parts := strings.Split(key.Sign(claims), ".")
			text, _ := json.Marshal(map[string]string{"protected": parts[0], "payload": parts[1], "signature": parts[2]})
			return string(text)
		},
		"two parts":         func(claims map[string]any) string { return strings.Join(strings.Split(key.Sign(claims), ".")[:2], ".") },
		"four parts":        func(claims map[string]any) string { return key.Sign(claims) + ".x" },
		"nothing":           func(map[string]any) string { return "" },
		"a line break":      func(claims map[string]any) string { return key.Sign(claims) + "\n" },
		"longer than any":   func(claims map[string]any) string { return key.Sign(claims) + strings.Repeat("A", 16<<10) },
		"null as claims":    func(map[string]any) string { return signRaw(key, "null") },
		"claims in a list":  func(map[string]any) string { return signRaw(key, "[]") },
		"claims that break": func(map[string]any) string { return signRaw(key, `{"iss":`) },
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			// A forger leaves out the hash of the access token, which says another alg.
			server.Forge(func(claims map[string]any) string {
				delete(claims, "at_hash")
				return forge(claims)
			})
			wantFailure(t, newGoogle(server), server, core.CodeInvalidCredentials)
		})
	}
}

// signRaw signs a payload that may be anything.
func signRaw(key *oauthtest.Key, payload string) string {
	input := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"`+key.ID+`"}`)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(payload))
	return input + "." + base64.RawURLEncoding.EncodeToString(key.Signature([]byte(input)))
}

func TestAnAnswerWithoutAnIdentityTokenIsRefused(t *testing.T) {
	for name, value := range map[string]any{"missing": gone, "null": nil, "a number": 7, "a list": []string{"x"}} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.TokenPath, members(map[string]any{"id_token": value}))
			wantFailure(t, newGoogle(server), server, core.CodeInvalidCredentials)
		})
	}
}

func TestATokenOfAnotherPersonsAttemptIsRefused(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	var stolen string
	server.Forge(func(claims map[string]any) string {
		if stolen == "" {
			stolen = oauthtest.KeyNumber(0).Sign(claims)
		}
		return stolen
	})
	google := newGoogle(server)
	wantAda(t, google, server)
	wantFailure(t, google, server, core.CodeInvalidCredentials)
}

func TestAnAttemptWithoutANonceIsRefused(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	server.AddPerson(ada())
	google := newGoogle(server)
	attempt := oauthtest.Attempt()
	attempt.Nonce = ""
	code := oauthtest.Code(t, google, server, attempt, ada().Subject)
	_, err := google.Identify(t.Context(), attempt, code)
	oauthtest.WantError(t, err, core.CodeInvalidCredentials, server.Secrets()...)
}

func TestAnIdentityTokenEndsAtItsInstant(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	server := oauthtest.Serve(t, func() time.Time { return now })
	google := newGoogleAt(server, func() time.Time { return now })
	server.Forge(forged(map[string]any{"exp": now.Unix() + 1}))
	wantAda(t, google, server)
	server.Forge(forged(map[string]any{"exp": now.Unix()}))
	wantFailure(t, google, server, core.CodeInvalidCredentials)
}
