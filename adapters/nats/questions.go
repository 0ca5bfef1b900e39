package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/atelierhq/atelier/core"
)

// questionVersion is that of the messages below.
const questionVersion = 1

// What the subjects of unsaved edits are about.
const (
	posts = "unsaved"
	doors = "door"
)

// The messages about unsaved edits. A project's subject takes questions and answers
// lists, a process's own takes orders and answers receipts.
type (
	// question asks who keeps edits of the project; or it tells those who do that one
	// process joins them and others have left.
	question struct {
		Version int      `json:"v"`
		Joins   string   `json:"joins,omitempty"`
		Left    []string `json:"left,omitempty"`
	}
	// list names every process that keeps edits of the project. It is unsure when the
	// connection of the one who answers was interrupted, until it has entered again.
	list struct {
		Version   int      `json:"v"`
		Processes []string `json:"processes"`
		Unsure    bool     `json:"unsure,omitempty"`
	}
	// order has a process save the edits of a project; without one, it only has it
	// answer.
	order struct {
		Version int     `json:"v"`
		Project core.ID `json:"project,omitempty"`
	}
	// receipt says that an order was carried out, or why it was not.
	receipt struct {
		Version int    `json:"v"`
		Error   string `json:"error,omitempty"`
	}
)

// ask returns the processes that keep edits of the project: none when the server knows
// that nobody listens, and otherwise those that the quickest of them names. It asks
// again as long as that one is unsure. The error is ctx's when ctx ends first; the list
// is then as complete as the unsure ones know it.
func (u *Unsaved) ask(ctx context.Context, project core.ID) ([]string, error) {
	subject, err := u.conn.subject(posts, project)
	if err != nil {
		return nil, err
	}
	known := make(map[string]struct{})
	for {
		var answer list
		err := u.request(ctx, subject, question{Version: questionVersion}, &answer)
		switch {
		case errors.Is(err, natsgo.ErrNoResponders):
			return nil, nil
		case err == nil && answer.Version != questionVersion:
			return nil, fmt.Errorf("a list of version %d is not understood", answer.Version)
		case err == nil && !answer.Unsure:
			return answer.Processes, nil
		case err != nil && len(known) == 0:
			return nil, err
		}
		for _, process := range answer.Processes {
			known[process] = struct{}{}
		}
		select {
		case <-time.After(unsurePause):
		case <-ctx.Done():
			return slices.Collect(maps.Keys(known)), ctx.Err()
		}
	}
}

// unsurePause is how long those who were interrupted have until they are asked again.
const unsurePause = 5 * time.Millisecond

// order has a process carry out an order. A process that is gone has nothing to save:
// here says whether it is there.
func (u *Unsaved) order(ctx context.Context, process string, project core.ID) (here bool, err error) {
	var answer receipt
	err = u.request(ctx, u.keeper(process), order{questionVersion, project}, &answer)
	switch {
	case errors.Is(err, natsgo.ErrNoResponders):
		return false, nil
	case err != nil:
		return false, err
	case answer.Version != questionVersion || answer.Error != "":
		return true, fmt.Errorf("process %s answers, in version %d: %s", process, answer.Version, answer.Error)
	}
	return true, nil
}

// request asks and waits for the first answer.
func (u *Unsaved) request(ctx context.Context, subject string, message, answer any) error {
	if !u.conn.connected() {
		return natsgo.ErrDisconnected
	}
	encoded, err := json.Marshal(message)
	if err != nil {
		return err
	}
	response, err := u.conn.nc.RequestWithContext(ctx, subject, encoded)
	if err != nil {
		return err
	}
	return json.Unmarshal(response.Data, answer)
}

// tell has the processes at a project's subject take note, and waits for no answer.
func (u *Unsaved) tell(project core.ID, news question) error {
	subject, err := u.conn.subject(posts, project)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(news)
	if err != nil {
		return err
	}
	return u.conn.send(subject, encoded)
}

// answerQuestion takes note of what a question tells, and answers it. A question that
// is not understood has no answer, which the asker takes for a failure.
func (u *Unsaved) answerQuestion(place *post, message *natsgo.Msg) {
	var asked question
	if err := json.Unmarshal(message.Data, &asked); err != nil || asked.Version != questionVersion {
		u.conn.log.Warn("a question about unsaved edits is not understood", "version", asked.Version, "error", err)
		return
	}
	connection := u.conn.number()
	u.mu.Lock()
	for _, process := range asked.Left {
		delete(place.others, process)
	}
	if asked.Joins != "" {
		place.others[asked.Joins] = struct{}{}
	}
	processes := append(slices.Collect(maps.Keys(place.others)), u.self)
	unsure := place.connection != connection
	u.mu.Unlock()
	if message.Reply != "" {
		respond(message, list{questionVersion, processes, unsure})
	}
}

// answerOrder carries out an order, however many wait for the same.
func (u *Unsaved) answerOrder(message *natsgo.Msg) {
	var given order
	err := json.Unmarshal(message.Data, &given)
	if err == nil && given.Version != questionVersion {
		err = fmt.Errorf("an order of version %d is not understood", given.Version)
	}
	if err == nil && given.Project != "" {
		err = u.local.Save(context.Background(), given.Project)
	}
	answer := receipt{Version: questionVersion}
	if err != nil {
		answer.Error = err.Error()
	}
	respond(message, answer)
}

// respond answers whoever still waits.
func respond(message *natsgo.Msg, answer any) {
	if encoded, err := json.Marshal(answer); err == nil {
		_ = message.Respond(encoded)
	}
}
