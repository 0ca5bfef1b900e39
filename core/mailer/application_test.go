package mailer

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// TestApplicationsAreBoundedByAllWhoPay sends mails to many strangers, spread over projects,
// workspaces, and owners, until one of the bounds is met. None of them can be got around by what
// the others count.
func TestApplicationsAreBoundedByAllWhoPay(t *testing.T) {
	const allowance = 2 * MaxDailyOwnerMails
	for name, c := range map[string]struct {
		// spread says for the nth mail which project, workspace and owner pays.
		spread func(n int) (project, workspace, owner int)
		most   int
		why    string
	}{
		"one project":        {func(int) (int, int, int) { return 0, 0, 0 }, MaxDailyProject, "an application can send"},
		"one workspace":      {func(n int) (int, int, int) { return n, 0, n }, MaxDailyWorkspaceMails, "the applications of a workspace"},
		"one person":         {func(n int) (int, int, int) { return n, n, 0 }, MaxDailyOwnerMails, "the applications of a person"},
		"one installation":   {func(n int) (int, int, int) { return n, n, n }, allowance, "the applications of this installation"},
		"projects of a team": {func(n int) (int, int, int) { return n % 3, 0, 0 }, MaxDailyWorkspaceMails, "the applications of a workspace"},
	} {
		o, sent := newOffice(t), 0
		var err error
		for n := range 3 * allowance {
			project, workspace, owner := c.spread(n)
			err = o.application(ApplicationMail{
				Project: idOf("project", project), Workspace: idOf("workspace", workspace), Owners: []core.ID{idOf("owner", owner), idOf("other owner", n)},
				Name: "Tea", Address: "https://tea.example", To: fmt.Sprintf("stranger%d@example.com", n), Subject: "s", Text: "t",
			}, allowance)
			if err != nil {
				break
			}
			sent++
		}
		if sent != c.most || !core.IsCode(err, core.CodeRateLimited) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %d mails were sent, and then %v; want %d", name, sent, err, c.most)
		}
		if counted, err := o.queue.SentToday(t.Context(), o.store.Tables()); err != nil || counted != sent {
			t.Errorf("%s: %d, %v mails are counted, want %d", name, counted, err, sent)
		}
	}
}

func idOf(kind string, n int) core.ID { return core.ID(fmt.Sprintf("%s %d", kind, n)) }

// application queues a mail of an application.
func (o *office) application(mail ApplicationMail, allowance Allowance) error {
	return o.store.InTx(o.t.Context(), func(ctx context.Context, tables storage.Tables) error {
		return o.queue.Application(ctx, tables, mail, allowance)
	})
}

// TestAMailOfAnApplicationSaysWhose has texts that would hide it, or pretend to be the service.
func TestAMailOfAnApplicationSaysWhose(t *testing.T) {
	for name, from := range map[string]ApplicationMail{
		"plain text":             {Name: "Tea", Text: "Hello"},
		"HTML":                   {Name: "Tea", Text: "Hello", HTML: "<p>Hello</p>"},
		"an open comment":        {Name: "Tea", HTML: "<p>Hello</p><!--"},
		"an open attribute":      {Name: "Tea", HTML: `<p>Hello</p><a href="`},
		"an open style":          {Name: "Tea", HTML: "<p>Hello</p><style>"},
		"an open script":         {Name: "Tea", HTML: "<p>Hello</p><script>"},
		"a style for everything": {Name: "Tea", HTML: "<style>*{display:none!important}</style>"},
		"a name with an address": {Name: "https://bank.example", HTML: "<p>x</p>"},
		"a name with lines":      {Name: "Tea\r\nBcc: x", HTML: "<p>x</p>"},
		"a name with markup":     {Name: "<b>Tea", HTML: "<p>x</p>"},
		"no name":                {HTML: "<p>x</p>"},
	} {
		from.To, from.Subject, from.Address = "ada@example.com", "Your account is locked", "https://tea.sites.example"
		message, err := applicationMail(core.NewID(), origin, from)
		if err != nil || message.Check() != nil {
			t.Fatalf("%s: %v, %v", name, err, message.Check())
		}
		if message.Application == "" || strings.Contains(message.Application, "bank") {
			t.Errorf("%s: the application is called %q", name, message.Application)
		}
		for _, want := range []string{from.Address, origin, "reply to this mail", "not by the service itself"} {
			if !strings.Contains(message.Text, want) || from.HTML != "" && !strings.Contains(afterOpen(message.HTML), want) {
				t.Errorf("%s: got %q and %q, want %q in both", name, message.Text, message.HTML, want)
			}
		}
	}
}

// afterOpen returns what is left of a page behind everything that an application may have opened.
func afterOpen(page string) string {
	_, rest, _ := strings.Cut(page, closing)
	return rest
}
