package bunstore

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

const (
	// pipelineConns is how many connections answer lookups. While one waits for the
	// server, further lookups gather. With a second connection, a slow lookup does not
	// delay all others.
	pipelineConns = 2
	// maxBatch is how many lookups are sent together.
	maxBatch = 64
	// maxRenewals is how many schema changes one lookup survives.
	maxRenewals = 5
	// maxQueue is how many lookups wait before callers have to wait for room.
	maxQueue = pipelineConns * maxBatch
)

// pipeline batches lookups on PostgreSQL. Lookups that arrive while others are running go
// to the server together, in the pipeline mode of its protocol. Most of a lookup's cost
// is waking up both sides and system calls, not the search. Every lookup runs after it
// was requested, on a connection of the pipeline's own small pool.
type pipeline struct {
	db     *bun.DB
	config *pgconn.Config
	// idle is after how long an unused connection is closed.
	idle  time.Duration
	queue chan *request
	// ctx ends when the store is closed.
	ctx     context.Context
	stop    context.CancelFunc
	workers sync.WaitGroup

	mu         sync.RWMutex
	statements map[any]*statement
}

// statement is a lookup's text with its name on every connection.
type statement struct{ name, text string }

// request is a lookup with a waiting caller.
type request struct {
	ctx       context.Context
	statement *statement
	values    [][]byte
	// renewals counts how often the statement was prepared again because of this request.
	renewals int
	// reply has room for the one answer, so that a caller that has left blocks nobody.
	reply chan reply
}

type reply struct {
	rows resultRows
	err  error
}

var errStoreClosed = errors.New("the store is closed")

func newPipeline(db *bun.DB, config *pgconn.Config, idle time.Duration) *pipeline {
	p := &pipeline{db: db, config: config, idle: idle, queue: make(chan *request, maxQueue), statements: map[any]*statement{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	for range pipelineConns {
		p.workers.Go((&pipelineWorker{pipeline: p}).run)
	}
	return p
}

func (p *pipeline) scan(ctx context.Context, wanted lookup, into any, values []string) error {
	asked := &request{
		ctx:       ctx,
		statement: p.statement(wanted),
		values:    each(values, binary),
		reply:     make(chan reply, 1),
	}
	select {
	case p.queue <- asked:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
		return errStoreClosed
	}
	select {
	case got := <-asked.reply:
		if got.err != nil {
			return got.err
		}
		return got.rows.scan(p.db, into)
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
		return errStoreClosed
	}
}

// binary returns a value as the protocol has it; nil is NULL.
func binary(value string) []byte {
	if argument(value) == nil {
		return nil
	}
	return []byte(value)
}

func (p *pipeline) statement(wanted lookup) *statement {
	p.mu.RLock()
	known := p.statements[wanted.key]
	p.mu.RUnlock()
	if known != nil {
		return known
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known = p.statements[wanted.key]; known == nil {
		known = &statement{name: "lookup_" + strconv.Itoa(len(p.statements)), text: wanted.text(p.db, postgresDialect{})}
		p.statements[wanted.key] = known
	}
	return known
}

func (p *pipeline) close() {
	p.stop()
	p.workers.Wait()
}

// pipelineWorker owns one connection of a pipeline.
type pipelineWorker struct {
	*pipeline
	// conn is nil until it is needed.
	conn *pipelineConn
}

func (w *pipelineWorker) run() {
	idle := time.NewTimer(w.idle)
	defer idle.Stop()
	for {
		select {
		case <-w.ctx.Done():
			w.hangUp()
			return
		case <-idle.C:
			w.hangUp()
		case first := <-w.queue:
			w.answer(w.gather(first))
			idle.Reset(w.idle)
		}
	}
}

// gather adds the waiting requests whose callers have not left.
func (w *pipelineWorker) gather(first *request) (batch []*request) {
	for next := first; ; {
		if next.ctx.Err() == nil {
			batch = append(batch, next)
		}
		if len(batch) == maxBatch {
			return batch
		}
		select {
		case next = <-w.queue:
		default:
			return batch
		}
	}
}

// maxAttempts is how often a batch is sent. Connections may end one after another, for
// example when an operator ends all sessions of a busy server.
const maxAttempts = 4

// answer replies to a batch. If a connection fails, it repeats the open requests over
// another one, because reads are idempotent.
func (w *pipelineWorker) answer(batch []*request) {
	until := latest(batch)
	var err error
	for attempt := 0; attempt < maxAttempts && len(batch) > 0; attempt++ {
		if err = w.connect(until); err != nil {
			break
		}
		if batch, err = w.conn.answer(batch, until); err != nil || w.conn.conn.IsClosed() {
			w.hangUp()
		}
	}
	for _, failed := range batch {
		failed.reply <- reply{err: err}
	}
}

// latest is when the last caller of the batch stops waiting.
func latest(batch []*request) (until time.Time) {
	for _, asked := range batch {
		if deadline, _ := asked.ctx.Deadline(); deadline.After(until) {
			until = deadline
		}
	}
	return until
}

func (w *pipelineWorker) connect(until time.Time) (err error) {
	if w.conn != nil {
		return nil
	}
	ctx, cancel := context.WithDeadline(w.ctx, until)
	defer cancel()
	w.conn, err = connectPipeline(ctx, w.pipeline)
	return err
}

func (w *pipelineWorker) hangUp() {
	if w.conn != nil {
		w.conn.close()
		w.conn = nil
	}
}
