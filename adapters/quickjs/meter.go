package quickjs

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// meter measures the time of a processor that one thread takes.
type meter struct {
	limit time.Duration
	clock atomic.Int32
	begun atomic.Int64
	// total is the time that the call took, once it has ended.
	total atomic.Int64
	// over says that the bound is met, lost is closed when the thread did not notice.
	over atomic.Bool
	lost chan struct{}
	// deadline is closed when the call must have ended for another reason.
	deadline <-chan struct{}
}

func newMeter(limit time.Duration, deadline <-chan struct{}) *meter {
	return &meter{limit: limit, lost: make(chan struct{}), deadline: deadline}
}

// perThread marks a clock of the kernel as that of one thread's processor time.
const perThread = 6

// start begins to measure the calling thread, which must be locked. interrupt is called again and
// again once the bound is met or the deadline is over, until the function that start returns is
// called, or the thread is lost.
func (m *meter) start(interrupt func()) (stop func(), err error) {
	m.clock.Store(int32(^uint32(unix.Gettid())<<3 | perThread))
	now, err := m.read()
	if err != nil {
		return nil, err
	}
	m.begun.Store(int64(now))
	ended := make(chan struct{})
	go m.watch(interrupt, ended)
	return func() {
		m.total.Store(int64(m.used()))
		close(ended)
	}, nil
}

// read returns the thread's time, from whatever thread.
func (m *meter) read() (time.Duration, error) {
	var at unix.Timespec
	if err := unix.ClockGettime(m.clock.Load(), &at); err != nil {
		return 0, err
	}
	return time.Duration(at.Nano()), nil
}

// used returns the time since start, or until the end.
func (m *meter) used() time.Duration {
	if total := m.total.Load(); total != 0 {
		return time.Duration(total)
	}
	now, err := m.read()
	if err != nil || m.clock.Load() == 0 {
		return 0
	}
	return now - time.Duration(m.begun.Load())
}

// often is how often an interrupt is repeated.
const often = 20 * time.Millisecond

func (m *meter) watch(interrupt func(), ended <-chan struct{}) {
	deadline := m.deadline
	var since time.Time
	for {
		wait := max(m.limit-m.used(), time.Millisecond)
		if !since.IsZero() {
			wait = often
		}
		select {
		case <-ended:
			return
		case <-deadline:
			deadline = nil
		case <-time.After(wait):
		}
		if m.used() >= m.limit {
			m.over.Store(true)
		}
		if !m.over.Load() && deadline != nil {
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) > grace {
			close(m.lost)
			return
		}
		interrupt()
	}
}
