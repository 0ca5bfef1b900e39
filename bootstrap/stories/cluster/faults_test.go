package cluster

import (
	"flag"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
)

// rounds is how often processes are killed; the other faults come a tenth as often, but
// once at least.
var rounds = flag.Int("rounds", 1, "how often processes are killed under load")

// Kinds of faults.
const (
	kills   = true
	passing = false
)

// How long a process is suspended so that others consider it dead, with a margin: runs
// are leased for 15 seconds and rooms claimed for 9.
const (
	longerThanALease = 17 * time.Second
	longerThanAClaim = 11 * time.Second
)

// a fault is done to processes under load. When do returns, it is over.
type fault struct {
	name string
	// kills says that it is played as often as rounds says.
	kills bool
	do    func(t *testing.T, l *load)
}

// play plays faults one after the other, each under its own load, and checks the
// invariants after each.
func play(t *testing.T, c *cluster, serves, rooms []*process.Service, faults []fault) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			times := *rounds
			if !f.kills {
				times = max(1, times/10)
			}
			for range times {
				f.play(t, c, begin(t, c, serves, rooms))
			}
		})
	}
}

// play does the fault once.
func (f fault) play(t *testing.T, c *cluster, l *load) {
	defer func() {
		if t.Failed() {
			l.explain()
		}
	}()
	moment()
	f.do(t, l)
	l.check(c)
	if t.Failed() {
		t.FailNow()
	}
	l.clear(c)
}

// together starts processes in parallel, because each takes its time.
func together(t *testing.T, starts ...func()) {
	t.Helper()
	var all sync.WaitGroup
	for _, start := range starts {
		all.Go(start)
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// moment is some time after which a fault comes, so that it meets anything.
func moment() { time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) }

func TestFaultsThatPassAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	c := prepare(t)
	c.smallDisk()
	database, toDatabase := newWire(t, c.setting("DATABASE_URL"))
	bus, toBus := newWire(t, c.setting("NATS_URL"))
	c.first = c.serve()
	var second, rooms *process.Service
	together(t, func() { second = c.serve("DATABASE_URL="+toDatabase, "NATS_URL="+toBus) }, func() { rooms = c.rooms() })
	serves := []*process.Service{c.first, second}
	play(t, c, serves, []*process.Service{rooms}, []fault{
		{"one of two is killed and comes back", kills, func(t *testing.T, _ *load) {
			kill(t, serves[rand.IntN(len(serves))])
		}},
		{"the projects' disk is full", passing, func(t *testing.T, l *load) {
			empty := c.fill(t)
			path := l.who.file(core.MustPath("large.txt"))
			wait(t, "a refusal", func() bool {
				got, err := l.ask(second, http.MethodPut, path, strings.Repeat("x", 1<<16))
				return err == nil && got.status == http.StatusServiceUnavailable
			})
			moment()
			empty()
		}},
		{"the disk is slow for one of two", passing, func(t *testing.T, _ *load) {
			fast := slowDisk(t, second, diskCalls, 20*time.Millisecond)
			time.Sleep(3 * time.Second)
			fast()
		}},
		{"all are stopped and started in turn", passing, func(t *testing.T, l *load) {
			for _, at := range append(serves, rooms) {
				checkLog(t, at)
				at.Stop()
				at.Restart()
				l.moves()
			}
		}},
		{"the database is slow for one of two", passing, func(*testing.T, *load) {
			database.Slow(10 * time.Millisecond)
			time.Sleep(2 * time.Second)
			database.Heal()
		}},
		{"NATS is away for one of two", passing, func(*testing.T, *load) {
			bus.Cut()
			time.Sleep(2 * time.Second)
			bus.Heal()
		}},
	})
}

func TestFaultsThatLeasesEndLoseNothing(t *testing.T) {
	t.Parallel()
	c := prepare(t)
	database, toDatabase := newWire(t, c.setting("DATABASE_URL"))
	bus, toBus := newWire(t, c.setting("NATS_URL"))
	c.first = c.serve()
	roomsName, othersName := newName(), newName()
	var second, rooms, others *process.Service
	together(t,
		func() { second = c.serve("DATABASE_URL=" + toDatabase) },
		func() { rooms = c.rooms("NATS_URL="+toBus, "DATABASE_URL="+c.named(roomsName)) },
		func() { others = c.rooms("DATABASE_URL=" + c.named(othersName)) })
	known := names{rooms: roomsName, others: othersName}
	play(t, c, []*process.Service{c.first, second}, []*process.Service{rooms, others}, []fault{
		{"the rooms are killed while the database is away for one of two", kills, func(t *testing.T, _ *load) {
			database.Cut()
			kill(t, rooms)
			database.Heal()
		}},
		{"one of two stands still for longer than its runs are leased", passing, func(t *testing.T, _ *load) {
			stand(t, second, longerThanALease)
		}},
		{"the rooms stand still until others have them", passing, func(t *testing.T, l *load) {
			holder, next := l.roomHolder(), others
			if holder == others {
				next = rooms
			}
			takeOver(t, l, holder, next)
		}},
		{"the rooms stand still under the files' lock until others have them", passing, func(t *testing.T, l *load) {
			holder, next := l.roomHolder(), others
			if holder == others {
				next = rooms
			}
			takeOverUnderLock(t, l, known, holder, next)
		}},
		{"the disk keeps one of two waiting", passing, func(t *testing.T, _ *load) {
			fast := slowDisk(t, second, syncs, time.Minute)
			time.Sleep(longerThanALease)
			fast()
		}},
		{"the disk keeps the rooms waiting", passing, func(t *testing.T, l *load) {
			fast := slowDisk(t, l.roomHolder(), diskCalls, time.Minute)
			time.Sleep(longerThanAClaim)
			fast()
		}},
		{"NATS is silent for the rooms", passing, func(*testing.T, *load) {
			bus.Silence()
			time.Sleep(silent)
			bus.Heal()
		}},
	})
}

// kill ends a process without a word, and starts it again.
func kill(t *testing.T, at *process.Service) {
	t.Helper()
	checkLog(t, at)
	at.Kill()
	at.Restart()
}

// silent is how long a server is silent so that clients consider it gone.
const silent = 8 * time.Second

// stand suspends a process for a time.
func stand(t *testing.T, at *process.Service, d time.Duration) {
	t.Helper()
	signal(t, at, syscall.SIGSTOP)
	time.Sleep(d)
	signal(t, at, syscall.SIGCONT)
}

func signal(t *testing.T, at *process.Service, number syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(at.PID(), number); err != nil {
		t.Fatal(err)
	}
}
