package sitehost_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/looks"
)

// keep makes a version of what was written, and returns its id.
func (s *studio) keep() string {
	s.t.Helper()
	s.must(s.pipeline.CommitByHand(s.t.Context(), s.project, nil, nil))
	return s.versions()[0]
}

// wantWorking checks which version is the one to go back to, "" for none.
func (s *studio) wantWorking(name, version string, proof looks.Proof) {
	s.t.Helper()
	found, err := s.looks.Working(s.t.Context(), s.owner, s.project, "/")
	s.must(err)
	got := ""
	if found.Version != nil {
		got = found.Version.ID
	}
	if got != version || found.Proof != proof {
		s.t.Errorf("%s: got version %q, %s, want %q, %s", name, got, found.Proof, version, proof)
	}
}

const (
	sound    = "<!doctype html><h1>fine</h1>"
	crashing = `<!doctype html><h1>fine</h1><script>throw new Error("no notes")</script>`
)

func TestAVersionToGoBackToWorks(t *testing.T) {
	s := newStudio(t)
	s.write("index.html", sound)
	good := s.keep()
	s.wantWorking("two versions that work", s.versions()[1], looks.ProofOpened)
	s.write("index.html", crashing)
	s.wantWorking("unsaved changes", good, looks.ProofOpened)
	crashed := s.keep()
	s.write("assets/app.js", "broken(")
	s.keep()
	s.write("assets/app.js", "broken([")
	s.wantWorking("a crash, then a build that fails", good, looks.ProofOpened)

	s.browser.SetAvailable(false)
	s.wantWorking("no browser", crashed, looks.ProofBuilt)
	s.browser.SetAvailable(true)

	s.write("assets/app.js", script)
	s.write("index.html", sound)
	s.keep()
	s.write("index.html", crashing)
	s.keep()
	s.wantWorking("an older version has these files", s.versions()[1], looks.ProofOpened)
}

func TestAVersionThatCannotBeTriedIsNotSaidToWork(t *testing.T) {
	s := newStudio(t)
	s.write("package.json", `{"atelier": {"runtime": "node"}}`)
	s.keep()
	s.write("index.html", crashing)
	s.wantWorking("the project's own tools", s.versions()[0], looks.ProofNone)
}

func TestNoVersionToGoBackTo(t *testing.T) {
	s := newStudio(t)
	s.wantWorking("the first version", "", looks.ProofNone)
	for _, path := range []string{"", "x", "//example.com/"} {
		if _, err := s.looks.Working(t.Context(), s.owner, s.project, path); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q: got %v, want it refused", path, err)
		}
	}
	stranger := core.Actor{UserID: core.NewID()}
	if _, err := s.looks.Working(t.Context(), stranger, s.project, "/"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want nothing to be there for others", err)
	}
}
