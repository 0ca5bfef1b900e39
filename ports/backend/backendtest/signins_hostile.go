package backendtest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

func hostileProviders(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	addresses := []string{"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://localhost:1/", "file:///etc/passwd", "gopher://x/", "http://", ""}
	for _, how := range []string{"hang", "drip", "huge", "redirect", "garbage", "array", "types", "nobody", "error"} {
		addresses = append(addresses, s.provider.server.URL+"/hostile/"+how)
	}
	clients := 0
	for _, address := range addresses {
		for _, part := range []string{"token", "user info"} {
			registered := s.provider.register()
			if part == "token" {
				registered.TokenURL = address
			} else {
				registered.UserInfoURL = address
			}
			s.signIns.set(s.place, registered)
			clients++
			begun, guest := time.Now(), s.guestFrom(clients)
			got := guest.back(t, guest.leave(t, anna()))
			if got.status != http.StatusBadRequest {
				t.Errorf("%s as %s answered %d %v", address, part, got.status, got.body)
			}
			if took := time.Since(begun); took > conformance.Patience {
				t.Errorf("%s as %s took %v", address, part, took)
			}
		}
	}
	for _, kind := range kinds() { // none reaches its own addresses here
		registered := s.provider.register()
		registered.Name, registered.AuthURL, registered.TokenURL, registered.UserInfoURL = kind, "", "", ""
		s.signIns.set(s.place, registered)
		clients++
		guest := s.guestFrom(clients)
		if got := guest.back(t, attempt{kind, "code", "verifier", appAddress}); got.status != http.StatusBadRequest {
			t.Errorf("%s answered %d %v", kind, got.status, got.body)
		}
		if got := guest.methods(t, "users"); len(got) != 1 {
			t.Errorf("%s is not offered", kind)
		}
	}
	if stats, err := s.engine.Stats(t.Context(), s.place); err != nil || stats.Users != 0 {
		t.Errorf("the hostile providers left %d users, %v", stats.Users, err)
	}
	hostilePictures(t, s)
}

// guestFrom returns a guest with a separate address, so that rate limits by address do
// not apply.
func (s *suite) guestFrom(client int) caller {
	guest := s.guest()
	guest.address = fmt.Sprintf("192.0.2.%d:1234", client)
	return guest
}

// hostilePictures expects that a picture from a hostile address is left out.
func hostilePictures(t *testing.T, s *suite) {
	schema := withOAuth(map[string]any{"enabled": true, "mappedFields": map[string]any{"avatarURL": "face"}})
	schema.Collections[0].Fields = append(schema.Collections[0].Fields, backend.Field{ID: "f_face", Name: "face", Type: "file"})
	s.apply(t, schema)
	s.signIns.set(s.place, s.provider.register())
	client := 100
	for picture, kept := range map[string]bool{
		"http://10.0.0.1/face.png": false, s.provider.server.URL + "/hostile/huge": false, s.provider.server.URL + "/hostile/hang": false,
		"file:///etc/passwd": false, s.provider.server.URL + "/picture.png": true,
	} {
		client++
		record, _ := s.guestFrom(client).enter(t, person{Subject: picture, Email: fmt.Sprintf("p%d@example.com", client), Verified: true, Picture: picture})
		if face, _ := record["face"].(string); (face != "") != kept {
			t.Errorf("the picture %s became %q", picture, face)
		}
	}
}

func providerHangs(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	registered := s.provider.register()
	registered.TokenURL = s.provider.server.URL + "/hostile/hang"
	s.signIns.set(s.place, registered)
	guest := s.guest()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	with := guest.leave(t, anna())
	go func() {
		defer close(done)
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/collections/users/auth-with-oauth2", strings.NewReader(string(raw(with.body()))))
		r.Header.Set("Content-Type", "application/json")
		s.engine.Serve(httptest.NewRecorder(), r, s.place, backend.Identity{})
	}()
	select {
	case <-s.provider.asked:
	case <-time.After(conformance.Patience):
		t.Fatal("the provider was not asked")
	}
	_, err := s.engine.Snapshot(t.Context(), s.place, core.NewID())
	conformance.Must(t, err)
	s.apply(t, withAlbum())
	guest.must(t, http.StatusOK, "GET", "collections/entries/records", nil)
	// Removing the data ends what waits.
	conformance.Must(t, s.engine.Remove(t.Context(), s.place))
	select {
	case <-done:
	case <-time.After(conformance.Patience):
		t.Error("the sign-in outlived its place")
	}
	cancel()
	<-done
}
