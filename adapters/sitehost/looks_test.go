package sitehost_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/looks"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/sites"
)

func hostOf(link looks.Link) string { return strings.TrimPrefix(link.URL, "http://") }

func (s *studio) share() looks.Link {
	s.t.Helper()
	made, err := s.looks.Share(s.t.Context(), s.owner, s.project, looks.Request{Name: "for Bob", Lifetime: 24 * time.Hour})
	s.must(err)
	return made
}

// wantGone checks that a host shows nothing.
func (s *studio) wantGone(name, host string) {
	s.t.Helper()
	for _, path := range []string{"/", "/assets/app.js", "/_data/collections/notes/records"} {
		if got := s.get(host, path, "Accept", "text/html"); got.StatusCode != http.StatusNotFound || strings.Contains(got.body, "home") {
			s.t.Errorf("%s: %s: got %d %s, want nothing", name, path, got.StatusCode, got.body)
		}
	}
}

func TestASharedLinkShowsThePageAndNothingElse(t *testing.T) {
	s := newStudio(t)
	s.write("secret.ts", "export const plan = 'sources';")
	s.write("backend/schema.json", openSchema)
	host := hostOf(s.share())
	page := s.get(host, "/", "Accept", "text/html", "Cookie", "session=x")
	if page.StatusCode != http.StatusOK || !strings.Contains(page.body, "home") || strings.Contains(page.body, "@atelier") {
		t.Errorf("got %d %s, want the page without the preview's client", page.StatusCode, page.body)
	}
	for name, want := range map[string]string{
		"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer", "Content-Security-Policy": "frame-ancestors http://studio.test:8080", "Cache-Control": "no-store",
	} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("got %s: %s, want %s", name, got, want)
		}
	}
	for _, path := range []string{"/@atelier/events", "/@atelier/client.js", "/@atelier/console", "/@app/modules.json", "/.env", "/.git/HEAD", "/backend/schema.json.map"} {
		if got := s.get(host, path, "Accept", "text/event-stream"); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want 404", path, got.StatusCode, got.body)
		}
	}
	for _, path := range []string{"/projects", "/auth/me", "/projects/" + string(s.project) + "/files"} {
		if got := s.get(host, path, "Accept", "application/json"); got.StatusCode != http.StatusNotFound || got.body == "the API" {
			t.Errorf("%s: got %d %s, want no API", path, got.StatusCode, got.body)
		}
	}
	if got := s.send(http.MethodPost, host, "/", strings.NewReader("x")); got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("got %d for POST, want 405", got.StatusCode)
	}
	if got := s.send(http.MethodPost, host, "/_data/collections/notes/records", strings.NewReader("{}"), "Content-Type", "application/json"); got.StatusCode != http.StatusOK {
		t.Errorf("got %d %s, want the application to work on test data", got.StatusCode, got.body)
	}
	s.write("index.html", "<html>changed</html>")
	if got := s.get(host, "/", "Accept", "text/html"); !strings.Contains(got.body, "changed") {
		t.Errorf("got %s, want the present state", got.body)
	}
}

func TestALinkEnds(t *testing.T) {
	s := newStudio(t)
	revoked, moved, deleted, kept := s.share(), s.share(), s.share(), s.share()
	host := hostOf(kept)
	s.must(s.looks.Revoke(t.Context(), s.owner, s.project, revoked.ID))
	s.wantGone("a revoked link", hostOf(revoked))
	for name, label := range map[string]string{
		"another token":   strings.Split(host, ".")[0][:36] + "-aaaaaaaaaaaaaaaaaaaaaaaaaa",
		"no token":        string(kept.ID),
		"half a token":    strings.Split(host, ".")[0][:50],
		"another's token": string(moved.ID) + strings.Split(host, ".")[0][36:],
		"the project's":   string(s.project) + strings.Split(host, ".")[0][36:],
	} {
		s.wantGone(name, label+".preview.sites.test")
	}
	if got, err := s.handler.Naming(t.Context(), host); got != sitehost.NamePreview || err != nil {
		t.Errorf("got %v, %v, want the link's name to have a certificate", got, err)
	}
	if got, err := s.handler.Naming(t.Context(), hostOf(revoked)); got != sitehost.NameUnknown || err != nil {
		t.Errorf("got %v, %v, want no certificate for a link that has ended", got, err)
	}
	other := core.NewID()
	s.must(s.store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: other, Name: "Other", Slug: "other"}))
	move := func(to core.ID) {
		_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(project *core.Project) error { project.WorkspaceID = to; return nil })
		s.must(err)
	}
	move(other)
	s.wantGone("a project that has moved", hostOf(moved))
	move(s.space)
	s.later = 24 * time.Hour
	s.wantGone("an expired link", host)
	s.later = 0
	if got := s.get(host, "/", "Accept", "text/html"); got.StatusCode != http.StatusOK {
		t.Errorf("got %d, want the link to show the page", got.StatusCode)
	}
	_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(project *core.Project) error { project.DeletedAt = new(core.At(time.Now())); return nil })
	s.must(err)
	s.wantGone("a project in the trash", hostOf(deleted))
}

func TestWhoMayLink(t *testing.T) {
	s := newStudio(t)
	stranger := core.Actor{UserID: core.NewID()}
	s.must(s.store.Tables().Users.Create(t.Context(), core.User{ID: stranger.UserID, Email: "stranger@example.com"}))
	made, version := s.share(), s.versions()[0]
	_, shareErr := s.looks.Share(t.Context(), stranger, s.project, looks.Request{Lifetime: time.Hour})
	_, listErr := s.looks.Shared(t.Context(), stranger, s.project)
	_, lookErr := s.looks.AtVersion(t.Context(), stranger, s.project, version)
	_, deployedErr := s.looks.AtDeployment(t.Context(), stranger, s.project, core.NewID())
	for name, err := range map[string]error{
		"share": shareErr, "list": listErr, "look at a version": lookErr, "look at a deployment": deployedErr,
		"revoke": s.looks.Revoke(t.Context(), stranger, s.project, made.ID), "revoke another project's": s.looks.Revoke(t.Context(), s.owner, s.project, core.NewID()),
	} {
		if !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want nothing to be there", name, err)
		}
	}
	for _, lifetime := range []time.Duration{0, time.Minute, 91 * 24 * time.Hour, -1} {
		if _, err := s.looks.Share(t.Context(), s.owner, s.project, looks.Request{Lifetime: lifetime}); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want it refused", lifetime, err)
		}
	}
	for range core.MaxShareLinks - 1 {
		s.share()
	}
	if _, err := s.looks.Share(t.Context(), s.owner, s.project, looks.Request{Lifetime: time.Hour}); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("got %v, want no more links", err)
	}
	s.later = 25 * time.Hour
	s.share()
	if shared, err := s.looks.Shared(t.Context(), s.owner, s.project); err != nil || len(shared) != 1 {
		t.Errorf("got %d, %v, want the expired links gone", len(shared), err)
	}
}

// versions are the ids of the project's versions, the newest first.
func (s *studio) versions() []string {
	s.t.Helper()
	listed, err := s.pipeline.Versions(s.t.Context(), s.project, "", 10)
	s.must(err)
	var ids []string
	for _, version := range listed {
		ids = append(ids, version.ID)
	}
	return ids
}

func TestMembersLookAtWhatWas(t *testing.T) {
	s := newStudio(t)
	s.write("backend/schema.json", openSchema)
	s.mustPublish()
	first := s.versions()[len(s.versions())-1]
	live, err := s.publish.Deployments(t.Context(), s.owner, s.project)
	s.must(err)
	s.write("index.html", "<html>changed</html>")
	s.mustPublish()
	version, err := s.looks.AtVersion(t.Context(), s.owner, s.project, first)
	s.must(err)
	again, err := s.looks.AtVersion(t.Context(), s.owner, s.project, first)
	s.must(err)
	if again.URL != version.URL {
		t.Errorf("got %s and %s, want one address", version.URL, again.URL)
	}
	deployed, err := s.looks.AtDeployment(t.Context(), s.owner, s.project, live[0].ID)
	s.must(err)
	for name, link := range map[string]looks.Link{"a version": version, "a deployment": deployed} {
		host := hostOf(link)
		if got := s.get(host, "/", "Accept", "text/html"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "home") {
			t.Errorf("%s: got %d %s, want the page as it was", name, got.StatusCode, got.body)
		}
		if got := s.get(host, "/some/route", "Accept", "text/html"); got.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d, want a client-side route", name, got.StatusCode)
		}
		if got := s.send(http.MethodPost, host, "/_data/collections/notes/records", strings.NewReader("{}"), "Content-Type", "application/json"); got.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: got %d %s, want nothing to be changed", name, got.StatusCode, got.body)
		}
	}
	if shared, err := s.looks.Shared(t.Context(), s.owner, s.project); err != nil || len(shared) != 0 {
		t.Errorf("got %v, %v, want no looks among what is shared", shared, err)
	}
}

// TestALooksAddressChangesAsThePreviews: somebody who is no member any more has known it.
func TestALooksAddressChangesAsThePreviews(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	deployments, err := s.publish.Deployments(t.Context(), s.owner, s.project)
	s.must(err)
	open := func() map[string]string {
		version, err := s.looks.AtVersion(t.Context(), s.owner, s.project, s.versions()[0])
		s.must(err)
		deployed, err := s.looks.AtDeployment(t.Context(), s.owner, s.project, deployments[0].ID)
		s.must(err)
		return map[string]string{"a version": hostOf(version), "a deployment": hostOf(deployed)}
	}
	shared := hostOf(s.share())
	for name, change := range map[string]func(){
		"a member leaves": func() {
			_, err := s.store.Tables().Workspaces.Update(t.Context(), s.space, func(space *core.Workspace) error {
				space.MembersVersion++
				return nil
			})
			s.must(err)
		},
		"the preview is stopped": func() { s.must(s.preview.Stop(t.Context(), s.owner, s.project)) },
		"the project is hidden": func() {
			_, err := s.store.Tables().Projects.Update(t.Context(), s.project, func(project *core.Project) error {
				project.Show(core.VisibilityPrivate)
				return nil
			})
			s.must(err)
		},
	} {
		before := open()
		change()
		for kind, host := range before {
			s.wantGone(name+": "+kind, host)
		}
		for kind, host := range open() {
			if got := s.get(host, "/", "Accept", "text/html"); got.StatusCode != http.StatusOK {
				t.Errorf("%s: %s: got %d at its new address", name, kind, got.StatusCode)
			}
		}
		if got := s.get(shared, "/", "Accept", "text/html"); got.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d, want the shared link to go on", name, got.StatusCode)
		}
	}
}

// callList holds the functions that were asked for.
type callList []string

// Serve implements sitehost.Data.
func (r *callList) Serve(_ http.ResponseWriter, request *http.Request, _ backend.Place) {
	*r = append(*r, request.Host)
}

// TestFunctionsRunOnlyWhereDataMayChange: a function may change data whatever its method, and those
// that run are the present ones.
func TestFunctionsRunOnlyWhereDataMayChange(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	deployments, err := s.publish.Deployments(t.Context(), s.owner, s.project)
	s.must(err)
	version, err := s.looks.AtVersion(t.Context(), s.owner, s.project, s.versions()[0])
	s.must(err)
	deployed, err := s.looks.AtDeployment(t.Context(), s.owner, s.project, deployments[0].ID)
	s.must(err)
	var functions callList
	handler := sitehost.New(sitehost.Deps{Sites: s.finder, Files: s.sites, Previews: s.preview, Looks: s.looks, Data: s.backends, Functions: &functions, Log: slog.New(slog.DiscardHandler)}, sitehost.Settings{
		AppURL: &url.URL{Scheme: "http", Host: "studio.test:8080"}, AppDomain: "sites.test", PreviewDomain: "preview.sites.test",
	})
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		for _, link := range []looks.Link{s.share(), version, deployed} {
			functions = nil
			got := httptest.NewRecorder()
			handler.ServeHTTP(got, httptest.NewRequest(method, link.URL+"/_fn/hello", nil))
			if runs := len(functions) > 0; runs != (link.Kind == core.LinkShare) || !runs && got.Code < http.StatusBadRequest {
				t.Errorf("%s %s: got %d, and that the function runs: %v", method, link.Kind, got.Code, runs)
			}
		}
	}
}

// listCounter counts how often the files of a deployment were listed.
type listCounter struct {
	sites.Store
	times int
}

// List implements sites.Store.
func (l *listCounter) List(ctx context.Context, deployment core.ID) ([]sites.Entry, error) {
	l.times++
	return l.Store.List(ctx, deployment)
}

func TestALookAtTheLiveDeploymentIsApartFromTheSite(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	deployments, err := s.publish.Deployments(t.Context(), s.owner, s.project)
	s.must(err)
	deployed, err := s.looks.AtDeployment(t.Context(), s.owner, s.project, deployments[0].ID)
	s.must(err)
	files := &listCounter{Store: s.sites}
	handler := sitehost.New(sitehost.Deps{Sites: s.finder, Files: files, Previews: s.preview, Looks: s.looks, Data: s.backends, Log: slog.New(slog.DiscardHandler)}, sitehost.Settings{
		AppURL: &url.URL{Scheme: "http", Host: "studio.test:8080"}, AppDomain: "sites.test", PreviewDomain: "preview.sites.test",
	})
	asset := assetPath(t, s.get(siteHost, "/").body)
	for range 3 {
		for address, want := range map[string]string{"http://" + siteHost + asset: "public, ", deployed.URL + asset: "private, ", deployed.URL + "/": "private, ", deployed.URL + "/missing.txt": "no-store"} {
			got := httptest.NewRecorder()
			handler.ServeHTTP(got, httptest.NewRequest(http.MethodGet, address, nil))
			if control := got.Header().Get("Cache-Control"); !strings.HasPrefix(control, want) {
				t.Errorf("%s: got %d with %q, want %s", address, got.Code, control, want)
			}
		}
	}
	if files.times != 2 {
		t.Errorf("the files were listed %d times, want once for the site and once for the look", files.times)
	}
}

func TestVisitorsSeeWhatLastWorked(t *testing.T) {
	s := newStudio(t)
	host := hostOf(s.share())
	if got := s.get(host, "/", "Accept", "text/html"); got.StatusCode != http.StatusOK {
		t.Fatalf("got %d", got.StatusCode)
	}
	s.write("package.json", "{broken")
	if got := s.get(host, "/", "Accept", "text/html"); got.StatusCode != http.StatusOK || !strings.Contains(got.body, "home") {
		t.Errorf("got %d %s, want the last good page", got.StatusCode, got.body)
	}
	fresh := newStudio(t)
	fresh.write("package.json", "{broken")
	if got := fresh.get(hostOf(fresh.share()), "/", "Accept", "text/html"); got.StatusCode != http.StatusServiceUnavailable || strings.Contains(got.body, "package.json") {
		t.Errorf("got %d %s, want no word of the sources", got.StatusCode, got.body)
	}
}
