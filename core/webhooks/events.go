package webhooks

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Event is something that happened, as its producer tells it. Its data are short facts: ids, names
// and numbers, never a file's content, a secret or a person's address.
type Event struct {
	kind core.WebhookEvent
	// workspace is "" for an event of a project, which has its project's workspace. project is ""
	// for an event of the workspace itself.
	workspace, project core.ID
	data               any
}

// Outcome says how a run ended: one of core.CompletionReason, or OutcomeFailed.
type Outcome string

// OutcomeFailed is that of a run that ended with an error.
const OutcomeFailed Outcome = "failed"

type runFinished struct {
	ChatID  core.ID `json:"chatId"`
	RunID   core.ID `json:"runId"`
	UserID  core.ID `json:"userId"`
	Outcome Outcome `json:"outcome"`
	// Error is the code of a run that failed.
	Error core.Code `json:"error,omitempty"`
	// VersionID is the version with the run's changes, if it made any.
	VersionID    string `json:"versionId,omitempty"`
	FilesChanged int    `json:"filesChanged"`
	// CopyID is the working copy of the task that the run worked on.
	CopyID core.ID `json:"copyId,omitempty"`
}

// RunFinished tells of the end of a run, by its last events.
func RunFinished(run core.Run, last []core.Payload) Event {
	facts := runFinished{ChatID: run.ChatID, RunID: run.ID, UserID: run.UserID, Outcome: OutcomeFailed}
	for _, payload := range last {
		switch of := payload.(type) {
		case core.VersionCreated:
			facts.VersionID, facts.FilesChanged = of.VersionID, of.FilesChanged
		case core.TaskComplete:
			facts.Outcome = Outcome(of.Reason)
		case core.SessionError:
			facts.Error = of.Error
		}
	}
	return Event{kind: core.WebhookRunFinished, project: run.ProjectID, data: facts}
}

// maxTitleChars bounds the title of a version.
const maxTitleChars = 200

type versionCreated struct {
	VersionID string `json:"versionId"`
	// Title is the first line of the version's message.
	Title string `json:"title"`
	// Author is the kind of the author: a person or the agent.
	Author       string  `json:"author"`
	ChatID       core.ID `json:"chatId,omitempty"`
	FilesChanged int     `json:"filesChanged"`
}

// VersionCreated tells of a new version of a project. chat is the one in which the agent made it, or nil.
func VersionCreated(project core.ID, version core.Version, chat *core.ID) Event {
	title, _, _ := strings.Cut(version.Message, "\n")
	facts := versionCreated{
		VersionID: version.ID, Title: core.ShortenChars(title, maxTitleChars), Author: string(version.Author.Kind), FilesChanged: version.FilesChanged,
	}
	if chat != nil {
		facts.ChatID = *chat
	}
	return Event{kind: core.WebhookVersionCreated, project: project, data: facts}
}

type publication struct {
	DeploymentID core.ID `json:"deploymentId"`
	VersionID    string  `json:"versionId"`
	URL          string  `json:"url"`
	UserID       core.ID `json:"userId"`
	// Rollback says that an earlier deployment is live again.
	Rollback bool `json:"rollback"`
}

// Published tells that a deployment is live.
func Published(deployment core.Deployment, by core.ID, rollback bool) Event {
	facts := publication{deployment.ID, deployment.VersionID, deployment.URL, by, rollback}
	return Event{kind: core.WebhookPublished, project: deployment.ProjectID, data: facts}
}

type checkFailed struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Step is the number of the step that failed, from 1, or 0 if none was reached.
	Step int `json:"step"`
}

// CheckFailed tells of a check that was played and failed.
func CheckFailed(outcome core.CheckOutcome, title string) Event {
	return Event{kind: core.WebhookCheckFailed, project: outcome.ProjectID, data: checkFailed{outcome.Name, title, outcome.Step}}
}

type findingCreated struct {
	FindingID  core.ID            `json:"findingId"`
	Collection string             `json:"collection"`
	Action     core.AttackAction  `json:"action"`
	As         core.Attacker      `json:"as"`
	Severity   core.FindingWeight `json:"severity"`
	Records    int64              `json:"records"`
}

// FindingCreated tells of a finding that refuses a publish.
func FindingCreated(project core.ID, finding core.Finding) Event {
	facts := findingCreated{finding.ID, finding.Collection, finding.Action, finding.As, finding.Severity, finding.Records}
	return Event{kind: core.WebhookFindingCreated, project: project, data: facts}
}

type commentCreated struct {
	CommentID core.ID `json:"commentId"`
	// ThreadID is the first comment of the thread, the same as CommentID if that began it.
	ThreadID core.ID `json:"threadId"`
	UserID   core.ID `json:"userId"`
}

// CommentCreated tells of a new comment or reply.
func CommentCreated(comment core.Comment) Event {
	facts := commentCreated{CommentID: comment.ID, ThreadID: comment.ID, UserID: comment.CreatedBy}
	if comment.ThreadID != nil {
		facts.ThreadID = *comment.ThreadID
	}
	return Event{kind: core.WebhookCommentCreated, project: comment.ProjectID, data: facts}
}

// MemberChange says what happened to a membership.
type MemberChange string

// The changes.
const (
	MemberJoined      MemberChange = "joined"
	MemberRoleChanged MemberChange = "role_changed"
	MemberRemoved     MemberChange = "removed"
)

type memberChanged struct {
	UserID core.ID      `json:"userId"`
	Change MemberChange `json:"change"`
	// Role is the new one, and absent for a member who was removed.
	Role core.Role `json:"role,omitempty"`
}

// MemberChanged tells of a member who joined, has another role, or was removed; role is core.RoleNone
// for the last.
func MemberChanged(workspace, user core.ID, change MemberChange, role core.Role) Event {
	return Event{kind: core.WebhookMemberChanged, workspace: workspace, data: memberChanged{user, change, role}}
}

type test struct {
	WebhookID core.ID `json:"webhookId"`
	UserID    core.ID `json:"userId"`
}

// of moves the event of a working copy to the copy's project. It returns false if such events are not
// sent.
func (e Event) of(project core.Project) (Event, bool) {
	e.workspace = project.WorkspaceID
	if project.CopyOf == nil {
		return e, true
	}
	facts, isRun := e.data.(runFinished)
	facts.CopyID = e.project
	e.project, e.data = *project.CopyOf, facts
	return e, isRun
}

// payload is the body that is sent: the event's facts beside the ids of what it belongs to.
func (e Event) payload(at core.Time) (string, error) {
	facts, err := json.Marshal(e.data)
	if err != nil {
		return "", core.Wrap(core.CodeInternal, err, "the event cannot be written")
	}
	place, err := json.Marshal(struct {
		WorkspaceID core.ID `json:"workspaceId"`
		ProjectID   core.ID `json:"projectId,omitempty"`
	}{e.workspace, e.project})
	if err != nil {
		return "", core.Wrap(core.CodeInternal, err, "the event cannot be written")
	}
	return fmt.Sprintf(`{"type":%q,"timestamp":%q,"data":%s,%s}`, e.kind, at, place[:len(place)-1], facts[1:]), nil
}
