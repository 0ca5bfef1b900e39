package preview

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/prebuilt"
	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/ports/build"
)

// maxModules bounds the modules of a preview.
const maxModules = project.MaxFiles

// graph holds all modules that the pages of a project reach.
type graph struct {
	modules map[moduleID]*module
	// order lists them in the order of discovery.
	order []moduleID
}

// entryID returns the module of an entry of a page.
func entryID(e project.Entry) moduleID {
	if e.Script == "" && strings.HasSuffix(e.Name, ".css") {
		return moduleID{namespace: nsLink, name: e.Name}
	}
	return moduleID{namespace: project.NsProject, name: e.Name, suffix: e.Suffix}
}

// readGraph makes all modules, starting from the entries. Mistakes in the sources are
// messages, and modules after a mistake are still read where they can be reached.
func (b *Builder) readGraph(ctx context.Context, p *project.Project) (*graph, []api.Message, error) {
	g := &graph{modules: make(map[moduleID]*module)}
	var next []moduleID
	for _, e := range project.EntriesOf(p.Pages) {
		next = append(next, entryID(e))
	}
	var messages []api.Message
	for len(next) > 0 {
		if len(g.order)+len(next) > maxModules {
			return nil, []api.Message{{Text: fmt.Sprintf("the project has more than %d modules", maxModules)}}, nil
		}
		made, wrong, err := b.makeAll(ctx, p, next)
		if err != nil {
			return nil, nil, err
		}
		messages = append(messages, wrong...)
		next = g.add(next, made)
	}
	return g, messages, nil
}

// add adds modules, nil for those that could not be made. It returns their imports that
// the graph does not have yet.
func (g *graph) add(ids []moduleID, made []*module) []moduleID {
	for i, id := range ids {
		g.modules[id] = made[i]
		g.order = append(g.order, id)
	}
	var next []moduleID
	met := make(map[moduleID]bool)
	for _, m := range made {
		if m == nil {
			continue
		}
		for _, id := range m.imports {
			if _, known := g.modules[id]; !known && !met[id] {
				met[id] = true
				next = append(next, id)
			}
		}
	}
	return next
}

// makeAll makes modules in parallel, as many at the same time as there are processors.
func (b *Builder) makeAll(ctx context.Context, p *project.Project, ids []moduleID) ([]*module, []api.Message, error) {
	made := make([]*module, len(ids))
	wrong := make([][]api.Message, len(ids))
	errs := make([]error, len(ids))
	var group sync.WaitGroup
	work := make(chan int)
	for range min(runtime.NumCPU(), len(ids)) {
		group.Go(func() {
			for i := range work {
				if errs[i] = ctx.Err(); errs[i] == nil {
					made[i], wrong[i], errs[i] = b.module(ctx, p, ids[i])
				}
			}
		})
	}
	for i := range ids {
		work <- i
	}
	close(work)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	return made, slices.Concat(wrong...), nil
}

// dependencies returns the packages' modules that the graph needs.
func (g *graph) dependencies() []project.Dependency {
	all := make(map[string]project.Dependency)
	for _, m := range g.modules {
		maps.Copy(all, m.needed)
	}
	return prebuilt.Sorted(all)
}

// files returns the files that modules refer to.
func (g *graph) files() []build.File {
	var files []build.File
	for _, id := range g.order {
		files = append(files, g.modules[id].files...)
	}
	return files
}

// byAddress returns the module at an address.
func (g *graph) byAddress() map[string]*module {
	all := make(map[string]*module, len(g.modules))
	for _, m := range g.modules {
		all[m.address] = m
	}
	return all
}
