package sharedbackend

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// margin is how much earlier a claim ends here than for the other processes.
	margin = 2 * time.Second
	// known is how long the address of another process is cached.
	known = 2 * time.Second
	// claimTime bounds a query of the database, leaveTime the closing of a project's data.
	claimTime = 5 * time.Second
	leaveTime = 30 * time.Second
)

// claims knows which process has each project's data, this one included.
type claims struct {
	config Config
	// self identifies this process; address is where others reach it.
	self    core.ID
	address string
	// nameFile is Config.NameFile if this process has its lock.
	nameFile *os.File

	mu sync.Mutex
	// finding has the projects that are being claimed; the channel is closed when that is done.
	finding map[core.ID]chan struct{}
	held    map[core.ID]*ownedData
	others  map[core.ID]other
	closed  bool
}

// other is a process with a project's data.
type other struct {
	address string
	until   time.Time
}

// ownedData is the data of a project that this process has.
type ownedData struct {
	project core.ID
	claims  *claims
	// life ends with the claim.
	life context.Context
	end  context.CancelFunc

	// claims.mu guards the fields below: until when the claim is valid here, how many use the
	// data, and the time of the last use.
	until time.Time
	users int
	used  time.Time
}

func newClaims(config Config) *claims {
	return &claims{
		config: config, self: core.NewID(),
		finding: map[core.ID]chan struct{}{}, held: map[core.ID]*ownedData{}, others: map[core.ID]other{},
	}
}

func (c *claims) table() storage.DataClaims { return c.config.Store.Tables().DataClaims }

func (c *claims) log() *slog.Logger { return c.config.Log }

// find returns the holding of a project, which the caller must leave, or the address of the
// process that has the data. If no process has it, this one claims it.
func (c *claims) find(ctx context.Context, project core.ID) (*ownedData, string, error) {
	for {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return nil, "", core.Errorf(core.CodeUnavailable, "the service is shutting down")
		}
		now := time.Now()
		if holding := c.held[project]; holding != nil && now.Before(holding.until) {
			holding.users++
			holding.used = now
			c.mu.Unlock()
			return holding, "", nil
		}
		if there, found := c.others[project]; found && now.Before(there.until) {
			c.mu.Unlock()
			return nil, there.address, nil
		}
		pending := c.finding[project]
		if pending == nil {
			pending = make(chan struct{})
			c.finding[project] = pending
			c.mu.Unlock()
			// The claim continues if the caller gives up.
			err := c.claim(context.WithoutCancel(ctx), project)
			c.mu.Lock()
			delete(c.finding, project)
			close(pending)
			c.mu.Unlock()
			if err != nil {
				return nil, "", err
			}
			continue
		}
		c.mu.Unlock()
		select {
		case <-pending:
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
}

// claim claims a project's data, or learns who has it.
func (c *claims) claim(ctx context.Context, project core.ID) error {
	c.mu.Lock()
	lapsed := c.held[project]
	c.mu.Unlock()
	if lapsed != nil {
		c.lose(ctx, lapsed)
	}
	bounded, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	asked, now := time.Now(), c.config.Store.Now()
	claim, err := c.table().Claim(bounded, core.DataClaim{
		ProjectID: project, Owner: c.self, Address: c.address, HeldUntil: core.At(now.Add(c.config.Lease)),
	}, core.At(now))
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "nobody knows where the data of the application is: try again")
	}
	if claim.Owner != c.self {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.others[project] = other{claim.Address, time.Now().Add(known)}
		if len(c.others) > maxOthers {
			clear(c.others)
		}
		return nil
	}
	if err := c.config.Local.Hold(ctx, project, claim.Token); err != nil {
		return errors.Join(err, c.table().Release(ctx, project, c.self))
	}
	life, end := context.WithCancel(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.others, project)
	c.held[project] = &ownedData{project: project, claims: c, life: life, end: end, until: asked.Add(c.config.Lease - c.margin()), used: asked}
	return nil
}

// maxOthers bounds the remembered addresses; beyond it all are asked again.
const maxOthers = 10_000

func (c *claims) margin() time.Duration { return min(margin, c.config.Lease/4) }

// doubt forgets which process has a project's data.
func (c *claims) doubt(project core.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.others, project)
}

// has returns the holding of a project, or nil.
func (c *claims) has(project core.ID) *ownedData {
	c.mu.Lock()
	defer c.mu.Unlock()
	holding := c.held[project]
	if holding == nil || !time.Now().Before(holding.until) {
		return nil
	}
	holding.users++
	holding.used = time.Now()
	return holding
}

// leave ends a use.
func (h *ownedData) leave() {
	h.claims.mu.Lock()
	defer h.claims.mu.Unlock()
	h.users--
	h.used = time.Now()
}

// check returns core.CodeUnavailable once the claim has ended.
func (h *ownedData) check() error {
	h.claims.mu.Lock()
	defer h.claims.mu.Unlock()
	if h.life.Err() == nil && time.Now().Before(h.until) {
		return nil
	}
	return lapsed()
}

func lapsed() error {
	return core.Errorf(core.CodeUnavailable, "this process no longer has the data of the application: try again")
}

// movedMessage is the error of a process that does not have the data and has done nothing.
const movedMessage = "the data of the application is in another process by now: try again"

func moved() error { return core.Errorf(core.CodeUnavailable, "%s", movedMessage) }

func isMoved(err error) bool {
	var known *core.Error
	return errors.As(err, &known) && known.Message == movedMessage
}

// keep extends the claims and releases unused data, until ctx ends.
func (c *claims) keep(ctx context.Context) {
	ticker := time.NewTicker(c.config.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			c.renew(ctx)
			c.letGo(ctx)
		}
	}
}

// renew extends the claims. It drops those that have ended or that another process has taken.
func (c *claims) renew(ctx context.Context) {
	held := c.all()
	if len(held) == 0 {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, c.config.Lease/3)
	defer cancel()
	asked := time.Now()
	ours, err := c.table().Renew(bounded, c.self, core.At(c.config.Store.Now().Add(c.config.Lease)))
	if err != nil && ctx.Err() == nil {
		c.log().Warn("could not renew the claims of backends", "error", err)
	}
	still := make(map[core.ID]bool, len(ours))
	for _, project := range ours {
		still[project] = true
	}
	for _, holding := range held {
		c.mu.Lock()
		lapsed := !time.Now().Before(holding.until)
		if err == nil && !lapsed && still[holding.project] {
			holding.until = asked.Add(c.config.Lease - c.margin())
		}
		c.mu.Unlock()
		if lapsed || err == nil && !still[holding.project] {
			c.log().Warn("lost the data of a backend to another process", "project", holding.project)
			c.lose(ctx, holding)
		}
	}
}

// letGo releases data that has not been used for a while.
func (c *claims) letGo(ctx context.Context) {
	for _, holding := range c.all() {
		c.mu.Lock()
		idle := holding.users == 0 && time.Since(holding.used) > c.config.Idle
		if idle {
			delete(c.held, holding.project) // nobody enters from now on
		}
		c.mu.Unlock()
		if idle {
			c.release(ctx, holding)
		}
	}
}

func (c *claims) all() []*ownedData {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*ownedData, 0, len(c.held))
	for _, holding := range c.held {
		all = append(all, holding)
	}
	return all
}

// lose stops everything that relied on a lost claim.
func (c *claims) lose(ctx context.Context, holding *ownedData) {
	c.mu.Lock()
	if c.held[holding.project] == holding {
		delete(c.held, holding.project)
	}
	c.mu.Unlock()
	holding.end()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if err := c.config.Local.Leave(bounded, holding.project); err != nil {
		c.log().Warn("could not close the data of a backend", "project", holding.project, "error", err)
	}
}

// release closes a project's data and ends its claim.
func (c *claims) release(ctx context.Context, holding *ownedData) {
	c.lose(ctx, holding)
	if err := c.table().Release(ctx, holding.project, c.self); err != nil && ctx.Err() == nil {
		c.log().Warn("could not end the claim of a backend", "project", holding.project, "error", err)
	}
}

// yield releases a project's data because another process needs it.
func (c *claims) yield(ctx context.Context, project core.ID) {
	c.mu.Lock()
	holding := c.held[project]
	delete(c.held, project)
	c.mu.Unlock()
	if holding != nil {
		c.release(ctx, holding)
	}
}

// forget ends the claim of a project whose data was removed.
func (c *claims) forget(ctx context.Context, project core.ID) error {
	c.mu.Lock()
	holding := c.held[project]
	c.mu.Unlock()
	if holding == nil {
		return nil
	}
	c.lose(ctx, holding)
	return c.table().Forget(ctx, project, c.self)
}

// leaveAll releases all data. Nothing is claimed afterwards.
func (c *claims) leaveAll() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	for _, holding := range c.all() {
		c.release(ctx, holding)
	}
}
