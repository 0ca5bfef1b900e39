// Command demo walks through the main job of Atelier over real HTTP and prints each step:
// from signing up to finding the agent's change in the published page, inviting a second
// person, and a guestbook with data of its own. It needs only a running service.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// timeout bounds the whole walk. A local model on a slow machine takes minutes.
const timeout = 15 * time.Minute

// heading is what the agent is asked to put on the page, and what is searched for in the
// published one.
const heading = "Built with Atelier"

func main() {
	address := flag.String("url", "http://localhost:8080", "the service's address")
	outbox := flag.String("outbox", "data/outbox", "the folder in which the service leaves its mails")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if _, err := walk(ctx, newClient(*address), *outbox); err != nil {
		fmt.Fprintf(os.Stderr, "\nThe walk ended early: %v\n", err)
		os.Exit(1)
	}
}

// walk is the main job, one step in each line. It returns the addresses that it printed.
func walk(ctx context.Context, c *client, outbox string) (*walker, error) {
	w := &walker{client: c, ctx: ctx, outbox: outbox}
	steps := []struct {
		title string
		run   func() error
	}{
		{"Sign up", w.signUp},
		{"Create a project from the template todo-app", w.createProject},
		{"Ask the agent for a change and watch it work", w.askAgent},
		{"See the file that it changed", w.seeFile},
		{"See the version that came of it", w.seeVersion},
		{"Open the live preview", w.openPreview},
		{"Publish", w.publish},
		{"Fetch the published page and find the change in it", w.visit},
		{"Invite a second person by mail", w.invite},
		{"See what that person may not do", w.tryAsGuest},
		{"Open the preview once more", w.openPreview},
		{"Build a guestbook with a backend", w.walkGuestbook},
	}
	for i, step := range steps {
		fmt.Printf("\n%d. %s\n", i+1, step.title)
		if err := step.run(); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.ToLower(step.title[:1])+step.title[1:], err)
		}
	}
	fmt.Printf("\nDone. Open in a browser:\n   your page     %s\n   its preview   %s\n", w.site, w.preview)
	return w, nil
}
