package oauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// FuzzVerdict gives the exchange any answer: an accepted one is one JSON value without an
// "error", and errors about others quote nothing of them.
func FuzzVerdict(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, ``, `{"error":null}`, `{"error":""}`, `{"error":"invalid_grant"}`, `{"error":{"message":"gho_secret"}}`,
		`{"ERROR":"gho_secret"}`, `{"error":"gho_secret","error":null}`, `<html>gho_secret`, "{\"a\":\"\xff\"}", `{"a":1}{"b":2}`,
	} {
		f.Add(200, []byte(seed))
		f.Add(401, []byte(seed))
	}
	request, err := http.NewRequest(http.MethodGet, "https://provider.test", nil)
	if err != nil {
		f.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer x")
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		err := exchange{providerName: "the provider"}.verdict(request, status, body)
		if err == nil {
			var object map[string]json.RawMessage
			if status != http.StatusOK || !json.Valid(body) || json.Unmarshal(body, &object) == nil && len(object["error"]) > 0 && string(object["error"]) != "null" {
				t.Fatalf("got nil for status %d and %q, want a failure", status, body)
			}
			return
		}
		var failure *core.Error
		if !errors.As(err, &failure) || failure.Code != core.CodeUnavailable && failure.Code != core.CodeInvalidCredentials {
			t.Fatalf("got %v, want one of the two codes", err)
		}
		if strings.Contains(err.Error(), "gho_secret") {
			t.Fatalf("got %q, which repeats the answer", err)
		}
	})
}

// FuzzClaims parses any payload of a token: an accepted one has a subject of bounded
// length, valid times, and the expected nonce and client.
func FuzzClaims(f *testing.F) {
	now := time.Unix(1_900_000_000, 0)
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"sub":7}`, `{"sub":"7","exp":"1900000100","iat":1900000000,"nonce":"n"}`,
		`{"sub":"7","exp":1900000100,"iat":1900000000,"nonce":"n"}`, `{"sub":"7","exp":1.9000001e9,"iat":-1,"nonce":"n","azp":"c"}`,
		`{"sub":"7","exp":1e308,"iat":0,"nonce":"n"}`, `{"sub":"7","exp":1900000100,"iat":0,"nonce":"n","email":"a@b.c","email_verified":"true"}`,
		`{"sub":"7","exp":1900000100,"iat":0,"nonce":"n","name":"\u0000","azp":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var set claims
		if json.Unmarshal(payload, &set) != nil {
			return
		}
		if errors.Join(set.checkTimes(now), set.checkNonce("n"), set.checkParty("c", 1)) != nil {
			return
		}
		profile, err := set.profile()
		if err != nil {
			return
		}
		var said struct{ Exp, Iat float64 }
		var nonce string
		_ = json.Unmarshal(set["exp"], &said.Exp)
		_ = json.Unmarshal(set["iat"], &said.Iat)
		_ = json.Unmarshal(set["nonce"], &nonce)
		if nonce != "n" || said.Exp <= float64(now.Unix()) || said.Iat > float64(now.Add(clockLeeway).Unix())+1 {
			t.Fatalf("got %+v from %q, want it refused", profile, payload)
		}
		if !isSubject(profile.Subject) || profile.EmailVerified && profile.Email == "" {
			t.Fatalf("got %+v from %q, want a subject and no verified address of nobody", profile, payload)
		}
	})
}
