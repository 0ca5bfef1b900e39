package looks

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

func TestAnAddressIsOneOfALinkAlone(t *testing.T) {
	s := New(Deps{Sealer: memory.NewSealer(), Previews: preview.Settings{Scheme: "https", Domain: "preview.example"}})
	link := core.PreviewLink{ID: core.NewID(), ProjectID: core.NewID(), Kind: core.LinkVersion, Target: "a", ExpiresAt: core.At(time.Now())}
	space := core.NewID()
	first := s.view(link, space).URL
	label := strings.TrimSuffix(strings.TrimPrefix(first, "https://"), ".preview.example")
	if len(label) != 63 || !strings.HasPrefix(label, string(link.ID)+"-") {
		t.Errorf("got %s, want a whole DNS label", label)
	}
	seen := map[string]bool{first: true}
	for name, change := range map[string]func(*core.PreviewLink){
		"id":      func(l *core.PreviewLink) { l.ID = core.NewID() },
		"project": func(l *core.PreviewLink) { l.ProjectID = core.NewID() },
		"kind":    func(l *core.PreviewLink) { l.Kind = core.LinkDeployment },
		"target":  func(l *core.PreviewLink) { l.Target = "b" },
	} {
		other := link
		change(&other)
		if url := s.view(other, space).URL; seen[url] {
			t.Errorf("got %s again with another %s", url, name)
		}
	}
	if s.view(link, core.NewID()).URL == first {
		t.Error("got the address of another workspace")
	}
	link.ExpiresAt++
	if s.view(link, space).URL != first {
		t.Error("got another address after the link was extended")
	}
}
