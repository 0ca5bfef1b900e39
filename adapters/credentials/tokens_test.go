package credentials_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

const (
	subject = "01890a5d-ac96-774b-bcce-b302099a8057"
	tokenID = "01890a5d-ac96-774b-bcce-b302099a8058"
	header  = `{"alg":"HS256","typ":"JWT"}`
)

// noon is the instant at which the corpus is played.
var noon = time.Unix(1_900_000_000, 0)

// corpusSecret signs the corpus, so that only the flaw under test is wrong.
var corpusSecret = []byte("0123456789abcdef0123456789abcdef")

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// forge signs any header and payload with HMAC-SHA256.
func forge(secret []byte, header, payload string) string {
	text := encode(header) + "." + encode(payload)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// claimsText is a good claims set with some claims replaced; "" leaves one out.
func claimsText(changes map[string]string) string {
	set := map[string]string{
		"iss": `"atelier"`, "sub": `"` + subject + `"`, "iat": "1899999900", "exp": "1900000900",
		"jti": `"` + tokenID + `"`, "typ": `"access"`, "ver": "3",
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

func corpusTokens(t testing.TB) identity.Tokens {
	return newTokens(t, corpusSecret, "atelier", func() time.Time { return noon })
}

func TestClaimsOfTheContractAreAccepted(t *testing.T) {
	tokens := corpusTokens(t)
	want := identity.Claims{
		ID: tokenID, Subject: subject, Kind: identity.TokenAccess, Version: 3,
		IssuedAt: core.At(noon.Add(-100 * time.Second)), ExpiresAt: core.At(noon.Add(900 * time.Second)),
	}
	for name, token := range map[string]string{
		"as signed here":              forge(corpusSecret, header, claimsText(nil)),
		"members in another order":    forge(corpusSecret, `{"typ":"JWT","alg":"HS256"}`, claimsText(nil)),
		"white space in the JSON":     forge(corpusSecret, " {\n\"alg\": \"HS256\" }", " "+claimsText(nil)+"\n"),
		"key hints are passed over":   forge(corpusSecret, `{"alg":"HS256","kid":"../../etc/passwd","jku":"http://evil.test/","x5u":"http://evil.test/","jwk":{"kty":"oct","k":"AAAA"}}`, claimsText(nil)),
		"nbf has come":                forge(corpusSecret, header, claimsText(map[string]string{"nbf": "1900000000"})),
		"an unknown claim":            forge(corpusSecret, header, claimsText(map[string]string{"scope": `"all"`})),
		"issued by a clock before us": forge(corpusSecret, header, claimsText(map[string]string{"iat": "1900000005"})),
	} {
		got, err := tokens.Verify(token, identity.TokenAccess)
		want.IssuedAt = got.IssuedAt
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}

func TestExpiryComesOnlyFromTokensThatAreOtherwiseGood(t *testing.T) {
	tokens := corpusTokens(t)
	past := map[string]string{"exp": "1900000000"}
	if _, err := tokens.Verify(forge(corpusSecret, header, claimsText(past)), identity.TokenAccess); !core.IsCode(err, core.CodeTokenExpired) {
		t.Errorf("at the second of exp: got %v, want %s", err, core.CodeTokenExpired)
	}
	for name, flaw := range map[string]map[string]string{
		"another issuer": {"iss": `"other"`}, "another kind": {"typ": `"refresh"`}, "nbf to come": {"nbf": "1900000001"},
	} {
		maps.Copy(flaw, past)
		wantRefused(t, tokens, name, forge(corpusSecret, header, claimsText(flaw)))
	}
	wantRefused(t, tokens, "another secret", forge(randomKey(), header, claimsText(past)))
}

func wantRefused(t *testing.T, tokens identity.Tokens, name, token string) {
	t.Helper()
	if claims, err := tokens.Verify(token, identity.TokenAccess); !core.IsCode(err, core.CodeUnauthenticated) {
		t.Errorf("%s: got %+v, %v, want code %s", name, claims, err, core.CodeUnauthenticated)
	}
}

func TestHostileClaimsAreRefused(t *testing.T) {
	tokens := corpusTokens(t)
	for _, c := range []struct{ name, claim, value string }{
		{"exp as a string", "exp", `"1900000900"`}, {"exp as a float", "exp", "1900000900.5"}, {"exp in scientific form", "exp", "1.9e10"},
		{"exp beyond all years", "exp", "99999999999999"}, {"exp beyond int64", "exp", "99999999999999999999999"}, {"exp infinite", "exp", "1e999"},
		{"exp negative", "exp", "-1"}, {"exp null", "exp", "null"}, {"exp true", "exp", "true"}, {"exp in a list", "exp", "[1900000900]"},
		{"exp in an object", "exp", `{"exp":1900000900}`}, {"exp missing", "exp", ""}, {"exp with a plus", "exp", "+1900000900"},
		{"iat missing", "iat", ""}, {"iat as a string", "iat", `"1899999900"`}, {"iat negative", "iat", "-5"},
		{"nbf to come", "nbf", "1900000001"}, {"nbf as a string", "nbf", `"1"`}, {"nbf null", "nbf", "null"}, {"nbf as a float", "nbf", "1.5"},
		{"sub missing", "sub", ""}, {"sub empty", "sub", `""`}, {"sub null", "sub", "null"}, {"sub a number", "sub", "7"},
		{"sub in capitals", "sub", `"` + strings.ToUpper(subject) + `"`}, {"sub a path", "sub", `"../../../../../../../../../etc/passwd"`}, {"sub a list", "sub", `["` + subject + `"]`},
		{"iss missing", "iss", ""}, {"iss another", "iss", `"Atelier"`}, {"iss with a space", "iss", `"atelier "`}, {"iss a list", "iss", `["atelier"]`}, {"iss null", "iss", "null"},
		{"typ missing", "typ", ""}, {"typ refresh", "typ", `"refresh"`}, {"typ in capitals", "typ", `"Access"`}, {"typ a list", "typ", `["access"]`}, {"typ null", "typ", "null"},
		{"jti missing", "jti", ""}, {"jti a number", "jti", "1"}, {"ver missing", "ver", ""}, {"ver a string", "ver", `"3"`}, {"ver negative", "ver", "-1"}, {"ver huge", "ver", "4294967299"},
		{"an audience", "aud", `"someone else"`},
	} {
		wantRefused(t, tokens, c.name, forge(corpusSecret, header, claimsText(map[string]string{c.claim: c.value})))
	}
}

func TestHostileHeadersAndPayloadsAreRefused(t *testing.T) {
	tokens := corpusTokens(t)
	good := claimsText(nil)
	for name, text := range map[string][2]string{
		"no algorithm":                   {`{"typ":"JWT"}`, good},
		"algorithm none":                 {`{"alg":"none"}`, good},
		"algorithm None":                 {`{"alg":"None"}`, good},
		"algorithm null":                 {`{"alg":null}`, good},
		"algorithm in small letters":     {`{"alg":"hs256"}`, good},
		"a list of algorithms":           {`{"alg":["HS256"]}`, good},
		"HS384 named over an HS256 hash": {`{"alg":"HS384"}`, good},
		"RS256 named over an HS256 hash": {`{"alg":"RS256"}`, good},
		"crit with an unknown member":    {`{"alg":"HS256","crit":["exp2"],"exp2":1}`, good},
		"crit b64":                       {`{"alg":"HS256","crit":["b64"],"b64":true}`, good},
		"crit empty":                     {`{"alg":"HS256","crit":[]}`, good},
		"crit null":                      {`{"alg":"HS256","crit":null}`, good},
		"alg twice":                      {`{"alg":"none","alg":"HS256"}`, good},
		"alg twice by escapes":           {`{"\u0061lg":"none","alg":"HS256"}`, good},
		"a header that is a list":        {`["HS256"]`, good},
		"a header that is null":          {`null`, good},
		"data behind the header":         {header + "{}", good},
		"exp twice":                      {header, strings.Replace(good, `"exp"`, `"exp":1,"exp"`, 1)},
		"sub twice":                      {header, strings.Replace(good, `"sub"`, `"sub":"`+tokenID+`","sub"`, 1)},
		"claims in capitals":             {header, strings.ToUpper(good)},
		"Exp for exp":                    {header, strings.Replace(good, `"exp"`, `"Exp"`, 1)},
		"data behind the payload":        {header, good + "{}"},
		"a payload that is a list":       {header, "[" + good + "]"},
		"a payload that is null":         {header, "null"},
		"a payload with a BOM":           {header, "\ufeff" + good},
		"an empty payload":               {header, ""},
		"a deep payload":                 {header, `{"a":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + "}"},
	} {
		wantRefused(t, tokens, name, forge(corpusSecret, text[0], text[1]))
	}
}

func TestOtherAlgorithmsAreRefused(t *testing.T) {
	tokens := corpusTokens(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.MapClaims{
		"iss": "atelier", "sub": subject, "iat": noon.Unix(), "exp": noon.Unix() + 900, "jti": tokenID, "typ": "access", "ver": 3,
	}
	for name, signer := range map[string]struct {
		method jwt.SigningMethod
		key    any
	}{
		"HS384": {jwt.SigningMethodHS384, corpusSecret}, "HS512": {jwt.SigningMethodHS512, corpusSecret},
		"RS256": {jwt.SigningMethodRS256, key}, "none": {jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType},
	} {
		token, err := jwt.NewWithClaims(signer.method, claims).SignedString(signer.key)
		if err != nil {
			t.Fatal(err)
		}
		wantRefused(t, tokens, name, token)
	}
	control, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(corpusSecret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Verify(control, identity.TokenAccess); err != nil {
		t.Errorf("the same claims with HS256: got %v, want them accepted", err)
	}
}

func TestOtherSpellingsOfATokenAreRefused(t *testing.T) {
	tokens := corpusTokens(t)
	good := forge(corpusSecret, header, claimsText(nil))
	parts := strings.Split(good, ".")
	last := good[len(good)-1]
	twin := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", last) ^ 1
	for name, token := range map[string]string{
		"no signature":              parts[0] + "." + parts[1] + ".",
		"two parts":                 parts[0] + "." + parts[1],
		"four parts":                good + "." + parts[2],
		"padding":                   good + "=",
		"spare bits set":            good[:len(good)-1] + string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[twin]),
		"a line break at the end":   good + "\n",
		"a line break inside":       good[:len(good)-5] + "\r\n" + good[len(good)-5:],
		"a space in front":          " " + good,
		"the standard alphabet":     parts[0] + "." + parts[1] + "." + strings.NewReplacer("-", "+", "_", "/").Replace(parts[2]) + "+",
		"truncated":                 good[:len(good)-4],
		"longer than the limit":     forge(corpusSecret, header, claimsText(map[string]string{"pad": `"` + strings.Repeat("x", 8<<10) + `"`})),
		"one parts's bytes swapped": parts[1] + "." + parts[0] + "." + parts[2],
		"an encrypted token":        "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..a.b.c",
	} {
		wantRefused(t, tokens, name, token)
	}
}

func FuzzVerify(f *testing.F) {
	tokens := corpusTokens(f)
	good := forge(corpusSecret, header, claimsText(nil))
	for _, seed := range []string{"", good, good + ".", encode(header) + "..", encode(`{"alg":"none"}`) + "." + encode("{}") + "."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := tokens.Verify(token, identity.TokenAccess); err == nil && token != good {
			t.Errorf("got %q accepted, want it refused: nobody signed it", token)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	tokens := corpusTokens(b)
	token := forge(corpusSecret, header, claimsText(nil))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tokens.Verify(token, identity.TokenAccess); err != nil {
			b.Fatal(err)
		}
	}
}
