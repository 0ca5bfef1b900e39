package workspaces

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func webhookClauses() []clause {
	return []clause{
		{"a webhook comes back as it was stored", webhookComesBack},
		{"a webhook that is not there is not found", webhookNotFound},
		{"webhooks are listed by age, each workspace's own", webhooksByAge},
		{"an update of a webhook keeps what cannot change", webhookUpdate},
		{"webhooks go with their workspace", webhooksOfWorkspace},
		{"webhooks go with their project", webhooksOfProject},
		{"webhooks go in and come out as copies", webhookCopies},
		{"no call on webhooks outlives its context", webhooksEnded},
	}
}

func (s testCase) newWebhook(workspace core.ID) core.Webhook {
	at := s.Now()
	return core.Webhook{
		ID: core.NewID(), WorkspaceID: workspace, URL: "https://example.com/hook", Events: core.WebhookEvents(),
		Sealed: []byte("sealed"), CreatedBy: core.NewID(), CreatedAt: at, UpdatedAt: at,
	}
}

func (s testCase) webhook(workspace core.ID, alter ...func(*core.Webhook)) core.Webhook {
	s.Helper()
	webhook := s.newWebhook(workspace)
	for _, alter := range alter {
		alter(&webhook)
	}
	s.Must(s.Webhooks.Create(s.Context(), webhook))
	return webhook
}

func ofProject(project core.ID) func(*core.Webhook) {
	return func(w *core.Webhook) { w.ProjectID = &project }
}

func webhookComesBack(s testCase) {
	workspace := s.Workspace()
	project := s.Project(workspace.ID)
	full := s.newWebhook(workspace.ID)
	full.ProjectID, full.Description, full.Stopped = &project.ID, `Chat "\ it's % 東京`, core.WebhookStopGone
	full.Events = []core.WebhookEvent{core.WebhookCheckFailed}
	full.Sealed, full.SealedFormer, full.FormerUntil, full.FailingSince = []byte("\x00\xff'"), []byte("\x00\x01"), s.Now(), s.Now()
	for _, webhook := range []core.Webhook{full, s.newWebhook(workspace.ID)} {
		s.Must(s.Webhooks.Create(s.Context(), webhook))
		got, err := s.Webhooks.ByID(s.Context(), webhook.ID)
		s.Want(got, err, webhook)
		s.WantCode(s.Webhooks.Create(s.Context(), webhook), core.CodeConflict)
	}
	for _, text := range fixture.Unstorable() {
		wrong := s.newWebhook(workspace.ID)
		wrong.Description = text
		s.WantCode(s.Webhooks.Create(s.Context(), wrong), core.CodeValidationFailed)
	}
	s.WantCode(s.Webhooks.Create(s.Context(), s.newWebhook(core.NewID())), core.CodeNotFound)
	nowhere := s.newWebhook(workspace.ID)
	ofProject(core.NewID())(&nowhere)
	s.WantCode(s.Webhooks.Create(s.Context(), nowhere), core.CodeNotFound)
}

func webhookNotFound(s testCase) {
	s.webhook(s.Workspace().ID)
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		id := core.ID(text)
		_, err := s.Webhooks.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Webhooks.Update(s.Context(), id, func(*core.Webhook) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Webhooks.Delete(s.Context(), id), core.CodeNotFound)
		all, err := s.Webhooks.List(s.Context(), id)
		s.Want(len(all), err, 0)
	}
}

func webhooksByAge(s testCase) {
	workspace := s.Workspace()
	late := s.webhook(workspace.ID, func(w *core.Webhook) { w.CreatedAt += 2 })
	early := s.webhook(workspace.ID)
	s.webhook(s.Workspace().ID)
	got, err := s.Webhooks.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Webhook{early, late})
	s.Must(s.Webhooks.Delete(s.Context(), early.ID))
	got, err = s.Webhooks.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Webhook{late})
}

func webhookUpdate(s testCase) {
	webhook := s.webhook(s.Workspace().ID)
	want := webhook
	want.URL, want.Stopped, want.UpdatedAt = "https://example.com/other", core.WebhookStopPerson, s.Now()
	got, err := s.Webhooks.Update(s.Context(), webhook.ID, func(stored *core.Webhook) error {
		s.Want(*stored, nil, webhook)
		*stored = want
		stored.ID, stored.WorkspaceID, stored.CreatedBy, stored.CreatedAt = core.NewID(), core.NewID(), core.NewID(), 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.Webhooks.Update(s.Context(), webhook.ID, func(stored *core.Webhook) error { stored.URL = "lost"; return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.Webhooks.Update(s.Context(), webhook.ID, func(stored *core.Webhook) error { stored.URL = fixture.Unstorable()[0]; return nil })
	s.WantCode(err, core.CodeValidationFailed)
	got, err = s.Webhooks.ByID(s.Context(), webhook.ID)
	s.Want(got, err, want)
}

func webhooksOfWorkspace(s testCase) {
	doomed, kept := s.webhook(s.Workspace().ID), s.webhook(s.Workspace().ID)
	gone, there := s.delivery(doomed.ID), s.delivery(kept.ID)
	s.Must(s.Workspaces.Delete(s.Context(), doomed.WorkspaceID))
	_, err := s.Webhooks.ByID(s.Context(), doomed.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.WebhookDeliveries.ByID(s.Context(), gone.ID)
	s.WantCode(err, core.CodeNotFound)
	got, err := s.WebhookDeliveries.ByID(s.Context(), there.ID)
	s.Want(got, err, there)
}

func webhooksOfProject(s testCase) {
	workspace := s.Workspace()
	project := s.Project(workspace.ID)
	doomed, kept := s.webhook(workspace.ID, ofProject(project.ID)), s.webhook(workspace.ID)
	gone := s.delivery(doomed.ID)
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	got, err := s.Webhooks.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Webhook{kept})
	_, err = s.WebhookDeliveries.ByID(s.Context(), gone.ID)
	s.WantCode(err, core.CodeNotFound)
}

func webhookCopies(s testCase) {
	workspace := s.Workspace()
	project, events := s.Project(workspace.ID).ID, []core.WebhookEvent{core.WebhookCheckFailed}
	webhook := s.webhook(workspace.ID, func(w *core.Webhook) { w.ProjectID, w.Events = new(project), events })
	events[0], webhook.Sealed[0], *webhook.ProjectID = "changed", 'x', "changed"
	for range 2 {
		got, err := s.Webhooks.ByID(s.Context(), webhook.ID)
		s.Want(string(got.Events[0])+string(got.Sealed)+string(*got.ProjectID), err, string(core.WebhookCheckFailed)+"sealed"+string(project))
		got.Events[0], got.Sealed[0], *got.ProjectID = "changed", 'x', "changed"
	}
}

func webhooksEnded(s testCase) {
	webhook := s.webhook(s.Workspace().ID)
	ended := s.Ended()
	s.WantCode(s.Webhooks.Create(ended, s.newWebhook(webhook.WorkspaceID)), core.CodeUnavailable)
	_, err := s.Webhooks.ByID(ended, webhook.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Webhooks.List(ended, webhook.WorkspaceID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Webhooks.Update(ended, webhook.ID, func(*core.Webhook) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Webhooks.Delete(ended, webhook.ID), core.CodeUnavailable)
}
