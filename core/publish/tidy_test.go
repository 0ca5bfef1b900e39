package publish_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
)

// tidied plays a story in which synctest.Wait waits for the background work.
func tidied(t *testing.T, name string, story func(t *testing.T, s *studio)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { story(t, newStudio(t)) })
	})
}

func TestTidy(t *testing.T) {
	tidied(t, "makes the compressed forms of what is live", func(t *testing.T, s *studio) {
		s.write("index.html", strings.Repeat("home ", 1000))
		s.mustPublish()
		synctest.Wait()
		live := s.deployments()[0].ID
		entries, err := s.sites.List(t.Context(), live)
		s.must(err)
		for _, entry := range entries {
			if entry.Path != "index.html" {
				continue
			}
			if form, made, err := s.sites.Packed(t.Context(), live, entry, sites.Brotli); err != nil || !made || len(form) == 0 {
				t.Errorf("got %d bytes, %v, %v, want a form", len(form), made, err)
			}
		}
	})

	tidied(t, "keeps the last 50 deployments and the live one", func(t *testing.T, s *studio) {
		first := s.mustPublish()
		s.must(s.store.Tables().Deployments.SetStatus(t.Context(), s.deployments()[0].ID, core.DeploymentSuperseded))
		for n := range 60 {
			time.Sleep(time.Second)
			s.write("index.html", fmt.Sprint("release ", n))
			s.mustPublish()
		}
		synctest.Wait()
		kept := s.deployments()
		if len(kept) != 51 || s.sites.stored.Load() != 51 {
			t.Errorf("got %d records and %d stored, want the live one and the 50 before it", len(kept), s.sites.stored.Load())
		}
		for _, deployment := range kept {
			if deployment.VersionID == first.VersionID {
				t.Error("got the first deployment, want it removed")
			}
			if _, err := s.sites.List(t.Context(), deployment.ID); err != nil {
				t.Errorf("got %v, want the files of every deployment that is listed", err)
			}
		}
	})

	tidied(t, "never removes what is live after a rollback", func(t *testing.T, s *studio) {
		s.mustPublish()
		first := s.deployments()[0].ID
		for n := range 45 {
			time.Sleep(time.Second)
			s.write("index.html", fmt.Sprint("release ", n))
			s.mustPublish()
		}
		_, err := s.publish.Rollback(t.Context(), s.owner, s.project, first)
		s.must(err)
		if page := s.served("shop"); page != "one" {
			t.Errorf("got %q, want the first release", page)
		}
		synctest.Wait()
		if _, err := s.sites.List(t.Context(), first); err != nil {
			t.Errorf("got %v, want the files of what is live", err)
		}
	})
}

// listingStore calls listed once, after deployments were read for the tidying or before
// the transaction that reads them.
type listingStore struct {
	storage.Store
	listed func()
}

func (s *listingStore) once() {
	if listed := s.listed; listed != nil {
		s.listed = nil
		listed()
	}
}

func (s *listingStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	s.once()
	return s.Store.InTx(ctx, do)
}

func (s *listingStore) Tables() storage.Tables {
	tables := s.Store.Tables()
	tables.Deployments = listedDeployments{tables.Deployments, s}
	return tables
}

type listedDeployments struct {
	storage.Deployments
	store *listingStore
}

func (d listedDeployments) List(ctx context.Context, project core.ID) ([]core.Deployment, error) {
	found, err := d.Deployments.List(ctx, project)
	d.store.once()
	return found, err
}

// packedSites calls packed after a deployment was compressed, which tidying begins with.
type packedSites struct {
	sites.Store
	packed func()
}

func (p *packedSites) Pack(ctx context.Context, id core.ID) error {
	err := p.Store.Pack(ctx, id)
	if p.packed != nil {
		p.packed()
	}
	return err
}

func TestTidyingLeavesWhatAnotherProcessRollsBackTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t)
		s.mustPublish()
		first := s.deployments()[0].ID
		for n := range 49 {
			time.Sleep(25 * time.Hour)
			s.write("index.html", fmt.Sprint("release ", n))
			s.mustPublish()
			synctest.Wait()
		}
		store, stored := &listingStore{Store: s.store}, &packedSites{Store: s.sites}
		slow := s.service(store, stored)
		defer slow.Close()
		stored.packed = func() {
			store.listed = func() {
				if _, err := s.publish.Rollback(t.Context(), s.owner, s.project, first); err != nil {
					t.Error(err)
				}
			}
		}
		_, err := slow.Publish(t.Context(), s.owner, s.project, publish.Request{})
		s.must(err)
		synctest.Wait()
		if _, err := s.sites.List(t.Context(), first); err != nil {
			t.Errorf("got %v, want the files of what is live", err)
		}
		if page := s.served("shop"); page != "one" {
			t.Errorf("got %q, want the release that was rolled back to", page)
		}
	})
}

func TestABuildThatIsNoSiteLeavesTheSiteAlone(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	s.write("index.html", `<script type="module" src="/missing.js"></script>`)
	_, err := s.publishAs("")
	if !core.IsCode(err, core.CodeBuildFailed) || s.served("shop") != "one" {
		t.Errorf("got %v and %q, want %s and the old page", err, s.served("shop"), core.CodeBuildFailed)
	}
}

func TestAMissingStyleSheetRefusesNothing(t *testing.T) {
	s := newStudio(t)
	page := `<link rel="stylesheet" href="/index.css">`
	s.write("index.html", page)
	got, err := s.publish.Publish(t.Context(), s.owner, s.project, publish.Request{})
	if err != nil || len(got.Warnings) != 1 || got.Warnings[0].Path != "index.html" || s.served("shop") != page {
		t.Errorf("got %+v, %v, want the page live and a warning about its style sheet", got, err)
	}
}
