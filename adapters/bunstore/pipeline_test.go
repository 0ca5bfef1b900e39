package bunstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// pipelineStore is a store on PostgreSQL whose sessions have a name of their own.
type pipelineStore struct {
	*lockServer
	store *Store
}

func newPipelined(t *testing.T) pipelineStore {
	t.Helper()
	server := newLockServer(t)
	return pipelineStore{server, migrated(t, server.address)}
}

// people makes users and returns them.
func (p pipelineStore) people(count int) []core.User {
	p.t.Helper()
	users := make([]core.User, count)
	for i := range users {
		users[i] = core.User{ID: core.NewID(), Email: fmt.Sprintf("%d@example.com", i), CreatedAt: core.Time(i)}
		if err := p.store.Tables().Users.Create(p.t.Context(), users[i]); err != nil {
			p.t.Fatal(err)
		}
	}
	return users
}

// find asks for the user and says what is wrong with the answer.
func (p pipelineStore) find(want core.User) error {
	got, err := p.store.Tables().Users.ByEmail(p.t.Context(), want.Email)
	if err != nil {
		return fmt.Errorf("%s: %w", want.Email, err)
	}
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

// terminate ends the server's sessions with the store.
func (p pipelineStore) terminate() {
	p.t.Helper()
	if got := p.count("SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE application_name = ?"); got == 0 {
		p.t.Error("got no session to end")
	}
}

// load has callers ask again and again until stop.
func (p pipelineStore) load(users []core.User, callers int) (answers *atomic.Int64, stop func()) {
	var all sync.WaitGroup
	var ended atomic.Bool
	answers = new(atomic.Int64)
	for caller := range callers {
		all.Go(func() {
			for i := caller; !ended.Load(); i++ {
				if err := p.find(users[i%len(users)]); err != nil {
					p.t.Error(err)
					return
				}
				answers.Add(1)
			}
		})
	}
	return answers, func() {
		ended.Store(true)
		all.Wait()
	}
}

func TestLookupsAtOnceGetEachItsOwnAnswer(t *testing.T) {
	p := newPipelined(t)
	users := p.people(50)
	var all sync.WaitGroup
	for caller := range 40 {
		all.Go(func() {
			for i := range 50 {
				if err := p.find(users[(caller*7+i)%len(users)]); err != nil {
					t.Error(err)
				}
				_, err := p.store.Tables().Users.ByID(t.Context(), core.NewID())
				if !core.IsCode(err, core.CodeNotFound) {
					t.Errorf("got %v, want code %s", err, core.CodeNotFound)
				}
				if got, err := p.store.Tables().Workspaces.OfUser(t.Context(), users[i].ID); err != nil || len(got) != 0 {
					t.Errorf("got %v, %v, want none", got, err)
				}
			}
		})
	}
	all.Wait()
}

// quotient and asleep are lookups that fail and that take long, as their value says.
func quotient(db bun.IDB, value func(int) any) *bun.SelectQuery {
	return db.NewSelect().ColumnExpr("100 / ?::int AS quotient", value(0))
}

func asleep(db bun.IDB, value func(int) any) *bun.SelectQuery {
	return db.NewSelect().ColumnExpr("pg_sleep(?::float)::text AS slept", value(0))
}

func absent(db bun.IDB, _ func(int) any) *bun.SelectQuery {
	return db.NewSelect().Table("absent").Column("id")
}

// batch returns requests for the quotients; "absent" reads a table that does not exist.
func (p pipelineStore) batch(ctx context.Context, values ...string) []*request {
	return each(values, func(value string) *request {
		wanted := lookup{"quotient", quotient}
		asked := &request{ctx: ctx, values: [][]byte{[]byte(value)}, reply: make(chan reply, 1)}
		if value == "absent" {
			wanted, asked.values = lookup{"absent", absent}, nil
		}
		asked.statement = p.store.lookups.(*pipeline).statement(wanted)
		return asked
	})
}

func TestAnErrorInOneLookupFailsOnlyThat(t *testing.T) {
	p := newPipelined(t)
	worker := &pipelineWorker{pipeline: p.store.lookups.(*pipeline)}
	defer worker.hangUp()
	ctx := conformance.Bounded(t)
	want := map[string]string{"0": "22012", "many": "22P02", "absent": "42P01", "5": "20", "10": "10", "20": "5"}
	for _, values := range [][]string{
		{"5", "0", "10", "many", "20"},
		{"10", "absent", "absent", "0", "5", "0"},
		{"absent", "0", "10"},
	} {
		batch := p.batch(ctx, values...)
		worker.answer(batch)
		for i, value := range values {
			if got := batch[i].got(); got != want[value] {
				t.Errorf("%s of %q: got %q, want %q", value, values, got, want[value])
			}
		}
	}
}

// got is the answer's one value, or the code of its error.
func (r *request) got() string {
	select {
	case answer := <-r.reply:
		var known *pgconn.PgError
		switch {
		case errors.As(answer.err, &known):
			return known.Code
		case answer.err != nil:
			return answer.err.Error()
		}
		return string(answer.rows.cells[0])
	default:
		return "no answer"
	}
}

// sleep holds up a connection.
func (p pipelineStore) sleep(ctx context.Context, seconds string) error {
	var slept string
	return p.store.look(ctx, "record", lookup{"asleep", asleep}, &slept, seconds)
}

func TestOneWhoLeavesDisturbsNobody(t *testing.T) {
	p := newPipelined(t)
	users := p.people(3)
	p.store.limits.call = 2 * time.Second
	leaving, leave := context.WithCancel(t.Context())
	var left, stayed sync.WaitGroup
	for range pipelineConns {
		left.Go(func() {
			if err := p.sleep(leaving, "60"); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		})
	}
	p.until("the connections are held up", func() bool { return p.sleeping() == pipelineConns })
	left.Go(func() {
		if _, err := p.store.Tables().Users.ByID(leaving, users[0].ID); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
	queue := p.store.lookups.(*pipeline).queue
	p.until("one waits", func() bool { return len(queue) == 1 })
	leave()
	left.Wait()
	if got := p.sleeping(); got != pipelineConns {
		t.Errorf("got %d connections that are held up, want %d", got, pipelineConns)
	}
	p.store.limits.call = defaultLimits.call
	for _, user := range users {
		stayed.Go(func() {
			if err := p.find(user); err != nil {
				t.Error(err)
			}
		})
	}
	stayed.Wait()
	p.until("the server does no more of it", func() bool { return p.sleeping() == 0 })
}

func (p pipelineStore) sleeping() int {
	return p.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND application_name = ?")
}

func TestLookupsOutliveTheirConnections(t *testing.T) {
	p := newPipelined(t)
	users := p.people(10)
	for _, user := range users[:3] {
		if err := p.find(user); err != nil {
			t.Errorf("got %v, want nil", err)
		}
		p.terminate()
	}
	answers, stop := p.load(users, 8)
	defer stop()
	for range 5 {
		before := answers.Load()
		p.until("all have asked", func() bool { return t.Failed() || answers.Load() > before+100 })
		p.terminate()
	}
}

func TestLookupsFromASilentServerFailInTime(t *testing.T) {
	between, server := pausableProxy{}, newLockServer(t)
	migrated(t, server.address)
	store, err := open(t.Context(), between.put(t, server.address), defaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p := pipelineStore{server, store}
	users := p.people(10)
	for range 2 {
		for _, user := range users {
			if err := p.find(user); err != nil {
				t.Errorf("got %v, want nil", err)
			}
		}
		between.gate.Lock()
		p.store.limits.call = 300 * time.Millisecond
		var asked sync.WaitGroup
		for _, user := range users {
			asked.Go(func() {
				began := time.Now()
				if err := p.find(user); !core.IsCode(err, core.CodeUnavailable) {
					t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
				}
				if took := time.Since(began); took >= defaultLimits.call {
					t.Errorf("got an answer after %v, want one within the limit of a call", took)
				}
			})
		}
		asked.Wait()
		p.store.limits.call = defaultLimits.call
		between.lose()
		between.gate.Unlock()
		p.until("the server answers", func() bool { return p.find(users[0]) == nil })
	}
}

func TestLookupsGoOnWhenTheSchemaChanges(t *testing.T) {
	p := newPipelined(t)
	users := p.people(10)
	answers, stop := p.load(users, 8)
	defer stop()
	for length := range 5 {
		before := answers.Load()
		p.until("all have asked", func() bool { return t.Failed() || answers.Load() > before+100 })
		_, err := p.admin.writer.ExecContext(t.Context(), "ALTER TABLE users ALTER COLUMN email TYPE varchar(?)", 100+length)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnUnusedConnectionIsClosed(t *testing.T) {
	p := newPipelined(t)
	user := p.people(1)[0]
	before := p.sessions()
	config, err := pgconn.ParseConfig(p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.store.lookups.close()
	p.store.lookups = newPipeline(p.store.reader, config, 200*time.Millisecond)
	for range 2 {
		if err := p.find(user); err != nil {
			t.Error(err)
		}
		if got := p.sessions(); got != before+1 {
			t.Errorf("got %d sessions, want %d", got, before+1)
		}
		p.until("the connection is closed", func() bool { return p.sessions() == before })
	}
}

func TestACloseLeavesNothingOfLookups(t *testing.T) {
	p := newPipelined(t)
	user, before := p.people(1)[0], goroutines()
	closing, err := Open(t.Context(), p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.store = closing
	var asked sync.WaitGroup
	// Two are under way and the others wait.
	for range 2 * pipelineConns {
		asked.Go(func() {
			if err := p.sleep(t.Context(), "60"); !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
			}
		})
	}
	p.until("the connections are held up", func() bool { return p.sleeping() == pipelineConns })
	began := time.Now()
	if err := closing.Close(); err != nil {
		t.Error(err)
	}
	asked.Wait()
	p.until("no goroutine is left", func() bool { return goroutines() == before })
	if took := time.Since(began); took > 10*goodbye {
		t.Errorf("got an end after %v, want one after %v at most", took, goodbye)
	}
	if err := p.find(user); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("afterwards: got %v, want code %s", err, core.CodeUnavailable)
	}
	p.until("the server does no more of it", func() bool { return p.sleeping() == 0 })
}

func TestACloseEndsIdleConnections(t *testing.T) {
	p := newPipelined(t)
	user, before := p.people(1)[0], p.sessions()
	// The collector of garbage would close connections that are left behind.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	store, err := Open(t.Context(), p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.store = store
	if err := errors.Join(p.find(user), store.Close()); err != nil {
		t.Error(err)
	}
	p.until("the server has seen them go", func() bool { return p.sessions() == before })
}

// goroutines counts those of lookups and of connections to PostgreSQL.
func goroutines() (count int) {
	buffer := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, "pipeline") || strings.Contains(stack, "/pgconn") {
			count++
		}
	}
	return count
}
