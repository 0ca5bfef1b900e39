package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/rest/resttest"
)

func TestHostileBodiesAreBadRequestsOnEveryRoute(t *testing.T) {
	api := newAPI(t)
	token := bearer(api.signUp("ada@example.com").text("accessToken"))
	space := api.do("POST", "/workspaces", `{"name":"Team"}`, token).text("id")
	for _, route := range []string{"POST /auth/signup", "POST /auth/login", "POST /auth/refresh", "PATCH /auth/me", "POST /workspaces", "PATCH /workspaces/" + space} {
		method, path, _ := strings.Cut(route, " ")
		for name, body := range resttest.HostileBodies() {
			got := api.do(method, path, body, token)
			got.want(t, route+" with "+name, http.StatusBadRequest, "invalid_request")
			if len(got.body) > 1000 {
				t.Errorf("%s with %s: got %d bytes, want a short answer", route, name, len(got.body))
			}
		}
	}
	if log := api.log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("got the log\n%.2000s, want no errors", log)
	}
}

func TestBodiesMustBePlainJSON(t *testing.T) {
	api := newAPI(t)
	const body = `{"email":"a@example.com","password":"wrong password"}`
	for name, changes := range map[string][]requestOption{
		"no type":      {func(r *http.Request) { r.Header.Del("Content-Type") }},
		"text":         {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
		"a form":       {func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }},
		"Latin-1":      {func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=iso-8859-1") }},
		"a broken one": {func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset") }},
		"JSON patch":   {func(r *http.Request) { r.Header.Set("Content-Type", "application/json-patch+json") }},
		"two types":    {header("Content-Type", "text/plain")},
		"compressed":   {header("Content-Encoding", "gzip")},
	} {
		api.do("POST", "/auth/login", body, changes...).want(t, name, http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	upper := func(r *http.Request) { r.Header.Set("Content-Type", "Application/JSON; Charset=UTF-8") }
	api.do("POST", "/auth/login", body, upper).want(t, "another case", http.StatusUnauthorized, "invalid_credentials")
}

func TestBodiesAreBounded(t *testing.T) {
	api := newAPI(t)
	pad := func(size int) string {
		const frame = `{"email":"a@example.com","password":""}`
		return fmt.Sprintf(`{"email":"a@example.com","password":%q}`, strings.Repeat("x", size-len(frame)))
	}
	api.do("POST", "/auth/login", pad(1<<20)).want(t, "1 MiB", http.StatusUnauthorized, "invalid_credentials")
	api.do("POST", "/auth/login", pad(1<<20+1)).want(t, "a byte more", http.StatusRequestEntityTooLarge, "payload_too_large")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	api.do("POST", "/auth/login", pad(1<<20+1), chunked).want(t, "a byte more in chunks", http.StatusRequestEntityTooLarge, "payload_too_large")
	endless := api.raw("POST /auth/login", "Content-Type: application/json", "Content-Length: 99999999999999")
	endless.want(t, "a length that nobody sends", http.StatusRequestEntityTooLarge, "payload_too_large")
}
