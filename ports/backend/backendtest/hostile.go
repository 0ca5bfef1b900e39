package backendtest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// hostile are texts for parameters. None may make an engine fail.
func hostile() map[string]string {
	return map[string]string{
		"deep parentheses":     strings.Repeat("(", 2000) + "id = 1" + strings.Repeat(")", 1000),
		"deeper parentheses":   strings.Repeat("(", 100_000),
		"balanced parentheses": strings.Repeat("(", 1500) + "id=1" + strings.Repeat(")", 1500),
		"many comparisons":     strings.Repeat("id=1||", 5000) + "id=1",
		"a huge number":        "stars = 1" + strings.Repeat("0", 1000),
		"a long number":        "stars > 99999999999999999999999999999999999999.9",
		"invalid UTF-8":        "text = '\xff\xfe\xc0\x80'",
		"a NUL":                "text = 'a\x00b'",
		"a NUL outside":        "text = 'a'\x00 || id != ''",
		"a megabyte":           "text = '" + strings.Repeat("x", 1<<20) + "'",
		"SQL":                  "1=1; DROP TABLE entries; --",
		"a quote":              "text = 'x' OR '1'='1",
		"a union":              "id' UNION SELECT password FROM users --",
		"a subquery":           "(SELECT password FROM users)",
		"a bracket":            "[[id]] = {:id}",
		"braces":               "{{users}}.password != ''",
		"a function":           "load_extension('x') = 1",
		"a call":               "geoDistance(1,2,3) > 1",
		"deep calls":           strings.Repeat("geoDistance(", 1000),
		"a call of names":      "geoDistance(id, text, password, 'x') > 1",
		"an unknown field":     "nowhere = 1",
		"a long path":          strings.Repeat("author.", 50) + "id = 1",
		"a circle":             strings.Repeat("author.entries_via_author.", 10) + "id = 1",
		"a deep join":          "author.entries_via_author.author.entries_via_author.author.text ?= 'x'",
		"an odd macro":         "@nowhere = @now",
		"a dot":                ". = 1",
		"a modifier":           "text:each = 1",
		"an odd modifier":      "id:isset:each:lower = 1",
		"a rowid":              "_rowid_ = 1",
		"a format":             "%s%n%d = '%00'",
		"wildcards":            "text ~ '" + strings.Repeat("%a", 500) + "'",
		"emoji":                "text = '🦄' && 🦄 = 1",
		"a comment":            "id = 1 // \n && /* x */ id = 2",
		"a negative":           "-1",
		"a list":               strings.Repeat("id,-text,", 1000),
		"dots and colons":      "id.:excerpt(-1),text:excerpt(99999999999999999999,true),:x,.,*.*.*",
	}
}

// endures sends a request, and checks that the engine answers in words.
func (c caller) endures(t *testing.T, what string, r *http.Request) {
	t.Helper()
	got := c.send(t, r)
	if got.status < http.StatusOK || got.status >= http.StatusInternalServerError {
		t.Errorf("%s: %s %.60s answered %d %v", what, r.Method, r.URL.Path, got.status, got.body)
	}
}

func hostileQueries(t *testing.T, s *suite) {
	author, _ := s.filled(t)
	paths := []string{"collections/entries/records", "collections/users/records", "collections/entries/records/x"}
	for name, text := range hostile() {
		for _, parameter := range []string{"filter", "sort", "fields", "expand", "page", "perPage", "skipTotal"} {
			for _, path := range paths {
				target := "/api/" + path + "?" + parameter + "=" + url.QueryEscape(text)
				for _, c := range []caller{author, s.owner()} {
					c.endures(t, name+" in "+parameter, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
				}
			}
		}
	}
	for _, query := range []string{"page=9223372036854775807&perPage=1000", "page=-9223372036854775808", "perPage=-1", "filter=%zz", "sort=%00", "%ff=%fe", "&&&==&", "filter=id=1;x"} {
		author.endures(t, query, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/collections/entries/records?"+query, nil))
	}
	for _, id := range []string{"%00", "%ff", "'", strings.Repeat("x", 5000), "..%2f..%2fdata.db", "%F0%9F%A6%84"} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			author.endures(t, id, httptest.NewRequestWithContext(t.Context(), method, "/api/collections/entries/records/"+id, strings.NewReader("{}")))
		}
		author.endures(t, id, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/files/entries/"+id+"/"+id+"?thumb="+id+"&token="+id, nil))
		author.endures(t, id, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/collections/"+id+"/records", nil))
	}
	for _, token := range []string{"x", "a.b.c", "Bearer ", strings.Repeat("x.", 10_000), "ÿ", "eyJhbGciOiJub25lIn0.e30."} {
		caller{s: s, place: s.place, token: token}.endures(t, "a token", httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/collections/users/auth-refresh", nil))
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the entries are %q", got)
	}
}

// bodies are hostile bodies by their type and a name.
func bodies() map[string][]string {
	deep := strings.Repeat(`{"a":`, 100_000)
	return map[string][]string{
		"application/json": {
			"", "null", "[]", "1", `"x"`, "{", "{]", deep, strings.Repeat("[", 1_000_000), "\xff\xfe", "{}{}", `{"text":1e999}`,
			`{"text":"\u0000","author":"\ud800"}`, "{\"text\":\"\xff\"}", `{"text":{"a":[1,{"b":null}]},"stars":"many"}`, `{"stars":1e308}`, `{"stars":-0.0,"text":true}`,
			`{"id":"' OR 1=1","text":"x"}`, `{"id":["a"],"text":["b"]}`, `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, `{"stars+":"x","text+":1,"+text":2,"text-":3}`,
			`{"author":["a","b"],"author.name":"x"}`, `{"":1,".":2,"collectionId":"x","collectionName":"y","expand":{"author":{}},"tokenKey":"x","password":{}}`,
			`{"clientId":[],"subscriptions":{"a":1}}`, `{"clientId":"x","subscriptions":["` + strings.Repeat("y", 10_000) + `"]}`,
			`{"requests":[null]}`, `{"requests":"x"}`, `{"requests":[{"method":"POST","url":"\u0000"}]}`, `{"requests":[{"method":"\n","url":"://","body":{"a":1}}]}`, `{"requests":[{"method":"GET","url":"/api/settings"}]}`,
			`{"identity":{"a":1},"password":["x"]}`, `{"identity":"' OR 1=1 --","password":"x"}`, `{"email":"` + strings.Repeat("a", 100_000) + `@example.com"}`, `{"token":"a.b.c","password":null}`,
			`{"otpId":"x","password":"\u0000"}`, `{"provider":"google","code":"x","codeVerifier":"y","redirectURL":"z"}`, `{"newEmail":"\u0000@x"}`,
		},
		"multipart/form-data; boundary=x": {
			"", "--x", "--x\r\n\r\n\r\n--x--", "--x\r\nContent-Disposition: form-data; name=\"@jsonPayload\"\r\n\r\n{[\r\n--x--",
			"--x\r\nContent-Disposition: form-data; name=\"@jsonPayload\"\r\n\r\n" + deep + "\r\n--x--",
			"--x\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"../../../x\x00\xff\"\r\n\r\nhello\r\n--x--",
			"--x\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n\r\n--x--",
			"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n\x00\xff\r\n--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nb\r\n--x--",
		},
		"multipart/form-data":               {"", "x"},
		"application/x-www-form-urlencoded": {"%zz", "text=%00%ff", "text=a&text=b", strings.Repeat("a=1&", 50_000)},
		"text/plain":                        {"x", "{}"},
		"application/xml":                   {"<a/>"},
		";;":                                {"{}"},
	}
}

func hostileBodies(t *testing.T, s *suite) {
	s.filled(t)
	s.apply(t, withAlbum())
	targets := map[string][]string{
		"POST": {
			"batch", "realtime", "files/token", "collections/entries/records", "collections/album/records", "collections/users/records", "collections/users/auth-with-password",
			"collections/users/auth-with-otp", "collections/users/auth-with-oauth2", "collections/users/request-otp", "collections/users/request-password-reset", "collections/users/confirm-password-reset",
			"collections/users/request-verification", "collections/users/confirm-verification", "collections/users/request-email-change", "collections/users/confirm-email-change", "collections/entries/auth-refresh",
		},
		"PATCH": {"collections/entries/records/x", "collections/users/records/x"},
	}
	for kind, texts := range bodies() {
		for _, text := range texts {
			for method, paths := range targets {
				for _, path := range paths {
					for _, c := range []caller{s.guest(), s.owner()} {
						r := httptest.NewRequestWithContext(t.Context(), method, "/api/"+path, strings.NewReader(text))
						r.Header.Set("Content-Type", kind)
						c.endures(t, kind+" "+text[:min(len(text), 60)], r)
					}
				}
			}
		}
	}
	s.owner().must(t, http.StatusOK, "GET", "collections/entries/records?perPage=500", nil)
	s.owner().must(t, http.StatusOK, "GET", "collections/users/records?perPage=500", nil)
}

func hostileSQL(t *testing.T, s *suite) {
	s.filled(t)
	for name, text := range hostile() {
		for _, sql := range []string{text, "SELECT " + text, "SELECT * FROM entries WHERE " + text, "SELECT id FROM entries ORDER BY " + text} {
			if _, err := s.engine.Query(t.Context(), s.place, sql); err != nil && !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("%s: the query %.60q returned %v", name, sql, err)
			}
		}
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the entries are %q", got)
	}
}
