package oauth_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

// endpoint is an endpoint that an identifier asks.
type endpoint struct {
	name string
	path string
	// anonymous means that the request names no person, so a refusal is not about one.
	anonymous bool
	make      func(server *oauthtest.Server, base *http.Transport) port.Identifier
}

func endpoints() []endpoint {
	gitHub := func(server *oauthtest.Server, base *http.Transport) port.Identifier {
		return oauth.NewGitHub(client(), gitHubURLs(server), base)
	}
	google := func(server *oauthtest.Server, base *http.Transport) port.Identifier {
		return oauth.NewGoogle(client(), server.URL, base, time.Now)
	}
	return []endpoint{
		{"GitHub's token endpoint", oauthtest.GitHubTokenPath, false, gitHub},
		{"GitHub's user", oauthtest.UserPath, false, gitHub},
		{"GitHub's addresses", oauthtest.EmailsPath, false, gitHub},
		{"the issuer's document", oauthtest.DiscoveryPath, true, google},
		{"the issuer's keys", oauthtest.KeysPath, true, google},
		{"the issuer's token endpoint", oauthtest.TokenPath, false, google},
	}
}

// answering is a handler of one answer.
func answering(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// bomb is 4 MiB of a JSON text in a few kilobytes.
func bomb() http.HandlerFunc {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write([]byte(`{"x":"`))
	for range 4 {
		_, _ = writer.Write(bytes.Repeat([]byte("a"), 1<<20))
	}
	_, _ = writer.Write([]byte(`"}`))
	_ = writer.Close()
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
}

// endless writes until the client leaves.
func endless(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, `{"x":"`)
	for {
		if _, err := w.Write(bytes.Repeat([]byte("a"), 64<<10)); err != nil {
			return
		}
	}
}

// broken promises more than it sends.
func broken(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"access_token":"gho_half`)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// noHTTP echoes the request, with its secrets, instead of a status line.
func noHTTP(w http.ResponseWriter, r *http.Request) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(connection, "HTTP/9 "+r.PostForm.Encode()+r.Header.Get("Authorization")+"\r\n\r\n")
	_ = connection.Close()
}

func TestAnAnswerThatIsNoneIsAnOutage(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"HTML":                        answering(200, "text/html", "<!doctype html><title>Sign in</title>"),
		"HTML under the name of JSON": answering(200, "application/json", "<!doctype html>"),
		"HTML of a proxy":             answering(502, "text/html", "<h1>Bad gateway</h1>"),
		"HTML that refuses":           answering(400, "text/html", "<h1>Bad request</h1>"),
		"a form":                      answering(200, "application/x-www-form-urlencoded", "access_token=gho_form&token_type=bearer"),
		"nothing":                     answering(200, "application/json", ""),
		"a status without content":    answering(204, "application/json", ""),
		"too many requests":           answering(429, "application/json", `{"error":"invalid_grant"}`),
		"trouble":                     answering(500, "application/json", `{"error":"invalid_grant"}`),
		"trouble of its own words":    answering(400, "application/json", `{"error":"temporarily_unavailable"}`),
		"not found":                   answering(404, "application/json", `{"message":"Not Found"}`),
		"forbidden":                   answering(403, "application/json", `{"message":"rate limit exceeded"}`),
		"two answers in one":          answering(200, "application/json", `{"id":1}{"id":2}`),
		"bytes that are no text":      answering(200, "application/json", "{\"x\":\"\xff\"}"),
		"nested without end":          answering(200, "application/json", strings.Repeat("[", 1<<19)+strings.Repeat("]", 1<<19)),
		"10 MiB":                      answering(200, "application/json", `"`+strings.Repeat("a", 10<<20)+`"`),
		"a compressed bomb":           bomb(),
		"without end":                 endless,
		"broken in the middle":        broken,
		"no HTTP":                     noHTTP,
		"an endless head": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("a", 1<<20))
			_, _ = io.WriteString(w, `{"id":1}`)
		},
	} {
		for _, endpoint := range endpoints() {
			t.Run(endpoint.name+": "+name, func(t *testing.T) {
				server := oauthtest.Serve(t, time.Now)
				server.Answer(endpoint.path, answer)
				wantFailure(t, endpoint.make(server, base()), server, core.CodeUnavailable)
			})
		}
	}
}

// TestJSONIsAskedForAndReadUnderAnyName has a server that calls its JSON a text.
// GitHub answers in a form unless it is asked for JSON.
func TestJSONIsAskedForAndReadUnderAnyName(t *testing.T) {
	for _, endpoint := range endpoints() {
		t.Run(endpoint.name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Name(endpoint.path, "text/plain")
			wantAda(t, endpoint.make(server, base()), server)
			for _, request := range server.Requests(endpoint.path) {
				if got := request.Header.Get("Accept"); got != "application/json" {
					t.Errorf("got Accept %q, want JSON alone", got)
				}
			}
		})
	}
}

func TestTheLargestAnswerIsRead(t *testing.T) {
	for _, row := range []struct {
		size int
		ok   bool
	}{{1 << 20, true}, {1<<20 + 1, false}} {
		server := oauthtest.Serve(t, time.Now)
		server.Answer(oauthtest.EmailsPath, answering(200, "application/json", "[]"+strings.Repeat(" ", row.size-2)))
		_, err := signIn(t, newGitHub(server), server)
		if row.ok != (err == nil) {
			t.Errorf("%d bytes: got %v, want success %v", row.size, err, row.ok)
		}
	}
}

// TestARedirectLeaksNothing sends every kind of redirect from every endpoint to a
// thief, who must not be reached.
func TestARedirectLeaksNothing(t *testing.T) {
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		for _, endpoint := range endpoints() {
			t.Run(endpoint.name+": "+strconv.Itoa(status), func(t *testing.T) {
				var reached atomic.Int64
				thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
				defer thief.Close()
				server := oauthtest.Serve(t, time.Now)
				server.Answer(endpoint.path, func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, thief.URL+"/?"+r.Form.Encode(), status)
				})
				wantFailure(t, endpoint.make(server, base()), server, core.CodeUnavailable)
				server.Answer(endpoint.path, func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, endpoint.path+"?again", status)
				})
				wantFailure(t, endpoint.make(server, base()), server, core.CodeUnavailable)
				if reached.Load() != 0 {
					t.Errorf("got %d requests at the thief, want none", reached.Load())
				}
			})
		}
	}
}

// TestAnErrorInAGoodAnswerRefuses has answers of status 200 that say "error", and
// repeat in it all that they were sent.
func TestAnErrorInAGoodAnswerRefuses(t *testing.T) {
	for name, echo := range map[string]func(sent string) any{
		"a word":         func(string) any { return "access_denied" },
		"what was sent":  func(sent string) any { return sent },
		"an object":      func(sent string) any { return map[string]string{"message": sent} },
		"a number":       func(string) any { return 0 },
		"false":          func(string) any { return false },
		"an empty text":  func(string) any { return "" },
		"a list of text": func(sent string) any { return []string{sent} },
	} {
		for _, endpoint := range endpoints() {
			t.Run(endpoint.name+": "+name, func(t *testing.T) {
				server := oauthtest.Serve(t, time.Now)
				server.Answer(endpoint.path, func(w http.ResponseWriter, r *http.Request) {
					sent := r.Form.Encode() + " " + r.Header.Get("Authorization")
					_ = json.NewEncoder(w).Encode(map[string]any{
						"error": echo(sent), "error_description": sent, "error_uri": sent, "id": 1, "access_token": "gho_in_error", "token_type": "bearer",
					})
				})
				code := core.CodeInvalidCredentials
				if endpoint.anonymous {
					code = core.CodeUnavailable
				}
				wantFailure(t, endpoint.make(server, base()), server, code)
			})
		}
	}
}

// TestSilenceEndsTheSignIn checks the time limit of every endpoint, whether it says
// nothing, begins and stops, or drips.
func TestSilenceEndsTheSignIn(t *testing.T) {
	oauthtest.KeyNumber(0)
	for name, answer := range map[string]http.HandlerFunc{
		"from the start": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"after the head": func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"between drops": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		},
	} {
		for _, endpoint := range endpoints() {
			t.Run(endpoint.name+": "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := oauthtest.NewServer("http://provider.test", time.Now)
					server.Answer(endpoint.path, answer)
					began := time.Now()
					wantFailure(t, endpoint.make(server, piped(t, server)), server, core.CodeUnavailable)
					if took := time.Since(began); took != 10*time.Second {
						t.Errorf("took %s, want 10s", took)
					}
				})
			})
		}
	}
}

func TestTheEndOfTheContextIsFeltAtOnce(t *testing.T) {
	oauthtest.KeyNumber(0)
	for _, endpoint := range endpoints() {
		t.Run(endpoint.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := oauthtest.NewServer("http://provider.test", time.Now)
				server.AddPerson(ada())
				identifier := endpoint.make(server, piped(t, server))
				attempt := oauthtest.Attempt()
				code := oauthtest.Code(t, identifier, server, attempt, ada().Subject)
				server.Answer(endpoint.path, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
				if endpoint.path == oauthtest.DiscoveryPath {
					identifier = endpoint.make(server, piped(t, server))
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				_, err := identifier.Identify(ctx, attempt, code)
				oauthtest.WantError(t, err, core.CodeUnavailable, server.Secrets()...)
				if took := time.Since(began); took != time.Second {
					t.Errorf("took %s, want 1s", took)
				}
			})
		})
	}
}
