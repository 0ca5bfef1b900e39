package client

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

const (
	// mostReconnects is how often in a row a stream that breaks is asked for again.
	mostReconnects = 8
	// firstPause is the pause before the first of these, which doubles each time.
	firstPause = 250 * time.Millisecond
	// stopTime bounds how long an interrupted command waits for its run to be stopped.
	stopTime = 10 * time.Second
)

// sendOptions are the flags of send.
type sendOptions struct {
	chat, model string
	noWait      bool
	plan        bool
}

// send gives the agent a message and shows what it does until the run ends.
func send(flags *flag.FlagSet) action {
	var o sendOptions
	flags.StringVar(&o.chat, "chat", "", "the `chat`: a title or an id; without it, the project's default chat")
	flags.StringVar(&o.model, "model", "", "the `model` that answers")
	flags.BoolVar(&o.noWait, "no-wait", false, "do not wait for the run, which goes on by itself")
	flags.BoolVar(&o.plan, "plan", false, "ask for a plan; nothing is changed")
	return func(ctx context.Context, in *invocation, args []string) error {
		text, err := in.text(args)
		if err != nil {
			return err
		}
		client, found, err := in.theProject(ctx, nil)
		if err != nil {
			return err
		}
		id, err := findChat(ctx, client, found, o.chat)
		if err != nil {
			return err
		}
		body := map[string]any{"chatId": id, "text": text, "detach": true}
		if o.model != "" {
			body["model"] = o.model
		}
		run := &followedRun{in: in, client: client, project: found.ID, chat: id, noWait: o.noWait}
		path := "/chat/" + found.ID + "/messages"
		if o.plan {
			path = "/plan/" + found.ID
		}
		return run.follow(ctx, path, body)
	}
}

// text is the message: the argument, or the input for "-" or without an argument.
func (in *invocation) text(args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		return args[0], nil
	}
	if len(args) == 0 && isTerminal(in.In) {
		return "", wrongUse("say something: atelier send TEXT")
	}
	text, err := io.ReadAll(in.input)
	if err == nil && strings.TrimSpace(string(text)) == "" {
		err = wrongUse("the message is empty")
	}
	return string(text), err
}

// findChat returns the id of a chat by its title or id, that of the default chat for "".
func findChat(ctx context.Context, client *remote.Client, of project, name string) (string, error) {
	var listed struct {
		Items []struct {
			ID, Title string
			IsDefault bool
		}
	}
	if err := client.Get(ctx, "/projects/"+of.ID+"/chats", &listed); err != nil {
		return "", err
	}
	for _, chat := range listed.Items {
		if name == "" && chat.IsDefault || name != "" && (chat.ID == name || strings.EqualFold(chat.Title, name)) {
			return chat.ID, nil
		}
	}
	if name == "" && len(listed.Items) > 0 {
		return listed.Items[0].ID, nil
	}
	return "", &fault{Code: "not_found", Message: fmt.Sprintf("the project has no chat %q", name), Exit: exitNotFound}
}

// followedRun is a run of the agent that is being shown.
type followedRun struct {
	in            *invocation
	client        *remote.Client
	project, chat string
	noWait        bool

	// seen is the number of the last event, ended says that it was the run's last.
	seen  int64
	ended bool
	// inText says that the last thing shown was text without a line break; hasText that the
	// present answer has been shown in pieces.
	inText, hasText bool
}

// errEnough ends a stream from this side.
var errEnough = errors.New("enough")

// follow sends the message and shows events until the run's last. A connection that breaks is
// made anew; the run does not depend on it. When ctx ends, the run is stopped.
func (r *followedRun) follow(ctx context.Context, path string, body any) error {
	err := r.client.Stream(ctx, http.MethodPost, path, body, r.show)
	for pause, attempts := firstPause, 0; r.seen > 0 && !r.ended && !r.noWait && (err == nil || isBroken(err)) && attempts < mostReconnects; attempts++ {
		if attempts > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			pause *= 2
		}
		before := r.seen
		err = r.client.Stream(ctx, http.MethodGet, fmt.Sprintf("/chat/%s/stream?chatId=%s&after=%d", r.project, r.chat, r.seen), nil, r.show)
		if r.seen > before {
			pause, attempts = firstPause, 0
		}
	}
	r.breakLine()
	switch {
	case errors.Is(err, errEnough) && r.noWait && r.seen > 0:
		r.in.note("The agent works on it: atelier open")
		return nil
	case ctx.Err() != nil && r.seen > 0 && !r.ended:
		return r.stop(ctx)
	case err != nil && !errors.Is(err, errEnough):
		return err
	case !r.ended:
		return &fault{Code: "interrupted", Message: "the installation no longer tells how the run goes", Next: "look at the chat in the studio: atelier open", Exit: exitUnavailable}
	}
	return nil
}

// isBroken reports whether a stream ended because of the connection.
func isBroken(err error) bool {
	var failure *remote.Failure
	return errors.As(err, &failure) && failure.Code == remote.CodeUnreachable
}

// isPassing reports whether a call may succeed in a while: the connection is gone, or the
// service is busy.
func isPassing(err error) bool {
	var failure *remote.Failure
	return errors.As(err, &failure) && (failure.Code == remote.CodeUnreachable || failure.Status == http.StatusTooManyRequests || failure.Status >= http.StatusInternalServerError)
}

// stop stops the run of a command that was interrupted.
func (r *followedRun) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	_, err := r.client.Call(ctx, http.MethodPost, "/chat/"+r.project+"/stop", map[string]string{"chatId": r.chat})
	if err != nil {
		return &fault{Code: "interrupted", Message: "interrupted, but the run could not be stopped: " + err.Error(), Next: "stop it in the studio: atelier open", Exit: exitInterrupted}
	}
	return &fault{Code: "interrupted", Message: "interrupted: the run is stopped, what it changed so far is kept", Exit: exitInterrupted}
}

// chatEvent has what is shown of the events of a chat.
type chatEvent struct {
	Delta, Text, Tool, Path, Action, Error, Message, Reason string
	VersionID                                               string
	FilesChanged                                            int
	Args                                                    map[string]json.RawMessage
}

// show shows one event.
func (r *followedRun) show(event remote.Event) error {
	if event.Seq != 0 && event.Seq <= r.seen {
		return nil
	}
	r.seen = max(r.seen, event.Seq)
	var e chatEvent
	if err := json.Unmarshal(event.JSON, &e); err != nil {
		return err
	}
	if r.in.json {
		fmt.Fprintf(r.in.Out, "%s\n", event.JSON)
	} else if !r.noWait {
		r.describe(event.Type, e)
	}
	switch event.Type {
	case "session.task_complete":
		r.ended = true
		if e.Reason != "done" {
			return &fault{Code: e.Reason, Message: "the run ended before it was done: " + e.Reason, Exit: exitUnfinished}
		}
		return errEnough
	case "session.error":
		r.ended = true
		return &fault{Code: e.Error, Message: e.Message, Exit: exitUnfinished}
	}
	if r.noWait {
		return errEnough
	}
	return nil
}

// describe shows an event to people: the answer on stdout, the rest on stderr.
func (r *followedRun) describe(kind string, e chatEvent) {
	switch kind {
	case "assistant.message_delta":
		fmt.Fprintf(r.in.Out, "%s", clean(e.Delta))
		r.inText, r.hasText = !strings.HasSuffix(e.Delta, "\n"), true
	case "assistant.message":
		if !r.hasText && e.Text != "" {
			fmt.Fprintln(r.in.Out, clean(e.Text))
		}
		r.breakLine()
		r.hasText = false
	case "tool.call":
		r.aside("· %s%s", e.Tool, subject(e.Args))
	case "tool.error":
		r.aside("! %s", e.Error)
	case "version.created":
		r.aside("Version %.10s, %d changed", e.VersionID, e.FilesChanged)
	}
}

// aside is a line beside the answer.
func (r *followedRun) aside(format string, arguments ...any) {
	r.breakLine()
	line, _, _ := strings.Cut(fmt.Sprintf(format, arguments...), "\n")
	fmt.Fprintln(r.in.Errs, clean(line))
}

// breakLine ends a line of text.
func (r *followedRun) breakLine() {
	if r.inText {
		fmt.Fprintln(r.in.Out)
		r.inText = false
	}
}

// subject is what a tool is called for: a file, a command or a search.
func subject(args map[string]json.RawMessage) string {
	for _, name := range []string{"path", "command", "query", "from", "url"} {
		var text string
		if json.Unmarshal(args[name], &text) == nil && text != "" {
			return " " + text
		}
	}
	return ""
}
