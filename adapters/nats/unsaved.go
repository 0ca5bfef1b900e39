package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	natsgo "github.com/nats-io/nats.go"

	"github.com/atelierhq/atelier/adapters/internal/saveregistry"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// UnsavedEdits is a registry for saving edits that any process connected to the server holds.
// The claim in the database names the process that holds a project's edits; that process
// answers on a subject of its own. A process that has stopped stays subscribed, and callers
// wait for it until its claim lapses.
//
// A process that loses its connection cannot be asked meanwhile. So it saves when it loses
// the connection, and its rooms later save by themselves.
type UnsavedEdits struct {
	conn    *Conn
	self    core.ID
	local   *saveregistry.Registry
	ownerOf func(context.Context, core.ID) (core.ID, error)
}

var _ unsaved.Registry = (*UnsavedEdits)(nil)

// saveVersion is the version of the messages below.
const saveVersion = 1

type (
	// saveRequest asks a process to save the edits of a project.
	saveRequest struct {
		Version int     `json:"v"`
		Project core.ID `json:"project"`
	}
	// saveReply says that the edits are on the disk, or why they are not.
	saveReply struct {
		Version int    `json:"v"`
		Error   string `json:"error,omitempty"`
	}
)

func newUnsaved(conn *Conn, ownerOf func(context.Context, core.ID) (core.ID, error)) *UnsavedEdits {
	return &UnsavedEdits{conn: conn, self: core.NewID(), local: saveregistry.New(), ownerOf: ownerOf}
}

// open subscribes to the requests to this process.
func (u *UnsavedEdits) open() error {
	_, err := u.conn.nc.Subscribe(u.keeper(u.self), func(message *natsgo.Msg) { go u.answer(message) })
	return err
}

// keeper returns the subject on which one process receives requests to save.
func (u *UnsavedEdits) keeper(process core.ID) string {
	return u.conn.prefix + ".keeper." + string(process)
}

// Owner implements unsaved.Registry.
func (u *UnsavedEdits) Owner() core.ID { return u.self }

// Keep implements unsaved.Registry.
func (u *UnsavedEdits) Keep(ctx context.Context, project core.ID, save func(context.Context) error) (withdraw func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := core.ParseID(string(project)); err != nil {
		return nil, err
	}
	if !u.conn.connected() {
		return nil, core.Wrap(core.CodeUnavailable, natsgo.ErrDisconnected, "other processes cannot ask for edits here")
	}
	return sync.OnceFunc(u.local.Register(project, save)), nil
}

// Save implements unsaved.Registry.
func (u *UnsavedEdits) Save(ctx context.Context, project core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	here := make(chan error, 1)
	go func() { here <- u.local.Save(ctx, project) }()
	err := u.saveElsewhere(ctx, project)
	if local := <-here; local != nil {
		return local
	}
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return core.Wrap(core.CodeUnavailable, err, "edits of the project in another process could not be saved")
}

// saveElsewhere asks the owner of the project's room to save its edits, unless that is this
// process.
func (u *UnsavedEdits) saveElsewhere(ctx context.Context, project core.ID) error {
	if _, err := core.ParseID(string(project)); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, unsaved.Bound)
	defer cancel()
	owner, err := u.ownerOf(bounded, project)
	if err != nil || owner == "" || owner == u.self {
		return err
	}
	return u.ask(bounded, owner, project)
}

// ask asks another process to save the edits of a project. A process that is gone has none,
// and one that lost its connection has saved them.
func (u *UnsavedEdits) ask(ctx context.Context, process, project core.ID) error {
	if !u.conn.connected() {
		return natsgo.ErrDisconnected
	}
	request, err := json.Marshal(saveRequest{saveVersion, project})
	if err != nil {
		return err
	}
	message, err := u.conn.nc.RequestWithContext(ctx, u.keeper(process), request)
	if errors.Is(err, natsgo.ErrNoResponders) {
		return nil
	}
	if err != nil {
		return err
	}
	var reply saveReply
	if err := json.Unmarshal(message.Data, &reply); err != nil {
		return err
	}
	if reply.Version != saveVersion || reply.Error != "" {
		return fmt.Errorf("process %s replied in version %d: %s", process, reply.Version, reply.Error)
	}
	return nil
}

// answer saves at another process's request, once for all concurrent requests for the same
// project.
func (u *UnsavedEdits) answer(message *natsgo.Msg) {
	var request saveRequest
	err := json.Unmarshal(message.Data, &request)
	if err == nil && request.Version != saveVersion {
		err = fmt.Errorf("a request of version %d is not supported", request.Version)
	}
	if err == nil {
		err = u.local.Save(context.Background(), request.Project)
	}
	reply := saveReply{Version: saveVersion}
	if err != nil {
		reply.Error = err.Error()
	}
	if encoded, err := json.Marshal(reply); err == nil {
		_ = message.Respond(encoded)
	}
}

// interrupted saves what other processes can no longer ask for.
func (u *UnsavedEdits) interrupted() {
	for _, project := range u.local.Projects() {
		if err := u.local.Save(context.Background(), project); err != nil {
			u.conn.log.Warn("could not save edits after losing the NATS server", "project", project, "error", err)
		}
	}
}
