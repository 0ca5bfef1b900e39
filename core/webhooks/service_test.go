package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestAWebhookIsMadeChangedAndDeleted(t *testing.T) {
	x := newExchange(t)
	made := x.webhook(func(in *Input) {
		in.Events, in.Description = &[]core.WebhookEvent{core.WebhookCheckFailed, core.WebhookRunFinished, core.WebhookCheckFailed}, new(" Chat ")
		in.ProjectID, in.SetProject = &x.project.ID, true
	})
	if !strings.HasPrefix(made.Secret, "whsec_") || !slices.Equal(made.Events, []core.WebhookEvent{core.WebhookRunFinished, core.WebhookCheckFailed}) || made.Description != "Chat" || *made.ProjectID != x.project.ID || made.Disabled {
		t.Errorf("got %+v", made)
	}
	changed, err := x.Update(t.Context(), x.owner, x.space.ID, made.ID, Input{SetProject: true, Disabled: new(true)})
	if x.must(err); changed.ProjectID != nil || *changed.DisabledReason != core.WebhookStopPerson || changed.Secret != "" {
		t.Errorf("got %+v, want it of the workspace, and disabled", changed)
	}
	listed, err := x.List(t.Context(), x.owner, x.space.ID)
	if x.must(err); len(listed) != 1 || listed[0].Secret != "" {
		t.Errorf("got %+v, want one without its secret", listed)
	}
	stored, err := x.store.Tables().Webhooks.ByID(t.Context(), made.ID)
	if x.must(err); strings.Contains(string(stored.Sealed), made.Secret[len("whsec_"):]) {
		t.Error("the secret is stored as it is")
	}
	_, err = x.Rotate(t.Context(), x.owner, x.space.ID, made.ID)
	x.must(err)
	x.must(x.Delete(t.Context(), x.owner, x.space.ID, made.ID))
	_, err = x.Get(t.Context(), x.owner, x.space.ID, made.ID)
	x.wantCode(err, core.CodeNotFound)
	want := []core.AuditAction{core.AuditWebhookDeleted, core.AuditWebhookRotated, core.AuditWebhookUpdated, core.AuditWebhookCreated}
	if got := x.audited(); !sameActions(got, want) {
		t.Errorf("got the entries %q, want %q", got, want)
	}
}

// sameActions ignores the order: entries of one millisecond have none.
func sameActions(a, b []core.AuditAction) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func TestAWebhookOutOfBoundsIsRefused(t *testing.T) {
	x := newExchange(t)
	elsewhere := core.NewWorkspace("Other", false, nil, core.At(time.Now()))
	x.must(x.store.Tables().Workspaces.Create(t.Context(), elsewhere))
	foreign := x.newProject(elsewhere.ID)
	deleted := x.newProject(x.space.ID, func(p *core.Project) { p.DeletedAt = new(core.At(time.Now())) })
	made := x.newProject(x.space.ID, func(p *core.Project) { p.CopyOf = &x.project.ID })
	events := func(events ...core.WebhookEvent) func(*Input) { return func(in *Input) { in.Events = &events } }
	address := func(url string) func(*Input) { return func(in *Input) { in.URL = &url } }
	of := func(project core.ID) func(*Input) {
		return func(in *Input) {
			in.ProjectID, in.SetProject, in.Events = &project, true, &[]core.WebhookEvent{core.WebhookCheckFailed}
		}
	}
	for name, c := range map[string]struct {
		alter func(*Input)
		code  core.Code
	}{
		"no url":              {func(in *Input) { in.URL = nil }, core.CodeValidationFailed},
		"no events":           {func(in *Input) { in.Events = nil }, core.CodeValidationFailed},
		"an empty list":       {events(), core.CodeValidationFailed},
		"an unknown event":    {events("page.viewed"), core.CodeValidationFailed},
		"the test":            {events(core.WebhookTest), core.CodeValidationFailed},
		"no address":          {address(""), core.CodeValidationFailed},
		"a relative address":  {address("/hook"), core.CodeValidationFailed},
		"a fragment":          {address("https://receiver.example/#x"), core.CodeValidationFailed},
		"no TLS":              {address("http://receiver.example/"), core.CodeValidationFailed},
		"another scheme":      {address("file://receiver.example/etc/passwd"), core.CodeForbiddenAddress},
		"a password":          {address("https://a:b@receiver.example/"), core.CodeForbiddenAddress},
		"loopback":            {address("https://127.0.0.1/"), core.CodeForbiddenAddress},
		"a number for it":     {address("https://2130706433/"), core.CodeForbiddenAddress},
		"a private address":   {address("https://[fd00::1]/"), core.CodeForbiddenAddress},
		"the metadata":        {address("https://169.254.169.254/latest"), core.CodeForbiddenAddress},
		"a long address":      {address("https://receiver.example/" + strings.Repeat("x", core.MaxWebhookURLBytes)), core.CodeValidationFailed},
		"two lines":           {func(in *Input) { in.Description = new("a\nb") }, core.CodeValidationFailed},
		"a long description":  {func(in *Input) { in.Description = new(strings.Repeat("ä", core.MaxWebhookDescriptionChars+1)) }, core.CodeValidationFailed},
		"a foreign project":   {of(foreign.ID), core.CodeNotFound},
		"a deleted project":   {of(deleted.ID), core.CodeNotFound},
		"a working copy":      {of(made.ID), core.CodeNotFound},
		"no project":          {of("x"), core.CodeNotFound},
		"members of projects": {func(in *Input) { of(x.project.ID)(in); events(core.WebhookMemberChanged)(in) }, core.CodeValidationFailed},
	} {
		input := Input{URL: new("https://receiver.example/"), Events: new(core.WebhookEvents())}
		c.alter(&input)
		_, err := x.Create(t.Context(), x.owner, x.space.ID, input)
		if !core.IsCode(err, c.code) {
			t.Errorf("%s: got %v, want code %s", name, err, c.code)
		}
	}
	for range core.MaxWebhooks {
		x.webhook()
	}
	_, err := x.Create(t.Context(), x.owner, x.space.ID, Input{URL: new("https://receiver.example/"), Events: new(core.WebhookEvents())})
	x.wantCode(err, core.CodeConflict)
	x.guard.AllowPrivate()
	first, err := x.List(t.Context(), x.owner, x.space.ID)
	x.must(err)
	_, err = x.Update(t.Context(), x.owner, x.space.ID, first[0].ID, Input{URL: new("http://127.0.0.1:8080/hook")})
	x.must(err)
}

func TestWebhooksAreForAdmins(t *testing.T) {
	x := newExchange(t)
	webhook := x.webhook()
	calls := func(by core.Actor, workspace, id core.ID) map[string]error {
		found := map[string]error{}
		_, found["list"] = x.List(t.Context(), by, workspace)
		_, found["get"] = x.Get(t.Context(), by, workspace, id)
		_, found["create"] = x.Create(t.Context(), by, workspace, Input{URL: new("https://receiver.example/"), Events: new(core.WebhookEvents())})
		_, found["update"] = x.Update(t.Context(), by, workspace, id, Input{})
		_, found["rotate"] = x.Rotate(t.Context(), by, workspace, id)
		_, found["test"] = x.Test(t.Context(), by, workspace, id)
		_, found["deliveries"] = x.Deliveries(t.Context(), by, workspace, id, core.Page{Limit: 1})
		_, found["redeliver"] = x.Redeliver(t.Context(), by, workspace, id, core.NewID())
		found["delete"] = x.Delete(t.Context(), by, workspace, id)
		return found
	}
	for name, err := range calls(x.member, x.space.ID, webhook.ID) {
		if !core.IsCode(err, core.CodeForbidden) {
			t.Errorf("%s by a member: got %v, want code forbidden", name, err)
		}
	}
	for name, err := range calls(core.Actor{UserID: core.NewID()}, x.space.ID, webhook.ID) {
		if !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s by a stranger: got %v, want code not_found", name, err)
		}
	}
	other := newExchange(t)
	x.must(x.store.Tables().Workspaces.Create(t.Context(), other.space))
	x.must(x.store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: other.space.ID, UserID: x.member.UserID, Role: core.RoleOwner}))
	for name, err := range calls(x.member, other.space.ID, webhook.ID) {
		if free := name == "list" || name == "create"; !free && !core.IsCode(err, core.CodeNotFound) || free && err != nil {
			t.Errorf("%s of another workspace's webhook: got %v", name, err)
		}
	}
}

func TestOnlyWebhooksThatWantAnEventAreSentIt(t *testing.T) {
	x := newExchange(t)
	second := x.newProject(x.space.ID)
	made := x.newProject(x.space.ID, func(p *core.Project) { p.CopyOf = &x.project.ID })
	all := x.webhook()
	ofProject := x.webhook(func(in *Input) {
		in.ProjectID, in.SetProject, in.Events = &x.project.ID, true, &[]core.WebhookEvent{core.WebhookVersionCreated, core.WebhookRunFinished}
	})
	version := core.Version{ID: "abc", Message: "Title\nMore", Author: core.Author{Kind: core.AuthorUser, Name: "Ada"}, FilesChanged: 2}
	run := core.Run{ID: core.NewID(), ChatID: core.NewID(), ProjectID: x.project.ID, UserID: x.owner.UserID}
	inCopy := run
	inCopy.ProjectID = made.ID
	x.happen(
		x.joined(),
		VersionCreated(x.project.ID, version, version.ChatID), VersionCreated(second.ID, version, version.ChatID), VersionCreated(made.ID, version, version.ChatID), VersionCreated(core.NewID(), version, version.ChatID),
		RunFinished(run, []core.Payload{core.VersionCreated{VersionID: "abc", FilesChanged: 2}, core.TaskComplete{Reason: core.ReasonDone}}),
		RunFinished(inCopy, []core.Payload{core.SessionError{Error: core.CodeModelUnavailable, Message: "private"}}),
		CheckFailed(core.CheckOutcome{ProjectID: x.project.ID, Name: "login", Step: 2, Message: "private"}, "Log in"),
		FindingCreated(x.project.ID, core.Finding{ID: "f", Collection: "notes", Action: core.AttackList, As: core.AttackGuest, Severity: core.FindingHigh, Records: 3, Text: "private"}),
		Published(core.Deployment{ID: "d", ProjectID: x.project.ID, URL: "https://shop.example", VersionID: "abc"}, x.owner.UserID, true),
	)
	place := `"workspaceId":"` + string(x.space.ID) + `","projectId":"` + string(x.project.ID) + `",`
	who := `"chatId":"` + string(run.ChatID) + `","runId":"` + string(run.ID) + `","userId":"` + string(x.owner.UserID) + `",`
	want := map[core.WebhookEvent][]string{
		core.WebhookRunFinished: {
			`{` + place + who + `"outcome":"done","versionId":"abc","filesChanged":2}`,
			`{` + place + who + `"outcome":"failed","error":"model_unavailable","filesChanged":0,"copyId":"` + string(made.ID) + `"}`,
		},
		core.WebhookVersionCreated: {`{` + place + `"versionId":"abc","title":"Title","author":"user","filesChanged":2}`},
	}
	for event, bodies := range want {
		if got := x.bodies(ofProject.ID, event); !slices.Equal(got, slices.Sorted(slices.Values(bodies))) {
			t.Errorf("%s: got %q, want %q", event, got, bodies)
		}
	}
	for event, count := range map[core.WebhookEvent]int{
		core.WebhookMemberChanged: 1, core.WebhookVersionCreated: 2, core.WebhookRunFinished: 2, core.WebhookCheckFailed: 1, core.WebhookFindingCreated: 1, core.WebhookPublished: 1,
	} {
		if got := x.bodies(all.ID, event); len(got) != count {
			t.Errorf("%s: got %q, want %d", event, got, count)
		}
	}
	for _, entry := range x.deliveries(all.ID) {
		if strings.Contains(string(entry.Payload), "private") || strings.Contains(string(entry.Payload), "@") {
			t.Errorf("got %s, want ids and short facts only", entry.Payload)
		}
	}
	if got := len(x.deliveries(ofProject.ID)); got != 3 {
		t.Errorf("got %d deliveries of a project's webhook, want 3", got)
	}
}

// bodies are the data of the deliveries of an event, sorted.
func (x *exchange) bodies(webhook core.ID, event core.WebhookEvent) (found []string) {
	x.t.Helper()
	for _, entry := range x.deliveries(webhook) {
		var body struct {
			Type core.WebhookEvent
			Data json.RawMessage
		}
		x.must(json.Unmarshal(entry.Payload, &body))
		if body.Type == event {
			found = append(found, string(body.Data))
		}
	}
	return slices.Sorted(slices.Values(found))
}

func TestAnEventGoesWithItsTransaction(t *testing.T) {
	x := newExchange(t)
	webhook := x.webhook()
	stop := errors.New("stop")
	err := x.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		if err := x.Queue.Add(ctx, tables, x.joined()); err != nil {
			return err
		}
		return stop
	})
	if got := x.deliveries(webhook.ID); !errors.Is(err, stop) || len(got) != 0 {
		t.Errorf("got %+v, %v, want nothing of what was rolled back", got, err)
	}
	x.Queue.Tell(t.Context(), VersionCreated(x.project.ID, core.Version{ID: "abc"}, nil))
	if got := x.deliveries(webhook.ID); len(got) != 1 {
		t.Errorf("got %+v, want what happened outside of the database", got)
	}
	var none *Queue
	none.Tell(t.Context(), x.joined())
	none.Wake()
	x.must(none.Add(t.Context(), storage.Tables{}, x.joined()))
}

func TestADeliveryThatIsStillTriedIsNotRepeated(t *testing.T) {
	x := newExchange(t)
	webhook, other := x.webhook(), x.webhook()
	sent, err := x.Test(t.Context(), x.owner, x.space.ID, webhook.ID)
	if x.must(err); sent.State != core.DeliveryPending || sent.Type != core.WebhookTest {
		t.Errorf("got %+v, want a test on its way", sent)
	}
	_, err = x.Redeliver(t.Context(), x.owner, x.space.ID, webhook.ID, sent.ID)
	x.wantCode(err, core.CodeConflict)
	_, err = x.Redeliver(t.Context(), x.owner, x.space.ID, other.ID, sent.ID)
	x.wantCode(err, core.CodeNotFound)
	_, err = x.Redeliver(t.Context(), x.owner, x.space.ID, webhook.ID, core.NewID())
	x.wantCode(err, core.CodeNotFound)
}
