package remote_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

func TestParseBase(t *testing.T) {
	for text, want := range map[string]string{
		"atelier.example.com":            "https://atelier.example.com",
		"https://Example.com/Build/":     "https://example.com/Build",
		"localhost:8080":                 "http://localhost:8080",
		"http://127.0.0.1:1":             "http://127.0.0.1:1",
		"http://build.localhost":         "http://build.localhost",
		"http://example.com":             "",
		"http://localhost.example.com":   "",
		"https://ada:secret@example.com": "",
		"https://example.com?x=1":        "",
		"ftp://example.com":              "",
		"":                               "",
	} {
		if got, err := remote.ParseBase(text, false); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	if got, err := remote.ParseBase("http://example.com", true); err != nil || got != "http://example.com" {
		t.Errorf("got %q, %v, want plain http where it is allowed", got, err)
	}
}

// jwt is an access token that ends at a time.
func jwt(end time.Time) string {
	return "e30." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, end.Unix())) + ".x"
}

// TestASessionIsRenewed renews an access token before it ends, and once more when the service
// refuses it, and keeps what it got.
func TestASessionIsRenewed(t *testing.T) {
	fresh := jwt(time.Now().Add(time.Hour))
	for name, access := range map[string]string{"ended": jwt(time.Now()), "refused": jwt(time.Now().Add(2 * time.Hour))} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/auth/refresh" && r.Header.Get("Authorization") == "":
					fmt.Fprintf(w, `{"accessToken":%q,"refreshToken":"next"}`, fresh)
				case r.Header.Get("Authorization") == "Bearer "+fresh:
					fmt.Fprint(w, `{"ok":true}`)
				default:
					w.WriteHeader(http.StatusUnauthorized)
					fmt.Fprint(w, `{"error":"token_expired","message":"sign in again"}`)
				}
			}))
			defer server.Close()
			kept := remote.Credential{Access: access, Refresh: "first"}
			client := remote.New(server.URL, "test", kept, func(_ context.Context, _ remote.Credential, exchange func(remote.Credential) (remote.Credential, error)) (remote.Credential, error) {
				renewed, err := exchange(kept)
				kept = renewed
				return renewed, err
			})
			if _, err := client.Call(t.Context(), http.MethodGet, "/x", nil); err != nil || kept.Refresh != "next" || kept.Access != fresh {
				t.Errorf("got %v and %+v kept, want the new tokens", err, kept)
			}
		})
	}
}

// TestNoCredentialLeavesForAnotherHost follows no redirect.
func TestNoCredentialLeavesForAnotherHost(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	client := remote.New(server.URL, "test", remote.Credential{Token: "atl_x"}, nil)
	_, err := client.Call(t.Context(), http.MethodPost, "/x", map[string]string{})
	var failure *remote.Failure
	if !errors.As(err, &failure) || failure.Code != remote.CodeNoInstallation || !strings.Contains(failure.Message, other.URL) || asked {
		t.Errorf("got %v, asked %v, want the other address told and not asked", err, asked)
	}
}

// TestAStreamIsReadAsItIsSent reads events around pings, and tells a break from an end.
func TestAStreamIsReadAsItIsSent(t *testing.T) {
	broken := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, ": open\n\nid: 1\ndata: {\"type\":\"a\",\"seq\":1}\n\n: ping\n\nid: 2\r\ndata:{\"type\":\"b\",\r\ndata: \"seq\":2}\r\n\r\n")
		if broken {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	client := remote.New(server.URL, "test", remote.Credential{Token: "atl_x"}, nil)
	for range 2 {
		var got []string
		err := client.Stream(t.Context(), http.MethodGet, "/x", nil, func(event remote.Event) error {
			got = append(got, fmt.Sprint(event.Type, event.Seq))
			return nil
		})
		var failure *remote.Failure
		if isBreak := errors.As(err, &failure) && failure.Code == remote.CodeUnreachable; isBreak != broken || !slices.Equal(got, []string{"a1", "b2"}) {
			t.Errorf("broken %v: got %v, %v", broken, got, err)
		}
		broken = true
	}
}
