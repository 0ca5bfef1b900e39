package bunstore

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
)

// readAgain is after which time the database's clock is read once more: until then the
// machines' oscillators drift apart by less than a hundredth of a second.
const readAgain = time.Minute

// clock tells the time of the database, by which processes judge each other's leases and
// claims: what their own machines say may be wrong, and may jump.
type clock struct {
	last atomic.Pointer[clockReading]
	stop context.CancelFunc
	done chan struct{}
}

// clockReading is what the database's clock said at a moment of this process.
type clockReading struct{ here, there time.Time }

// now is a reading and what has passed since then, which the kernel counts without regard
// to the machine's clock.
func (c *clock) now() time.Time {
	last := c.last.Load()
	return last.there.Add(time.Since(last.here))
}

// startClock reads the database's clock, and again from time to time until stop is called.
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
			_ = c.read(ctx, s) // a database that is away leaves the last reading
		}
	}
}

// read takes the middle of the call for the moment at which the database looked.
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
