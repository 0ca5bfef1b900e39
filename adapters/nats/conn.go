package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/atelierhq/atelier/core"
)

// DefaultPrefix begins every subject if the settings name no other prefix.
const DefaultPrefix = "atelier"

const (
	// patience is how long the server may take to answer or to accept a write.
	patience = 2 * time.Second
	// pingEvery and pingsMissed detect a silent server after at most 6 seconds. The
	// library's defaults take four minutes.
	pingEvery   = 2 * time.Second
	pingsMissed = 2
	// retryEvery is the pause between attempts to reconnect, which never end.
	retryEvery = 250 * time.Millisecond
)

// Config says where the server is.
type Config struct {
	// URL is one address, or several of one cluster separated by commas, as CheckURL
	// accepts them.
	URL string
	// Prefix begins every subject, so that several installations may share a server. It
	// is one or more letters, digits, "-" and "_"; empty is DefaultPrefix.
	Prefix string
	// Pace stretches the waits for the server.
	Pace core.Pace
	Log  *slog.Logger
	// OwnerOf returns the process that has a valid claim of a project's room, "" if there
	// is none (storage.Rooms.Owner).
	OwnerOf func(ctx context.Context, project core.ID) (core.ID, error)
}

var prefixForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckPrefix returns an error for an invalid prefix of subjects.
func CheckPrefix(prefix string) error {
	if !prefixForm.MatchString(prefix) {
		return errors.New("the prefix must have 1 to 64 letters, digits, - and _")
	}
	return nil
}

// CheckURL returns an error for an invalid Config.URL, without quoting it, because it may hold
// passwords.
func CheckURL(addresses string) error {
	_, err := hosts(addresses)
	return err
}

// hosts returns the addresses of the servers without credentials.
func hosts(addresses string) (string, error) {
	var found []string
	for address := range strings.SplitSeq(addresses, ",") {
		parsed, err := url.Parse(strings.TrimSpace(address))
		if err != nil || parsed.Scheme != "nats" && parsed.Scheme != "tls" || parsed.Hostname() == "" ||
			parsed.Path != "" && parsed.Path != "/" || parsed.RawQuery != "" || parsed.Fragment != "" {
			return "", errors.New("the address must be nats://[user:password@]host[:port], or tls://… for an encrypted connection")
		}
		found = append(found, parsed.Host)
	}
	return strings.Join(found, ", "), nil
}

// Conn is this process's connection to the server. After a loss it reconnects by itself,
// however long that takes.
type Conn struct {
	nc     *natsgo.Conn
	prefix string
	pace   core.Pace
	log    *slog.Logger
	// opened is closed when Connect returns. Handlers of connection events wait for that.
	opened  chan struct{}
	bus     *Bus
	unsaved *UnsavedEdits

	// up means that the connection is usable. The library knows that too, but holds its
	// lock while it tries to reach a silent server.
	up     atomic.Bool
	closed atomic.Bool
	// maxPayload is how many bytes a message may have.
	maxPayload atomic.Int64
}

// Connect connects to the server. The error has code core.CodeUnavailable if the server
// cannot be reached or refuses the credentials, and core.CodeInvalidRequest if the
// configuration is invalid. Neither shows the credentials.
func Connect(ctx context.Context, config Config) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	prefix := cmp.Or(config.Prefix, DefaultPrefix)
	where, err := hosts(config.URL)
	if err := errors.Join(err, CheckPrefix(prefix)); err != nil {
		return nil, core.Wrap(core.CodeInvalidRequest, err, "the address of the NATS server is not valid")
	}
	c := &Conn{prefix: prefix, pace: config.Pace, log: config.Log.With("nats", where), opened: make(chan struct{})}
	defer close(c.opened)
	c.bus, c.unsaved = newBus(c), newUnsaved(c, config.OwnerOf)
	c.nc, err = natsgo.Connect(config.URL, c.options()...)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the NATS server at %s cannot be reached", where)
	}
	c.begin()
	if err := errors.Join(c.bus.open(), c.unsaved.open(), c.flush(ctx)); err != nil {
		c.nc.Close()
		return nil, core.Wrap(core.CodeUnavailable, err, "the NATS server at %s does not answer", where)
	}
	return c, nil
}

func (c *Conn) options() []natsgo.Option {
	return []natsgo.Option{
		natsgo.Name("atelier"),
		natsgo.CustomInboxPrefix(c.prefix + ".inbox"),
		// Messages within the process do not go through the server.
		natsgo.NoEcho(),
		natsgo.Timeout(c.pace.Of(patience)),
		natsgo.PingInterval(c.pace.Of(pingEvery)), natsgo.MaxPingsOutstanding(pingsMissed),
		natsgo.FlusherTimeout(c.pace.Of(patience)), natsgo.ReconnectOnFlusherError(),
		natsgo.MaxReconnects(-1), natsgo.ReconnectWait(retryEvery), natsgo.ReconnectJitter(retryEvery, retryEvery),
		// A newly installed server may refuse for a while.
		natsgo.IgnoreAuthErrorAbort(),
		// Nothing is buffered for a server that is away.
		natsgo.ReconnectBufSize(-1),
		natsgo.DisconnectErrHandler(func(_ *natsgo.Conn, err error) { <-c.opened; c.interrupted(err) }),
		natsgo.ReconnectHandler(func(*natsgo.Conn) { <-c.opened; c.resumed() }),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, sub *natsgo.Subscription, err error) { <-c.opened; c.failed(sub, err) }),
	}
}

// Bus returns the bus over this connection, the same at each call.
func (c *Conn) Bus() *Bus { return c.bus }

// Unsaved returns the registry over this connection, the same at each call.
func (c *Conn) Unsaved() *UnsavedEdits { return c.unsaved }

// Close ends the connection.
func (c *Conn) Close() {
	c.closed.Store(true)
	c.up.Store(false)
	c.nc.Close()
}

// Check returns core.CodeUnavailable if the server does not answer.
func (c *Conn) Check(ctx context.Context) error {
	if err := c.flush(ctx); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the NATS server does not answer")
	}
	return nil
}

func (c *Conn) connected() bool { return c.up.Load() }

// begin runs at the start of each connection.
func (c *Conn) begin() {
	c.maxPayload.Store(c.nc.MaxPayload())
	c.up.Store(true)
}

// subject returns the subject of a project. An ID from core.ParseID has no characters
// with a meaning in subjects.
func (c *Conn) subject(about string, project core.ID) (string, error) {
	id, err := core.ParseID(string(project))
	return c.prefix + "." + about + "." + string(id), err
}

// flush waits until the server has received everything that was sent so far.
func (c *Conn) flush(ctx context.Context) error {
	if !c.connected() {
		return natsgo.ErrDisconnected
	}
	bounded, cancel := context.WithTimeout(ctx, c.pace.Of(patience))
	defer cancel()
	return c.nc.FlushWithContext(bounded)
}

// send passes a message to the server. After a write that was cut off the connection
// cannot be used again.
func (c *Conn) send(subject string, body []byte) error {
	if !c.connected() {
		return natsgo.ErrDisconnected
	}
	err := c.nc.Publish(subject, body)
	if err != nil && !errors.Is(err, natsgo.ErrReconnectBufExceeded) && !errors.Is(err, natsgo.ErrConnectionClosed) && !errors.Is(err, natsgo.ErrMaxPayload) {
		_ = c.nc.ForceReconnect()
	}
	return err
}

// interrupted runs when the connection is lost, and when it is closed.
func (c *Conn) interrupted(err error) {
	c.up.Store(false)
	if c.closed.Load() {
		return
	}
	c.log.Warn("lost the connection to the NATS server", "error", err)
	c.bus.interrupted()
	go c.unsaved.interrupted()
}

// resumed runs when the connection is back. Once the server answers, it knows the
// subscriptions that were made meanwhile.
func (c *Conn) resumed() {
	if c.nc == nil || c.closed.Load() {
		return
	}
	c.begin()
	c.bus.subscribe()
	for c.flush(context.Background()) != nil {
		if !c.connected() || !c.nc.IsConnected() {
			return // This runs again when the connection is back.
		}
	}
	c.log.Info("reconnected to the NATS server")
	c.bus.resumed()
}

// failed runs on asynchronous errors of the library.
func (c *Conn) failed(sub *natsgo.Subscription, err error) {
	if sub != nil && errors.Is(err, natsgo.ErrSlowConsumer) {
		c.log.Warn("dropped messages: this process is too slow to receive them", "subject", sub.Subject)
		c.bus.dropped(sub.Subject)
		return
	}
	c.log.Warn("NATS error", "error", fmt.Sprint(err))
}
