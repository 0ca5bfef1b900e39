package nats

import (
	"context"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/atelierhq/atelier/adapters/internal/pubsub"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/broadcast"
)

// Bus carries notices between the processes that are connected to one server, and within
// this process without the server. All followers of a project in this process share one
// subscription.
type Bus struct {
	conn    *Conn
	hub     *pubsub.Hub
	recent  *recentNotices
	skipped skipLog

	mu     sync.Mutex
	topics map[core.ID]*topic
}

var _ broadcast.Bus = (*Bus)(nil)

// topic is the subscription to a project's notices while it has followers. known is
// closed when the server has confirmed the subscription, or after the wait for that timed
// out. sub is nil while the server is away.
type topic struct {
	sub       *natsgo.Subscription
	followers int
	known     chan struct{}
}

func newBus(conn *Conn) *Bus {
	return &Bus{
		conn: conn, hub: pubsub.NewHub(), recent: newRecentNotices(), skipped: skipLog{log: conn.log},
		topics: make(map[core.ID]*topic),
	}
}

// open subscribes to notices about all projects.
func (b *Bus) open() error {
	_, err := b.conn.nc.Subscribe(b.everybody(), func(*natsgo.Msg) { b.hub.PublishLagged() })
	return err
}

// notices is the subject prefix of notices.
const notices = "notices"

// everybody is the subject that tells all followers of all projects that they may have
// missed something.
func (b *Bus) everybody() string { return b.conn.prefix + ".lagged" }

// Publish implements broadcast.Bus. It always reaches followers in this process. The
// error has code core.CodeUnavailable if it does not reach those in others; they are told
// to read again as soon as they are reachable. A notice that is larger than the server's
// limit becomes such a marker, too.
func (b *Bus) Publish(_ context.Context, notice core.Notice) error {
	b.hub.Publish(&notice)
	encoded, err := encodeNotice(notice, b.conn.maxPayload.Load())
	if err != nil {
		return core.Wrap(core.CodeInternal, err, "a notice cannot be sent")
	}
	return b.send(notice.ProjectID, encoded)
}

func (b *Bus) send(project core.ID, encoded []byte) error {
	subject, err := b.conn.subject(notices, project)
	if err != nil {
		return err
	}
	b.recent.add(project, time.Now())
	if err := b.conn.send(subject, encoded); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "could not notify followers in other processes")
	}
	return nil
}

// Follow implements broadcast.Bus. While the server is away, followers receive what this
// process publishes; when it is back they are told to read again. Follow waits for a
// silent server for at most 2 seconds.
func (b *Bus) Follow(ctx context.Context, project core.ID) (<-chan *core.Notice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	subject, err := b.conn.subject(notices, project)
	if err != nil {
		return nil, err
	}
	topic, err := b.join(project, subject)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the project cannot be followed")
	}
	heard := b.hub.Subscribe(ctx, project, func() { b.leave(project, topic) })
	select {
	case <-topic.known:
		return heard, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// join returns the project's topic and adds a follower to it.
func (b *Bus) join(project core.ID, subject string) (*topic, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if shared := b.topics[project]; shared != nil {
		shared.followers++
		return shared, nil
	}
	created := &topic{followers: 1, known: make(chan struct{})}
	if b.conn.connected() {
		var err error
		if created.sub, err = b.listen(project, subject); err != nil {
			return nil, err
		}
	}
	b.topics[project] = created
	go b.settle(project, created)
	return created, nil
}

func (b *Bus) listen(project core.ID, subject string) (*natsgo.Subscription, error) {
	return b.conn.nc.Subscribe(subject, func(message *natsgo.Msg) { b.hear(project, message.Data) })
}

// subscribe makes the subscriptions that failed while the server was away.
func (b *Bus) subscribe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for project, topic := range b.topics {
		if topic.sub != nil {
			continue
		}
		subject, err := b.conn.subject(notices, project)
		if err == nil {
			topic.sub, err = b.listen(project, subject)
		}
		if err != nil {
			b.conn.log.Error("could not follow a project", "project", project, "error", err)
		}
	}
}

func (b *Bus) leave(project core.ID, topic *topic) {
	b.mu.Lock()
	topic.followers--
	last := topic.followers == 0
	if last {
		delete(b.topics, project)
	}
	b.mu.Unlock()
	if last && topic.sub != nil {
		_ = topic.sub.Unsubscribe()
	}
}

// settle waits until the server has confirmed a topic. If the server is silent, followers
// do not wait; they are told when it answers again. If the connection is lost, resumed
// tells them.
func (b *Bus) settle(project core.ID, topic *topic) {
	err := b.conn.flush(context.Background())
	close(topic.known)
	if err == nil {
		return
	}
	for b.conn.connected() && b.follows(project, topic) {
		if b.conn.flush(context.Background()) == nil {
			b.hub.Publish(&core.Notice{Kind: core.NoticeLagged, ProjectID: project})
			return
		}
	}
}

func (b *Bus) follows(project core.ID, topic *topic) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.topics[project] == topic
}

// hear delivers a notice of another process.
func (b *Bus) hear(project core.ID, body []byte) {
	notice, err := decodeNotice(project, body)
	if err != nil {
		b.skipped.add(err, time.Now())
		return
	}
	b.hub.Publish(notice)
}

// Check implements broadcast.Bus.
func (b *Bus) Check(ctx context.Context) error { return b.conn.Check(ctx) }

func (b *Bus) interrupted() { b.recent.keep() }

// resumed tells all followers that may have missed something to read again, after the
// connection was lost. These are the followers in this process and, in others, the
// followers of what this process published before it noticed the loss.
func (b *Bus) resumed() {
	b.hub.PublishLagged()
	projects, all := b.recent.take(time.Now())
	if all {
		b.recent.addAll(time.Now())
		_ = b.conn.send(b.everybody(), nil)
		return
	}
	for _, project := range projects {
		_ = b.send(project, markerMessage()) // send records the project again, in case this message is lost too.
	}
}

// dropped makes up for messages that the library dropped.
func (b *Bus) dropped(subject string) {
	if project, isNotice := strings.CutPrefix(subject, b.conn.prefix+"."+notices+"."); isNotice {
		b.hub.Publish(&core.Notice{Kind: core.NoticeLagged, ProjectID: core.ID(project)})
	}
	if subject == b.everybody() {
		b.hub.PublishLagged()
	}
}
