package attacks_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// forger knows the service's secret, so that its tokens have only the flaw under test.
type forger struct {
	*storytest.Caller
	secret string
}

func newForger(t *testing.T) forger {
	secret := "a secret of the service that has more than 32 bytes"
	return forger{storytest.Serve(t, t.TempDir(), local.New, map[string]string{"JWT_SECRET": secret}).SignUp(), secret}
}

const honestHeader = `{"alg":"HS256","typ":"JWT"}`

// claims is an honest claims set with some claims replaced; "" leaves one out.
func (f forger) claims(changes map[string]string) string {
	now := time.Now().Unix()
	set := map[string]string{
		"iss": `"atelier"`, "sub": fmt.Sprintf("%q", f.User.ID), "iat": fmt.Sprint(now - 10), "exp": fmt.Sprint(now + 600),
		"jti": fmt.Sprintf("%q", core.NewID()), "typ": `"access"`, "ver": "0",
	}
	maps.Copy(set, changes)
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", name, set[name]))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func segment(text []byte) string { return base64.RawURLEncoding.EncodeToString(text) }

// mac signs any header and payload with HMAC-SHA256.
func mac(secret, header, payload string) string {
	text := segment([]byte(header)) + "." + segment([]byte(payload))
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write([]byte(text))
	return text + "." + segment(sum.Sum(nil))
}

func (f forger) sign(header string, changes map[string]string) string {
	return mac(f.secret, header, f.claims(changes))
}

// wantRefused presents a token in every way that one can be presented.
func (f forger) wantRefused(t *testing.T, what, token string) {
	t.Helper()
	nobody := &storytest.Caller{Site: f.Site}
	for how, header := range map[string][]string{
		"in the header": {"Authorization", "Bearer " + token}, "in the cookie": {"Cookie", "app_access_token=" + token},
	} {
		got := nobody.Do(http.MethodGet, "/auth/me", nil, header...)
		if got.Status != http.StatusUnauthorized || got.Code() != core.CodeUnauthenticated {
			t.Errorf("%s %s: got %d %.200s, want 401 unauthenticated", what, how, got.Status, got.Body)
		}
	}
}

// TestForgedTokens plays attacks on access tokens against the whole service.
func TestForgedTokens(t *testing.T) {
	f := newForger(t)
	honest := &storytest.Caller{Site: f.Site, Token: f.sign(honestHeader, nil)}
	honest.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
	t.Run("the algorithm none", f.algorithmNone)
	t.Run("confusion of algorithms", f.algorithmConfusion)
	t.Run("keys of the attacker's choice", f.keyInjection)
	t.Run("critical headers", f.criticalHeaders)
	t.Run("tokens for something else", f.otherPurposes)
	t.Run("times that are not now", f.otherTimes)
	t.Run("members that stand twice", f.duplicates)
	t.Run("tokens of any size", f.sizes)
	t.Run("somebody who is not there", f.ghosts)
	honest.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, nil)
}

func (f forger) algorithmNone(t *testing.T) {
	payload := segment([]byte(f.claims(nil)))
	for _, algorithm := range []string{"none", "None", "NONE", "nOnE", ""} {
		header := segment([]byte(`{"alg":"` + algorithm + `","typ":"JWT"}`))
		f.wantRefused(t, algorithm+" without a signature", header+"."+payload+".")
		f.wantRefused(t, algorithm+" with two parts", header+"."+payload)
		f.wantRefused(t, algorithm+" with the right signature", f.sign(`{"alg":"`+algorithm+`","typ":"JWT"}`, nil))
	}
}

func (f forger) algorithmConfusion(t *testing.T) {
	for _, algorithm := range []string{"RS256", "HS384", "HS512", "ES256", "PS256", "EdDSA", "hs256"} {
		f.wantRefused(t, algorithm+" named over HMAC-SHA256", f.sign(`{"alg":"`+algorithm+`","typ":"JWT"}`, nil))
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"RS256", "HS256"} {
		text := segment([]byte(`{"alg":"`+algorithm+`","typ":"JWT"}`)) + "." + segment([]byte(f.claims(nil)))
		sum := sha256.Sum256([]byte(text))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		f.wantRefused(t, "an RSA signature as "+algorithm, text+"."+segment(signature))
	}
	for _, known := range []string{"", "secret", "atelier", f.URL, string(key.N.Bytes()), strings.Repeat("\x00", 32)} {
		f.wantRefused(t, fmt.Sprintf("HMAC with the known key %.20q", known), mac(known, honestHeader, f.claims(nil)))
	}
}

func (f forger) keyInjection(t *testing.T) {
	var asked atomic.Int32
	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"keys":[{"kty":"oct","kid":"mine","alg":"HS256","k":"`+segment([]byte("mine"))+`"}]}`)
	}))
	defer trap.Close()
	for _, header := range []string{
		`{"alg":"HS256","kid":"mine","jku":"` + trap.URL + `"}`, `{"alg":"HS256","x5u":"` + trap.URL + `"}`,
		`{"alg":"HS256","jwk":{"kty":"oct","k":"` + segment([]byte("mine")) + `"}}`, `{"alg":"HS256","kid":"../../../../dev/null"}`,
		`{"alg":"HS256","kid":"x' UNION SELECT 'mine"}`, `{"alg":"HS256","x5c":["` + segment([]byte("mine")) + `"]}`,
	} {
		f.wantRefused(t, header, mac("mine", header, f.claims(nil)))
		f.wantRefused(t, header+" with an empty key", mac("", header, f.claims(nil)))
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("got %d calls to the address in a header, want none", n)
	}
}

func (f forger) criticalHeaders(t *testing.T) {
	for _, header := range []string{
		`{"alg":"HS256","crit":["exp"]}`, `{"alg":"HS256","crit":["b64"],"b64":false}`, `{"alg":"HS256","crit":["x"],"x":1}`, `{"alg":"HS256","crit":[]}`,
	} {
		f.wantRefused(t, header, f.sign(header, nil))
	}
}

func (f forger) otherPurposes(t *testing.T) {
	for name, changes := range map[string]map[string]string{
		"another issuer": {"iss": `"somebody"`}, "no issuer": {"iss": ""}, "the issuer in a list": {"iss": `["atelier"]`},
		"a refresh token": {"typ": `"refresh"`}, "no type": {"typ": ""}, "an audience": {"aud": `"atelier"`}, "a type in a list": {"typ": `["access"]`},
	} {
		f.wantRefused(t, name, f.sign(honestHeader, changes))
	}
	nobody := &storytest.Caller{Site: f.Site}
	for how, got := range map[string]storytest.Answer{
		"by body":   nobody.Do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": f.sign(honestHeader, nil)}),
		"by cookie": nobody.Do(http.MethodPost, "/auth/refresh", nil, "Cookie", "app_refresh_token="+f.sign(honestHeader, nil)),
	} {
		if got.Status != http.StatusUnauthorized {
			t.Errorf("an access token as refresh token %s: got %d %.200s, want 401", how, got.Status, got.Body)
		}
	}
}

func (f forger) otherTimes(t *testing.T) {
	soon, past := fmt.Sprint(time.Now().Unix()+60), fmt.Sprint(time.Now().Unix()-1)
	for name, changes := range map[string]map[string]string{
		"not before a minute from now": {"nbf": soon}, "no end": {"exp": ""}, "an end as a text": {"exp": `"` + soon + `"`},
		"an end beyond all years": {"exp": "1e300"}, "an end that is null": {"exp": "null"}, "a past end of another issuer": {"exp": past, "iss": `"x"`},
	} {
		f.wantRefused(t, name, f.sign(honestHeader, changes))
	}
	late := &storytest.Caller{Site: f.Site, Token: f.sign(honestHeader, map[string]string{"exp": past})}
	if got := late.Do(http.MethodGet, "/auth/me", nil); got.Code() != core.CodeTokenExpired {
		t.Errorf("a second after the end: got %d %.200s, want token_expired, without leeway", got.Status, got.Body)
	}
}

func (f forger) duplicates(t *testing.T) {
	good, other := f.claims(nil), string(core.NewID())
	for name, payload := range map[string]string{
		"two subjects":           strings.Replace(good, `"sub"`, `"sub":"`+other+`","sub"`, 1),
		"two ends":               strings.Replace(good, `"exp"`, `"exp":1,"exp"`, 1),
		"two types":              strings.Replace(good, `"typ"`, `"typ":"refresh","typ"`, 1),
		"two issuers by escapes": strings.Replace(good, `"iss"`, `"\u0069ss":"x","iss"`, 1),
		"a subject in capitals":  strings.Replace(good, `"sub"`, `"SUB"`, 1),
	} {
		f.wantRefused(t, name, mac(f.secret, honestHeader, payload))
	}
	f.wantRefused(t, "two algorithms", f.sign(`{"alg":"none","alg":"HS256"}`, nil))
}

func (f forger) sizes(t *testing.T) {
	f.wantRefused(t, "nine kilobytes", f.sign(honestHeader, map[string]string{"pad": `"` + strings.Repeat("x", 9<<10) + `"`}))
	f.wantRefused(t, "fifty kilobytes of dots", strings.Repeat(".", 50<<10))
	f.wantRefused(t, "deep nesting", f.sign(honestHeader, map[string]string{"pad": strings.Repeat("[", 3000) + strings.Repeat("]", 3000)}))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.URL+"/auth/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.Repeat("a", 2<<20))
	// The server refuses this before the API sees it, so no description knows it.
	giant, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer giant.Body.Close()
	if giant.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("two megabytes: got %d, want 431", giant.StatusCode)
	}
}

// ghosts covers correctly signed tokens that name nobody, or more than one person.
func (f forger) ghosts(t *testing.T) {
	for name, subject := range map[string]string{
		"nobody": `"` + string(core.NewID()) + `"`, "an empty subject": `""`, "no subject": "", "a null subject": "null",
		"a list": `["` + string(f.User.ID) + `"]`, "a path": `"../` + string(f.User.ID) + `"`, "the subject in capitals": `"` + strings.ToUpper(string(f.User.ID)) + `"`,
	} {
		f.wantRefused(t, name, f.sign(honestHeader, map[string]string{"sub": subject}))
	}
}

// TestTwoCredentialsAtATime covers requests that carry more than one token, which
// two programs in a row could read differently.
func TestTwoCredentialsAtATime(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), local.New, nil)
	ada, eve := s.SignUp(), s.SignUp()
	send := func(headers ...string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/auth/me", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			request.Header.Add(headers[i], headers[i+1])
		}
		response, err := s.Client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	for attack, headers := range map[string][]string{
		"two Authorization headers":              {"Authorization", "Bearer " + ada.Token, "Authorization", "Bearer " + eve.Token},
		"the same token in two headers":          {"Authorization", "Bearer " + ada.Token, "Authorization", "Bearer " + ada.Token},
		"two tokens in a header":                 {"Authorization", "Bearer " + ada.Token + ", Bearer " + eve.Token},
		"a cookie tossed in front":               {"Cookie", "app_access_token=" + eve.Token + "; app_access_token=" + ada.Token},
		"a cookie tossed behind":                 {"Cookie", "app_access_token=" + ada.Token + "; app_access_token=" + eve.Token},
		"a cookie tossed in a header of its own": {"Cookie", "app_access_token=" + ada.Token, "Cookie", "app_access_token=" + eve.Token},
		"a broken header beside a good cookie":   {"Authorization", "Bearer x", "Cookie", "app_access_token=" + ada.Token},
		"another scheme beside a good cookie":    {"Authorization", "Basic eDp5", "Cookie", "app_access_token=" + ada.Token},
	} {
		if got := send(headers...); got != http.StatusUnauthorized {
			t.Errorf("%s: got %d, want 401", attack, got)
		}
	}
	if got := send("Authorization", "Bearer "+ada.Token, "Cookie", "app_access_token="+eve.Token); got != http.StatusOK {
		t.Errorf("a good header beside a cookie: got %d, want 200 for the header's", got)
	}
}
