package looks

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/browser"
)

const (
	// maxTried is how many versions Working tries, and searchLimit the time that it takes for all.
	maxTried    = 10
	searchLimit = time.Minute
	// maxPathBytes bounds the path that Working opens.
	maxPathBytes = 1024
)

// Proof says how far a version is known to work.
type Proof string

// The proofs.
const (
	// ProofOpened means that its page was opened and has no fault.
	ProofOpened Proof = "opened"
	// ProofBuilt means that its pages build. No browser was there to open them.
	ProofBuilt Proof = "built"
	// ProofNone means that nothing is known, because its pages cannot be built from here.
	ProofNone Proof = "none"
)

// WorkingVersion is a version to go back to. Version is nil if none of those that were tried works.
type WorkingVersion struct {
	Version *core.Version `json:"version"`
	Proof   Proof         `json:"proof"`
}

// Working returns the newest version whose files differ from the present ones and whose page at a path
// works; it builds and opens one after the other. It returns core.CodeValidationFailed for a bad path.
func (s *Service) Working(ctx context.Context, by core.Actor, project core.ID, path string) (WorkingVersion, error) {
	record, err := s.deps.Gate.Project(ctx, by, core.ActionVersionWrite, project)
	if err != nil {
		return WorkingVersion{}, err
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || len(path) > maxPathBytes {
		return WorkingVersion{}, core.Errorf(core.CodeValidationFailed, "path must begin with one slash and have at most %d bytes", maxPathBytes)
	}
	ctx, cancel := context.WithTimeout(fair.WithTenant(ctx, record.WorkspaceID), searchLimit)
	defer cancel()
	earlier, err := s.earlier(ctx, project)
	if err != nil {
		return WorkingVersion{}, err
	}
	for _, version := range earlier {
		proof, err := s.prove(ctx, by, project, version.ID, path)
		if err != nil {
			return WorkingVersion{}, err
		}
		if proof != "" {
			chats, err := s.deps.Store.Tables().Chats.List(ctx, project)
			version.Recognise(chats)
			return WorkingVersion{&version, proof}, err
		}
	}
	return WorkingVersion{Proof: ProofNone}, nil
}

// earlier returns the newest versions with other files than the project has now, the newest first.
func (s *Service) earlier(ctx context.Context, project core.ID) ([]core.Version, error) {
	unversioned, err := s.deps.Committer.Unversioned(ctx, project)
	if err != nil {
		return nil, err
	}
	listed, err := s.deps.History.Versions(ctx, project, "", maxTried+1)
	if err != nil || len(listed) == 0 {
		return nil, err
	}
	if len(unversioned) > 0 {
		return listed[:min(maxTried, len(listed))], nil
	}
	var earlier []core.Version
	for _, version := range listed[1:] {
		differences, err := s.deps.History.Compare(ctx, project, listed[0].ID, version.ID)
		if err != nil {
			return nil, err
		}
		if len(differences) > 0 {
			earlier = append(earlier, version)
		}
	}
	return earlier, nil
}

// prove returns how far a version works, "" if it does not.
func (s *Service) prove(ctx context.Context, by core.Actor, project core.ID, version, path string) (Proof, error) {
	sources, err := s.sourcesOf(ctx, project, version)
	if err != nil {
		return "", err
	}
	made, err := s.deps.Maker.MakeFrom(ctx, project, sources)
	switch {
	case core.IsCode(err, core.CodeValidationFailed):
		return ProofNone, nil // the project's own tools make its pages
	case err != nil:
		return "", err
	case len(made.Diagnostics) > 0:
		return "", nil
	case s.deps.Browser.Available(ctx) != nil:
		return ProofBuilt, nil
	}
	return s.open(ctx, by, project, version, path)
}

// open opens a version's page.
func (s *Service) open(ctx context.Context, by core.Actor, project core.ID, version, path string) (Proof, error) {
	link, err := s.AtVersion(ctx, by, project, version)
	if err != nil {
		return "", err
	}
	tab, err := s.deps.Browser.Open(ctx, browser.Page{Address: link.URL + path, Tenant: string(project), ReadOnly: true})
	if err != nil {
		return "", hiding(err)
	}
	defer tab.Close()
	faults, err := browsing.Judge(ctx, tab, link.URL)
	if err != nil {
		return "", hiding(err)
	}
	if tab.Status() >= http.StatusBadRequest {
		return "", nil
	}
	for _, fault := range faults {
		if fault.Certain {
			return "", nil
		}
	}
	return ProofOpened, nil
}

// hiding leaves out that a page did not open: it does not work.
func hiding(err error) error {
	if core.IsCode(err, core.CodeUnavailable) {
		return nil
	}
	return err
}
