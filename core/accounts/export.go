package accounts

import (
	"context"
	"encoding/json"
	"io"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// maxExports bounds the exports that a process writes at a time: each reads whole chats.
	maxExports = 2
	// exportPage is how many records of an export are read at a time.
	exportPage = 200
)

// Exports has the use case of taking along what an account holds.
type Exports struct {
	deps     *Deps
	sessions *Sessions
	// semaphore bounds the exports that are written at a time.
	semaphore chan struct{}
}

// Export is everything that an account holds of a person, without anything of others and without secrets. Write
// adds the lists that may be long.
type Export struct {
	ExportedAt    core.Time           `json:"exportedAt"`
	Account       ExportedAccount     `json:"account"`
	Sessions      []OpenSession       `json:"sessions"`
	Identities    []ExportedIdentity  `json:"identities"`
	SecondFactor  FactorStatus        `json:"secondFactor"`
	APITokens     []core.APIToken     `json:"apiTokens"`
	Programs      []ExportedProgram   `json:"programs"`
	Subscriptions []core.Subscription `json:"subscriptions"`
	Workspaces    []ExportedWorkspace `json:"workspaces"`

	exports *Exports
}

// ExportedAccount is the account itself.
type ExportedAccount struct {
	core.User
	// Language is that of mails, "" for none chosen.
	Language    core.Language `json:"language"`
	HasPassword bool          `json:"hasPassword"`
}

// ExportedIdentity is an account at a provider with which the person signs in.
type ExportedIdentity struct {
	LinkedIdentity
	Subject string `json:"subject"`
}

// ExportedProgram is a program that the person has connected to the tools.
type ExportedProgram struct {
	Name string `json:"name"`
	// Host vouches for the program, "" for one that registered itself.
	Host      string       `json:"host"`
	Scopes    []core.Scope `json:"scopes"`
	CreatedAt core.Time    `json:"createdAt"`
}

// ExportedWorkspace is a workspace of which the person is a member.
type ExportedWorkspace struct {
	ID       core.ID   `json:"id"`
	Name     string    `json:"name"`
	Personal bool      `json:"personal"`
	Role     core.Role `json:"role"`
	JoinedAt core.Time `json:"joinedAt"`
}

// ExportedMessage is a message of the person to the agent, in a project that they see.
type ExportedMessage struct {
	ProjectID core.ID   `json:"projectId"`
	Project   string    `json:"project"`
	ChatID    core.ID   `json:"chatId"`
	CreatedAt core.Time `json:"createdAt"`
	Text      string    `json:"text"`
}

// ExportedComment is a comment of the person on a page of a project that they see.
type ExportedComment struct {
	ProjectID core.ID `json:"projectId"`
	Project   string  `json:"project"`
	// Page is the path of the page, "" for a reply.
	Page      string    `json:"page"`
	CreatedAt core.Time `json:"createdAt"`
	Text      string    `json:"text"`
}

// Export gathers what the caller's account holds, and records that somebody took it. It returns
// core.CodeInsufficientScope to a caller with an API token.
func (e *Exports) Export(ctx context.Context, by core.Actor) (*Export, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	sessions, err := e.sessions.List(ctx, by)
	if err != nil {
		return nil, err
	}
	var export *Export
	err = e.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) (err error) {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		export = &Export{ExportedAt: e.deps.now(), Sessions: sessions, exports: e}
		if err := export.fill(ctx, tables, by.UserID); err != nil {
			return err
		}
		return e.deps.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditDataExported, export.Account.Email)
	})
	return export, withoutAccount(err)
}

// fill reads the records of a person.
func (e *Export) fill(ctx context.Context, tables storage.Tables, person core.ID) error {
	user, spaces, err := tables.Users.WithWorkspaces(ctx, person)
	if err != nil {
		return err
	}
	e.Account = ExportedAccount{user, user.Language, user.PasswordHash != ""}
	e.Workspaces, e.Identities = []ExportedWorkspace{}, []ExportedIdentity{}
	for _, space := range spaces {
		e.Workspaces = append(e.Workspaces, ExportedWorkspace{space.ID, space.Name, space.Personal, space.Role, space.JoinedAt})
	}
	identities, err := tables.Identities.OfUser(ctx, person)
	if err != nil {
		return err
	}
	for _, identity := range identities {
		e.Identities = append(e.Identities, ExportedIdentity{LinkedIdentity{identity.Provider, identity.CreatedAt}, identity.Subject})
	}
	factor, err := factorOf(ctx, tables, person)
	if err != nil {
		return err
	}
	e.SecondFactor = statusOf(factor)
	if e.APITokens, err = tables.APITokens.List(ctx, person); err != nil {
		return err
	}
	if e.APITokens == nil {
		e.APITokens = []core.APIToken{}
	}
	if err := e.fillPrograms(ctx, tables, person); err != nil {
		return err
	}
	if e.Subscriptions, err = tables.Subscriptions.List(ctx, person); err != nil {
		return err
	}
	if e.Subscriptions == nil {
		e.Subscriptions = []core.Subscription{}
	}
	return nil
}

// fillPrograms reads the connected programs of a person.
func (e *Export) fillPrograms(ctx context.Context, tables storage.Tables, person core.ID) error {
	e.Programs = []ExportedProgram{}
	grants, err := tables.ProgramGrants.List(ctx, person)
	for _, grant := range grants {
		if !grant.IsPending() {
			e.Programs = append(e.Programs, ExportedProgram{grant.Name, grant.Host, grant.Scopes, grant.CreatedAt})
		}
	}
	return err
}

// Write writes the export as one JSON object, with the person's log, messages and comments, each read as its
// turn comes. After an error the object is not complete. It waits until fewer than maxExports are
// being written.
func (e *Export) Write(ctx context.Context, to io.Writer) error {
	select {
	case e.exports.semaphore <- struct{}{}:
		defer func() { <-e.exports.semaphore }()
	case <-ctx.Done():
		return core.Wrap(core.CodeUnavailable, ctx.Err(), "the export was not written in time")
	}
	head, err := json.Marshal(e)
	if err != nil {
		return err
	}
	out := &listWriter{to: to}
	out.text(string(head[:len(head)-1]))
	out.list("log", func() error { return e.log(ctx, out.item) })
	out.list("messages", func() error { return e.eachProject(ctx, out.item, e.messages) })
	out.list("comments", func() error { return e.eachProject(ctx, out.item, e.comments) })
	out.text("}\n")
	return out.err
}

// log passes on the person's log, the newest entry first, without other people.
func (e *Export) log(ctx context.Context, emit func(any) error) error {
	page := core.Page{Limit: exportPage}
	for {
		entries, err := e.exports.deps.Store.Tables().Audit.OfPerson(ctx, e.Account.ID, page)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.Actor != nil && entry.Actor.UserID != e.Account.ID {
				entry.Actor, entry.IP = nil, ""
			}
			if err := emit(entry); err != nil {
				return err
			}
		}
		if len(entries) < page.Limit {
			return nil
		}
		last := entries[len(entries)-1]
		page.Before = &core.Position{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

// eachProject passes on what the person wrote in each project that they see. Copies of tasks are left
// out.
func (e *Export) eachProject(ctx context.Context, emit func(any) error, of func(context.Context, storage.Tables, core.Project, func(any) error) error) error {
	tables, page := e.exports.deps.Store.Tables(), core.Page{Limit: exportPage}
	for {
		projects, err := tables.Projects.List(ctx, storage.ProjectFilter{Member: e.Account.ID}, page)
		if err != nil {
			return err
		}
		for _, project := range projects {
			if err := of(ctx, tables, project, emit); err != nil {
				return err
			}
		}
		if len(projects) < page.Limit {
			return nil
		}
		at := storage.PositionOf(projects[len(projects)-1])
		page.Before = &at
	}
}

// messages passes on the person's messages in a project.
func (e *Export) messages(ctx context.Context, tables storage.Tables, project core.Project, emit func(any) error) error {
	chats, err := tables.Chats.List(ctx, project.ID)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if err := e.said(ctx, tables, project, chat.ID, emit); err != nil {
			return err
		}
	}
	return nil
}

// comments passes on the person's comments in a project, the newest first.
func (e *Export) comments(ctx context.Context, tables storage.Tables, project core.Project, emit func(any) error) error {
	page := core.Page{Limit: exportPage}
	for {
		found, err := tables.Comments.OfAuthor(ctx, project.ID, e.Account.ID, page)
		if err != nil {
			return err
		}
		for _, comment := range found {
			if err := emit(ExportedComment{project.ID, project.Name, comment.Anchor.Page, comment.CreatedAt, comment.Text}); err != nil {
				return err
			}
		}
		if len(found) < page.Limit {
			return nil
		}
		last := found[len(found)-1]
		page.Before = &core.Position{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

// said passes on the person's messages in a chat.
func (e *Export) said(ctx context.Context, tables storage.Tables, project core.Project, chat core.ID, emit func(any) error) error {
	span := storage.EventRange{Limit: exportPage}
	for {
		events, err := tables.Events.Read(ctx, chat, span)
		if err != nil {
			return err
		}
		for _, event := range events {
			message, is := event.Payload.(core.UserMessage)
			if !is || message.By != e.Account.ID {
				continue
			}
			if err := emit(ExportedMessage{project.ID, project.Name, chat, event.CreatedAt, message.Text}); err != nil {
				return err
			}
		}
		if len(events) < span.Limit {
			return nil
		}
		span.After = events[len(events)-1].Seq
	}
}

// listWriter writes members of an object that are lists, item by item. After an error it writes
// nothing more.
type listWriter struct {
	to    io.Writer
	err   error
	items int
}

func (l *listWriter) text(text string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.to, text)
	}
}

// list writes a member, whose items fill passes to item.
func (l *listWriter) list(name string, fill func() error) {
	l.items = 0
	l.text(`,"` + name + `":[`)
	if l.err == nil {
		l.err = fill()
	}
	l.text("]")
}

func (l *listWriter) item(value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if l.items++; l.items > 1 {
		l.text(",")
	}
	l.text("\n" + string(encoded))
	return l.err
}
