package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
)

// below is the API at a path of its host.
func below(t *testing.T, path string) http.Handler {
	t.Helper()
	deps, _, _ := testDeps(t)
	deps.Settings.AppURL = mustURL(t, "http://localhost:8080"+path)
	return New(deps)
}

func ask(api http.Handler, method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, "http://localhost:8080"+path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, request)
	return answer
}

func TestAServiceBelowAPathAnswersThereAlone(t *testing.T) {
	api := below(t, "/build/here")
	for path, want := range map[string]int{
		"/build/here/healthz": 200, "/build/here/projects/x": 401, "/build/here/docs": 200, "/build/here": 404,
		"/healthz": 404, "/build/healthz": 404, "/build/herehealthz": 404, "/build%2Fhere/healthz": 404, "/build/here/../here/healthz": 404, "/build/here//healthz": 404,
		"/build/here/projects/x/files/..%2f..%2fsecret": 401,
	} {
		got := ask(api, http.MethodGet, path, "")
		if got.Code != want {
			t.Errorf("%s: got %d, want %d", path, got.Code, want)
		}
		if got.Code == http.StatusNotFound && !strings.Contains(got.Body.String(), `"not_found"`) || got.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: got %q with %v, want the usual error and headers", path, got.Body, got.Header())
		}
	}
}

func TestCookiesOfAServiceBelowAPathStayThere(t *testing.T) {
	for base, want := range map[string][2]string{"": {"/", "/auth"}, "/build": {"/build", "/build/auth"}} {
		got := ask(below(t, base), http.MethodPost, base+"/auth/signup", `{"email":"ada@example.com","password":"correct horse battery"}`)
		paths := map[string]string{}
		for _, cookie := range got.Result().Cookies() {
			paths[cookie.Name] = cookie.Path
		}
		if paths[guard.AccessCookie] != want[0] || paths[guard.RefreshCookie] != want[1] {
			t.Errorf("%q: got cookies for %v, want them for %v (status %d)", base, paths, want, got.Code)
		}
	}
}

func TestTheDescriptionSaysWhereTheServiceIs(t *testing.T) {
	for base, want := range map[string]string{"": "/", "/build": "/build"} {
		var document struct{ Servers []struct{ URL string } }
		if err := json.Unmarshal(ask(below(t, base), http.MethodGet, base+"/openapi.json", "").Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		if len(document.Servers) != 1 || document.Servers[0].URL != want {
			t.Errorf("got %v, want the server at %q", document.Servers, want)
		}
	}
}
