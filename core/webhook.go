package core

import "slices"

// WebhookEvent is a kind of event that webhooks tell of.
type WebhookEvent string

// The kinds of events.
const (
	WebhookRunFinished    WebhookEvent = "run.finished"
	WebhookVersionCreated WebhookEvent = "version.created"
	WebhookPublished      WebhookEvent = "deployment.published"
	WebhookCheckFailed    WebhookEvent = "check.failed"
	WebhookFindingCreated WebhookEvent = "finding.created"
	WebhookCommentCreated WebhookEvent = "comment.created"
	WebhookMemberChanged  WebhookEvent = "member.changed"
	// WebhookTest is for people who try a webhook; nobody subscribes to it.
	WebhookTest WebhookEvent = "webhook.test"
)

// WebhookEvents returns the kinds that a webhook can subscribe to.
func WebhookEvents() []WebhookEvent {
	return []WebhookEvent{WebhookRunFinished, WebhookVersionCreated, WebhookPublished, WebhookCheckFailed, WebhookFindingCreated, WebhookCommentCreated, WebhookMemberChanged}
}

// Limits of webhooks.
const (
	// MaxWebhooks bounds the webhooks of a workspace.
	MaxWebhooks                = 20
	MaxWebhookURLBytes         = 2048
	MaxWebhookDescriptionChars = 200
)

// WebhookStop says why a webhook is disabled.
type WebhookStop string

// The reasons. "" is that of a webhook in use.
const (
	// WebhookStopPerson: an admin disabled it.
	WebhookStopPerson WebhookStop = "person"
	// WebhookStopGone: its address answered 410.
	WebhookStopGone WebhookStop = "gone"
	// WebhookStopFailing: nothing could be delivered for three days.
	WebhookStopFailing WebhookStop = "failing"
)

// Webhook is an address of another program, to which events of a workspace are sent.
type Webhook struct {
	ID          ID
	WorkspaceID ID
	// ProjectID is the only project whose events are sent; nil for all of the workspace.
	ProjectID   *ID
	URL         string
	Description string
	Events      []WebhookEvent
	// Stopped is "" for a webhook in use.
	Stopped WebhookStop
	// Sealed is the sealed key of the signatures, bound to the context "webhook <ID>".
	Sealed []byte
	// SealedFormer is the key before the last rotation, which signs as well until FormerUntil.
	SealedFormer []byte
	FormerUntil  Time
	// FailingSince is the first failed attempt since the last delivery; 0 without one.
	FailingSince Time
	CreatedBy    ID
	CreatedAt    Time
	UpdatedAt    Time
}

// Wants reports whether the webhook is sent an event of a project, "" for one of the workspace.
func (w Webhook) Wants(event WebhookEvent, project ID) bool {
	return w.Stopped == "" && slices.Contains(w.Events, event) && (w.ProjectID == nil || *w.ProjectID == project)
}

// Disable disables the webhook for a person, or enables it and forgets its failures.
func (w *Webhook) Disable(disabled bool) {
	switch {
	case !disabled:
		w.Stopped, w.FailingSince = "", 0
	case w.Stopped == "":
		w.Stopped = WebhookStopPerson
	}
}

// DeliveryState says what became of a delivery.
type DeliveryState string

// The states. A pending delivery is tried until it is one of the others.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
)

// DeliveryProblem says why an attempt failed. "" is success.
type DeliveryProblem string

// The problems.
const (
	// DeliveryRefused: the answer's status was not 2xx. DeliveryRedirected: it was a redirect, which is
	// not followed.
	DeliveryRefused    DeliveryProblem = "refused"
	DeliveryRedirected DeliveryProblem = "redirected"
	// DeliveryTimeout: there was no whole answer in time. DeliveryBrokenOff: the answer broke off.
	DeliveryTimeout   DeliveryProblem = "timeout"
	DeliveryBrokenOff DeliveryProblem = "broken_off"
	// DeliveryForbidden: the address may not be reached.
	DeliveryForbidden DeliveryProblem = "forbidden_address"
	// DeliveryNoHost: the host name was not found. DeliveryUnreachable: nobody answers.
	DeliveryNoHost      DeliveryProblem = "unknown_host"
	DeliveryUnreachable DeliveryProblem = "unreachable"
	// DeliveryCertificate: the certificate is not valid. DeliveryTLS: TLS failed otherwise.
	DeliveryCertificate DeliveryProblem = "certificate"
	DeliveryTLS         DeliveryProblem = "tls"
	// DeliveryDisabled: the webhook was disabled meanwhile.
	DeliveryDisabled DeliveryProblem = "disabled"
)

// WebhookDelivery is an event on its way to one webhook, and the log of that.
type WebhookDelivery struct {
	ID        ID
	WebhookID ID
	// MessageID is the webhook-id that receivers see: the same for every attempt and redelivery of
	// an event.
	MessageID ID
	Event     WebhookEvent
	// Payload is the body that is sent, a JSON object.
	Payload string
	State   DeliveryState
	// Attempts counts how often sending has been tried.
	Attempts int
	// DueAt is when to try (again); 0 once the delivery is over.
	DueAt Time
	// ExpiresAt is when the last attempt is over.
	ExpiresAt Time
	// The last attempt: when it began, how long it took, the status of its answer (0 without one),
	// the beginning of the answer's body, and why it failed.
	AttemptedAt Time
	Millis      int64
	Status      int
	Response    string
	Problem     DeliveryProblem
	CreatedAt   Time
}
