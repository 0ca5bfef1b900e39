package client

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

// pollEvery is how often an application's log is asked for what is new.
const pollEvery = 2 * time.Second

// logOptions are the flags of logs.
type logOptions struct {
	env      string
	last     int
	noFollow bool
	failed   bool
}

// logs follows what the preview says, and the requests and functions of the application.
func logs(flags *flag.FlagSet) action {
	var o logOptions
	flags.StringVar(&o.env, "env", "test", "the `environment` of the application: test, with the preview, or live")
	flags.IntVar(&o.last, "n", 20, "how many earlier lines of the application to show, at most 100")
	flags.BoolVar(&o.noFollow, "no-follow", false, "end after these lines")
	flags.BoolVar(&o.failed, "failed", false, "only what failed")
	return func(ctx context.Context, in *invocation, args []string) error {
		if o.env != "test" && o.env != "live" || o.last < 0 || o.last > pageSize {
			return wrongUse("--env is test or live, and -n at most %d", pageSize)
		}
		client, found, err := in.theProject(ctx, args)
		if err != nil {
			return err
		}
		view := &logView{in: in, client: client, project: found.ID, options: o, seen: map[string]bool{}}
		return view.run(ctx)
	}
}

// logView prints the logs of a project. It is safe for concurrent use.
type logView struct {
	in      *invocation
	client  *remote.Client
	project string
	options logOptions

	mu   sync.Mutex
	seen map[string]bool
}

// call is a request to an application, or a run of one of its functions.
type call struct {
	ID, Kind, Time, Method, Path, User, Error string
	Status, MS                                int
	Console                                   []struct{ Level, Text string }
}

func (v *logView) run(ctx context.Context) error {
	if err := v.poll(ctx, v.options.last); err != nil || v.options.noFollow {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	following := []func(context.Context) error{v.followCalls}
	if v.options.env == "test" {
		following = append(following, v.followPreview)
	}
	results := make(chan error, len(following))
	for _, follow := range following {
		go func() { results <- follow(ctx) }()
	}
	var failed error
	for range following {
		if err := <-results; failed == nil {
			failed = err
		}
		cancel()
	}
	return failed
}

// followCalls asks for new calls until ctx ends.
func (v *logView) followCalls(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
		if err := v.poll(ctx, pageSize); err != nil && !isPassing(err) {
			return err
		}
	}
}

// poll prints the newest calls that have not been seen, at most most of them.
func (v *logView) poll(ctx context.Context, most int) error {
	query := url.Values{"limit": {fmt.Sprint(pageSize)}}
	if v.options.failed {
		query.Set("failed", "true")
	}
	var page struct{ Items []json.RawMessage }
	if err := v.client.Get(ctx, "/projects/"+v.project+"/backend/"+v.options.env+"/logs?"+query.Encode(), &page); err != nil {
		return err
	}
	for i := len(page.Items) - 1; i >= 0; i-- {
		var one call
		if err := json.Unmarshal(page.Items[i], &one); err != nil {
			return err
		}
		if v.seen[one.ID] {
			continue
		}
		v.seen[one.ID] = true
		if i < most {
			v.print(v.options.env, page.Items[i], one.line())
		}
	}
	return nil
}

// line is a call for people.
func (c call) line() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %d %s %s %d ms", c.Time, c.Status, c.Method, c.Path, c.MS)
	if c.User != "" {
		fmt.Fprintf(&text, " %s", c.User)
	}
	for _, line := range c.Console {
		fmt.Fprintf(&text, "\n  %s: %s", line.Level, line.Text)
	}
	if c.Error != "" {
		fmt.Fprintf(&text, "\n  %s", strings.ReplaceAll(c.Error, "\n", "\n  "))
	}
	return text.String()
}

// followPreview prints what happens in the preview until ctx ends. The stream ends with the
// preview, which then starts again.
func (v *logView) followPreview(ctx context.Context) error {
	for {
		if _, err := v.client.Call(ctx, http.MethodPost, "/projects/"+v.project+"/preview", nil); err != nil && !isPassing(err) {
			return err
		}
		err := v.client.Stream(ctx, http.MethodGet, "/projects/"+v.project+"/preview/events", nil, func(event remote.Event) error {
			if line := previewLine(event); line != "" && (!v.options.failed || event.Type == "build.error") {
				v.print("preview", event.JSON, line)
			}
			return nil
		})
		if err != nil && !isPassing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// previewLine is an event of a preview for people.
func previewLine(event remote.Event) string {
	var e struct {
		URL, Status, Level, Text, Message string
		Diagnostics                       []remote.Diagnostic
	}
	if json.Unmarshal(event.JSON, &e) != nil {
		return ""
	}
	switch event.Type {
	case "preview.status":
		return "preview " + e.Status + " " + e.URL
	case "build.ok":
		return "build ok"
	case "build.error":
		lines := []string{"build failed"}
		for _, diagnostic := range e.Diagnostics {
			lines = append(lines, "  "+diagnostic.String())
		}
		return strings.Join(lines, "\n")
	case "console":
		return "console " + e.Level + ": " + e.Text + e.Message
	}
	return ""
}

// print prints one entry of a log.
func (v *logView) print(source string, event json.RawMessage, line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.in.json {
		text, _ := json.Marshal(map[string]any{"source": source, "event": event})
		fmt.Fprintf(v.in.Out, "%s\n", text)
		return
	}
	fmt.Fprintln(v.in.Out, clean(line))
}
