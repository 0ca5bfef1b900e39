package bunstore

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
)

// readAgain is how often the database's clock is read. Within that time the machines'
// oscillators drift apart by less than a hundredth of a second.
const readAgain = time.Minute

// clock tells the time of the database, by which processes judge each other's leases and
// claims. The clocks of their own machines may be wrong, and may jump.
type clock struct {
	last atomic.Pointer[clockReading]
	stop context.CancelFunc
	done chan struct{}
}

// clockReading is the time of the database's clock at a moment of this process.
type clockReading struct{ here, there time.Time }

// now is the reading plus the time that has passed since, by the monotonic clock.
func (c *clock) now() time.Time {
	last := c.last.Load()
	return last.there.Add(time.Since(last.here))
}

// startClock reads the database's clock now and regularly until stop is called.
func startClock(ctx context.Context, s *Store) (*clock, error) {
	c := &clock{done: make(chan struct{})}
	if err := c.read(ctx, s); err != nil {
		return nil, err
	}
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	go c.follow(ctx, s)
	return c, nil
}

func (c *clock) follow(ctx context.Context, s *Store) {
	defer close(c.done)
	ticker := time.NewTicker(readAgain)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = c.read(ctx, s) // without the database, the last reading stays
		}
	}
}

// read assumes that the database read its clock in the middle of the call.
func (c *clock) read(ctx context.Context, s *Store) error {
	return s.read(ctx, "record", func(ctx context.Context, db bun.IDB) error {
		var micros int64
		asked := time.Now()
		if err := db.QueryRowContext(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&micros); err != nil {
			return err
		}
		c.last.Store(&clockReading{here: asked.Add(time.Since(asked) / 2), there: time.UnixMicro(micros)})
		return nil
	})
}

func (c *clock) close() {
	c.stop()
	<-c.done
}
