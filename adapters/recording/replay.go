package recording

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var _ ai.Provider = (*Replayer)(nil)

// Replayer is an ai.Provider that answers from a recording, without delays. It is safe
// for concurrent use.
//
// A request is answered by the first unused exchange with the same messages and tool
// names. The model, the system prompt, limits and the ids of calls do not matter, so that
// a recording survives changes of them. Nor does the number matter with which a dialect
// marks the tags of a run: the answer contains the request's number. Equal requests are
// answered in the order in which they were recorded. A request that was not recorded
// fails with core.CodeModelUnavailable and a message that shows where it first differs
// from a recorded one.
//
// An exchange whose caller left waits after its last chunk for the end of the context,
// because the model would have continued.
type Replayer struct {
	mu   sync.Mutex
	tape *tape
	// waiting maps keys of requests to the indices of unused exchanges.
	waiting map[string][]int
	left    int
}

// Replay opens a recording. If the file cannot be read, the error has code
// core.CodeUnavailable; over 1 GiB, core.CodePayloadTooLarge; if it is no recording,
// core.CodeInvalidRequest.
func Replay(path string) (*Replayer, error) {
	read, err := readFile(path)
	if err != nil {
		return nil, err
	}
	r := &Replayer{tape: read, waiting: map[string][]int{}, left: len(read.exchanges)}
	for i, made := range read.exchanges {
		key := made.Request.key()
		r.waiting[key] = append(r.waiting[key], i)
	}
	return r, nil
}

// Kind returns the kind of the first exchange's provider, "" if the recording has no
// exchange.
func (r *Replayer) Kind() core.ProviderKind {
	if len(r.tape.exchanges) == 0 {
		return ""
	}
	return r.tape.exchanges[0].Provider
}

// Model returns the model of the first exchange, "" if the recording has no exchange.
func (r *Replayer) Model() string {
	if len(r.tape.exchanges) == 0 {
		return ""
	}
	return string(r.tape.exchanges[0].Request.Model)
}

// Left returns the number of unused exchanges.
func (r *Replayer) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// Models implements ai.Provider with the newest list in the recording, or with the
// models that its exchanges name.
func (r *Replayer) Models(ctx context.Context) ([]core.Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.tape.listed {
		return slices.Clone(r.tape.models), nil
	}
	var models []core.Model
	for _, made := range r.tape.exchanges {
		id := string(made.Request.Model)
		if !slices.ContainsFunc(models, func(known core.Model) bool { return known.ID == id }) {
			models = append(models, core.Model{ID: id})
		}
	}
	return models, nil
}

// Generate implements ai.Provider.
func (r *Replayer) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if err := ctx.Err(); err != nil {
		return core.Usage{}, err
	}
	asked := requestOf(req, false)
	made, err := r.next(asked)
	if err != nil {
		return core.Usage{}, err
	}
	used := core.Usage(made.Usage)
	for _, said := range renumbered(made.Chunks, made.Request.nonce(), asked.nonce()) {
		if err := ctx.Err(); err != nil {
			return used, err
		}
		if err := emit(said.said()); err != nil {
			return used, err
		}
	}
	return used, made.End.play(ctx)
}

// play ends a call like the recorded one.
func (e end) play(ctx context.Context) error {
	switch e.How {
	case howDone:
		return nil
	case howLeft:
		<-ctx.Done()
		return ctx.Err()
	case howSink:
		return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the recording of this answer ends here, because its caller took no more")}
	}
	return e.failure()
}

// next takes the exchange that answers a request.
func (r *Replayer) next(asked request) (exchange, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := asked.key()
	waiting, recorded := r.waiting[key]
	if len(waiting) > 0 {
		r.waiting[key] = waiting[1:]
		r.left--
		return r.tape.exchanges[waiting[0]], nil
	}
	var why string
	switch {
	case recorded:
		why = "it was recorded, but fewer times than it is requested"
	case r.left == 0:
		why = fmt.Sprintf("all %d exchanges have already been replayed", len(r.tape.exchanges))
	default:
		why = r.nearest(asked)
	}
	return exchange{}, &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the recording does not answer this request: %s", why)}
}

// nearest says how the request differs from the unused exchange that has the most
// messages in common with it.
func (r *Replayer) nearest(asked request) string {
	best, most := -1, -1
	messages := asked.withNonce(sameNonce)
	for _, indices := range r.waiting {
		for _, i := range indices {
			same := commonMessages(r.tape.exchanges[i].Request.withNonce(sameNonce), messages)
			if same > most || same == most && i < best {
				best, most = i, same
			}
		}
	}
	return fmt.Sprintf("compared with exchange %d, %s", best+1, difference(r.tape.exchanges[best].Request, asked))
}
