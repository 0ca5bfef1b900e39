package chats

import (
	"math"
	"net/http"
	"strconv"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/httpapi/sse"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/storage"
)

// Send answers POST /chat/:projectId/messages with the run's events, and POST
// /plan/:projectId, which switches the chat to a mode. A mode of "" keeps the chat's.
func Send(runs *chat.Runs, uploads *rest.Uploads, mode string) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		if err := runs.MaySend(r.Context(), r.Actor, project); err != nil {
			return err
		}
		message, done, err := readMessage(r, uploads)
		if err != nil {
			return err
		}
		defer done()
		message.Mode = mode
		return streamEvents(w, r, func(emit func(core.Event) error) error {
			return runs.Send(r.Context(), r.Actor, project, message, func(event core.Event) error {
				// After the first event the message is stored, and needs no room here any
				// more.
				done()
				return emit(event)
			})
		})
	}
}

// Approve answers POST /chat/:projectId/approve with the run's events.
func Approve(runs *chat.Runs) rest.Handler {
	type request struct {
		ChatID string `json:"chatId"`
		ID     string `json:"id"`
		Allow  *bool  `json:"allow"`
		Detach bool   `json:"detach,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		id, err := core.ParseID(body.ChatID)
		if err != nil {
			return err
		}
		if body.ID == "" || body.Allow == nil {
			return core.Errorf(core.CodeValidationFailed, "an answer must have id, of the approval.request, and allow, true or false")
		}
		answer := chat.ApprovalAnswer{ChatID: id, Approval: core.Approval{ID: body.ID, Allow: *body.Allow}, Detach: body.Detach}
		return streamEvents(w, r, func(emit func(core.Event) error) error {
			return runs.Approve(r.Context(), r.Actor, project, answer, emit)
		})
	})
}

// Follow answers GET /chat/:projectId/stream.
func Follow(followers *chat.Followers) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		// A caller that may not follow learns that before the stream opens.
		follower, err := requestedFollower(followers, r)
		if err != nil {
			return err
		}
		stream, ctx := sse.Open(w, r)
		defer stream.Close()
		_ = follower.Run(ctx, func(event core.Event) error { return stream.Send(event.Seq, event) })
		return nil
	}
}

// requestedFollower is not inlined because a stream stays in the handler for hours, and
// each client keeps what is on the handler's stack.
func requestedFollower(followers *chat.Followers, r *rest.Request) (*chat.Follower, error) {
	project, query, id, err := chatQuery(r)
	if err != nil {
		return nil, err
	}
	after, err := query.Int("after", 0, 0, math.MaxInt)
	if err != nil {
		return nil, err
	}
	// A browser that reconnects repeats the URL and adds the last event's id.
	if seen, err := strconv.Atoi(r.Header.Get("Last-Event-ID")); err == nil {
		after = max(after, seen)
	}
	return followers.Follow(r.Context(), r.Actor, project, id, int64(after))
}

// streamEvents answers with events, or with the error that preceded the first.
func streamEvents(w http.ResponseWriter, r *rest.Request, produce func(emit func(core.Event) error) error) error {
	var stream *sse.Stream
	err := produce(func(event core.Event) error {
		if stream == nil {
			stream, _ = sse.Open(w, r)
		}
		return stream.Send(event.Seq, event)
	})
	if stream == nil {
		return err
	}
	// Later failures are events, or a client that is gone.
	stream.Close()
	return nil
}

// StopRun answers POST /chat/:projectId/stop.
func StopRun(runs *chat.Runs) rest.Handler {
	type request struct {
		ChatID string `json:"chatId"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		id, err := core.ParseID(body.ChatID)
		if err != nil {
			return err
		}
		if err := runs.Stop(r.Context(), r.Actor, project, id); err != nil {
			return err
		}
		w.WriteHeader(http.StatusAccepted)
		return nil
	})
}

// History answers GET /chat/:projectId/messages. nextCursor is the seq from which to
// continue: as before on a page of the newest events, as after on any other.
func History(chats *chat.Chats) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, query, id, err := chatQuery(r)
		if err != nil {
			return err
		}
		span, err := historySpan(query)
		if err != nil {
			return err
		}
		events, more, err := chats.History(r.Context(), r.Actor, project, id, span)
		if err != nil {
			return err
		}
		next := ""
		if more {
			edge := events[len(events)-1]
			if span.Newest {
				edge = events[0]
			}
			next = strconv.FormatInt(edge.Seq, 10)
		}
		return rest.WritePage(w, events, next)
	}
}

func historySpan(query rest.Query) (storage.EventRange, error) {
	limit, err := query.Int("limit", chat.DefaultHistoryLimit, 1, chat.MaxHistoryLimit)
	if err != nil {
		return storage.EventRange{}, err
	}
	after, err := query.Int("after", 0, 0, math.MaxInt)
	if err != nil {
		return storage.EventRange{}, err
	}
	before, err := query.Int("before", 0, 1, math.MaxInt)
	if err != nil {
		return storage.EventRange{}, err
	}
	_, forward := query["after"]
	return storage.EventRange{After: int64(after), Before: int64(before), Limit: limit, Newest: !forward}, nil
}

// chatQuery parses the query parameters that the GET routes of a chat share.
func chatQuery(r *rest.Request) (project core.ID, query rest.Query, id core.ID, err error) {
	if project, err = r.ID("projectId"); err != nil {
		return "", nil, "", err
	}
	if query, err = r.Query(); err != nil {
		return "", nil, "", err
	}
	if _, given := query["chatId"]; !given {
		return "", nil, "", core.Errorf(core.CodeInvalidRequest, "chatId is missing in the query")
	}
	id, err = query.ID("chatId")
	return project, query, id, err
}
