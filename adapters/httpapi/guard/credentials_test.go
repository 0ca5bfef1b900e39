package guard

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestWhatAGitClientPresents(t *testing.T) {
	with := func(headers ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/git/x/info/refs", nil)
		for _, header := range headers {
			r.Header.Add("Authorization", header)
		}
		r.AddCookie(&http.Cookie{Name: AccessCookie, Value: "session"})
		return r
	}
	basic := func(password string) string {
		r := with()
		r.SetBasicAuth("anybody", password)
		return r.Header.Get("Authorization")
	}
	for name, c := range map[string]struct {
		request *http.Request
		want    string
	}{
		"an API token as the password": {with(basic("atl_x")), "atl_x"},
		"a bearer":                     {with("Bearer atl_y"), "atl_y"},
		"a cookie alone":               {with(), ""},
		"another password":             {with(basic("secret")), ""},
		"no password":                  {with(basic("")), ""},
		"two headers":                  {with(basic("atl_x"), basic("atl_y")), ""},
		"another scheme":               {with("Digest atl_x"), ""},
		"a broken Basic":               {with("Basic !"), ""},
	} {
		got, err := presentedByGit(c.request)
		if got != c.want || (err != nil) != (c.want == "") || err != nil && !core.IsCode(err, core.CodeUnauthenticated) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// requestOption changes a request before a token is looked for in it.
type requestOption func(*http.Request)

func header(name string, values ...string) requestOption {
	return func(r *http.Request) {
		for _, value := range values {
			r.Header.Add(name, value)
		}
	}
}

func bearer(token string) requestOption { return header("Authorization", "Bearer "+token) }

func cookie(name, value string) requestOption {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
}

func TestWhatASocketPresents(t *testing.T) {
	const own = "https://atelier.example"
	query := func(text string) requestOption { return func(r *http.Request) { r.URL.RawQuery = text } }
	protocols := func(lines ...string) requestOption { return header("Sec-WebSocket-Protocol", lines...) }
	session, studio := cookie(AccessCookie, "session"), header("Origin", own)
	for name, c := range map[string]struct {
		sends []requestOption
		want  string
		code  core.Code
	}{
		"a token in the query":                         {[]requestOption{query("token=a.b-c")}, "a.b-c", ""},
		"a token as the only subprotocol":              {[]requestOption{protocols("bearer.a.b-c")}, "a.b-c", ""},
		"a token beside a subprotocol":                 {[]requestOption{protocols("atelier.v1, bearer.a")}, "a", ""},
		"a token on a line of its own":                 {[]requestOption{protocols("atelier.v1", "bearer.a")}, "a", ""},
		"a token in the header":                        {[]requestOption{bearer("a")}, "a", ""},
		"the cookie from the studio":                   {[]requestOption{session, studio}, "session", ""},
		"a token and the cookie from anywhere":         {[]requestOption{session, query("token=a"), header("Origin", "https://evil.example")}, "a", ""},
		"a subprotocol and the cookie":                 {[]requestOption{session, protocols("bearer.a")}, "a", ""},
		"a header and the cookie":                      {[]requestOption{session, bearer("a")}, "a", ""},
		"nothing":                                      {nil, "", core.CodeUnauthenticated},
		"nothing from the studio":                      {[]requestOption{studio}, "", core.CodeUnauthenticated},
		"a subprotocol alone":                          {[]requestOption{protocols("atelier.v1")}, "", core.CodeUnauthenticated},
		"an empty token":                               {[]requestOption{session, studio, query("token=")}, "", core.CodeUnauthenticated},
		"an empty subprotocol":                         {[]requestOption{session, studio, protocols("bearer.")}, "", core.CodeUnauthenticated},
		"two in the query":                             {[]requestOption{query("token=a&token=a")}, "", core.CodeUnauthenticated},
		"two subprotocols":                             {[]requestOption{protocols("bearer.a, bearer.a")}, "", core.CodeUnauthenticated},
		"one in the query and one as a subprotocol":    {[]requestOption{query("token=a"), protocols("bearer.a")}, "", core.CodeUnauthenticated},
		"one in the query and one in the header":       {[]requestOption{query("token=a"), bearer("a")}, "", core.CodeUnauthenticated},
		"one as a subprotocol and one in the header":   {[]requestOption{protocols("bearer.a"), bearer("a")}, "", core.CodeUnauthenticated},
		"another scheme":                               {[]requestOption{session, studio, header("Authorization", "Basic a")}, "", core.CodeUnauthenticated},
		"two cookies":                                  {[]requestOption{session, session, studio}, "", core.CodeUnauthenticated},
		"an API token in the cookie":                   {[]requestOption{cookie(AccessCookie, "atl_x"), studio}, "", core.CodeUnauthenticated},
		"the cookie from nowhere":                      {[]requestOption{session}, "", core.CodeCrossOrigin},
		"the cookie from a foreign page":               {[]requestOption{session, header("Origin", "https://evil.example")}, "", core.CodeCrossOrigin},
		"the cookie from a page without an origin":     {[]requestOption{session, header("Origin", "null")}, "", core.CodeCrossOrigin},
		"the cookie from the studio's name over HTTP":  {[]requestOption{session, header("Origin", "http://atelier.example")}, "", core.CodeCrossOrigin},
		"the cookie from a site of ours":               {[]requestOption{session, header("Origin", "https://site.atelier.example")}, "", core.CodeCrossOrigin},
		"the cookie from two origins":                  {[]requestOption{session, header("Origin", own, own)}, "", core.CodeCrossOrigin},
		"the cookie and an origin in another spelling": {[]requestOption{session, header("Origin", "https://ATELIER.example")}, "", core.CodeCrossOrigin},
	} {
		r := httptest.NewRequest(http.MethodGet, "/ws/project/x", nil)
		for _, send := range c.sends {
			send(r)
		}
		got, err := presentedBySocket(r, own)
		if got != c.want || (err == nil) != (c.code == "") || err != nil && !core.IsCode(err, c.code) {
			t.Errorf("%s: got %q, %v, want %q, %s", name, got, err, c.want, c.code)
		}
	}
}
