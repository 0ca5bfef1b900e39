// Package regexsearch searches projects with regular expressions.
//
// Lines that lack a literal which every match has are skipped at the speed of
// bytes.Index; the package regexp searches the others. Its time is linear in the
// size of the pattern and the length of the line; both are bounded, and so is
// what one search costs in all.
package regexsearch

import (
	"context"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/search"
)

// Engine searches with as many goroutines as there are processors, shared fairly by the tenants of
// all concurrent searches.
type Engine struct {
	// semaphore has a place for each processor, and one more for a tenant that searches nothing yet.
	semaphore *fair.Semaphore
	buffers   sync.Pool
}

var _ search.Engine = (*Engine)(nil)

// New returns an engine.
func New() *Engine {
	return &Engine{
		semaphore: fair.New(fair.Bounds{Capacity: int64(runtime.GOMAXPROCS(0)), Reserve: 1}),
		buffers:   sync.Pool{New: func() any { return new(buffer) }},
	}
}

// Search implements search.Engine. A directory or file that cannot be read has code
// core.CodeUnavailable; one that no longer exists is skipped.
func (e *Engine) Search(ctx context.Context, files fs.FS, query search.Query) (search.Found, error) {
	pattern, err := compile(query.Pattern)
	if err != nil {
		return search.Found{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	job := &job{engine: e, ctx: ctx, files: files, pattern: pattern, limit: query.Limit, batches: make(chan *batch, 4*runtime.GOMAXPROCS(0))}
	job.running.Go(job.walk)
	defer job.running.Wait()
	defer stop()
	return job.collect()
}

// job is one search. Its batches are searched in parallel and collected in the order of
// their paths, so that the first matches are deterministic.
type job struct {
	engine  *Engine
	ctx     context.Context
	files   fs.FS
	pattern pattern
	limit   int
	batches chan *batch
	running sync.WaitGroup
	// cost counts the work of all batches.
	cost atomic.Int64
}

// batch is a run of consecutive files. matches and err are valid once done is closed.
type batch struct {
	paths   []core.ProjectPath
	matches []core.Match
	err     error
	done    chan struct{}
}

// start searches files when a processor is free. It returns the context's error if that
// ends first.
func (j *job) start(paths []core.ProjectPath) error {
	b := &batch{paths: paths, done: make(chan struct{})}
	leave, err := j.engine.semaphore.Enter(j.ctx)
	if err != nil {
		return err
	}
	j.running.Go(func() {
		defer leave()
		defer close(b.done)
		b.matches, b.err = j.search(b.paths)
	})
	return j.deliver(b)
}

// fail ends the search with err after everything before is collected.
func (j *job) fail(err error) {
	b := &batch{err: err, done: make(chan struct{})}
	close(b.done)
	// If the context has ended, nobody needs err.
	_ = j.deliver(b)
}

func (j *job) deliver(b *batch) error {
	select {
	case j.batches <- b:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

// collect takes matches until there is one more than requested.
func (j *job) collect() (search.Found, error) {
	found := search.Found{Matches: []core.Match{}}
	for b := range j.batches {
		<-b.done
		if b.err != nil {
			return search.Found{}, b.err
		}
		found.Matches = append(found.Matches, b.matches...)
		if len(found.Matches) > j.limit {
			found.Matches, found.Truncated = found.Matches[:j.limit], true
			return found, nil
		}
	}
	if err := j.ctx.Err(); err != nil {
		return search.Found{}, err
	}
	return found, nil
}
