package quickjs

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// meter measures the processor time of one thread.
type meter struct {
	limit time.Duration
	clock atomic.Int32
	begun atomic.Int64
	// total is the time that the call took, set at its end.
	total atomic.Int64
	// over is true once the limit is reached; lost is closed if the thread does not react.
	over atomic.Bool
	lost chan struct{}
	// deadline is closed when the call must end for another reason.
	deadline <-chan struct{}
}

func newMeter(limit time.Duration, deadline <-chan struct{}) *meter {
	return &meter{limit: limit, lost: make(chan struct{}), deadline: deadline}
}

// perThread marks a kernel clock as that of one thread.
const perThread = 6

// start starts to measure the calling thread, which must be locked. Once the limit is
// reached or the deadline is over, interrupt is called repeatedly, until stop is called or
// the thread is lost.
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

// read returns the thread's processor time. Any thread may call it.
func (m *meter) read() (time.Duration, error) {
	var at unix.Timespec
	if err := unix.ClockGettime(m.clock.Load(), &at); err != nil {
		return 0, err
	}
	return time.Duration(at.Nano()), nil
}

// used returns the time since start, or up to the end of the call.
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

// often is the interval between interrupts.
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
