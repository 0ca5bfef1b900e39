package storage

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// database is everything that a Store holds. A committed one never changes.
type database struct {
	users        table[core.ID, core.User]
	workspaces   table[core.ID, core.Workspace]
	members      table[memberKey, core.Membership]
	folders      table[core.ID, core.Folder]
	projects     table[core.ID, core.Project]
	files        table[core.ID, fileList]
	chats        table[core.ID, core.Chat]
	events       table[core.ID, []storedEvent]
	runs         table[core.ID, core.Run]
	busy         table[core.ID, core.ID]
	attachments  table[core.ID, storedImage]
	providers    table[core.ID, core.Provider]
	usage        table[usageKey, core.UsageRow]
	charged      table[core.ID, float64]
	deployments  table[core.ID, core.Deployment]
	variables    table[variableKey, core.Variable]
	domains      table[core.ID, core.Domain]
	thumbnails   table[core.ID, core.Thumbnail]
	checks       table[checkKey, storedCheck]
	sites        table[core.ID, core.SiteSettings]
	takedowns    table[core.ID, core.Takedown]
	versionMarks table[versionKey, core.VersionMark]
	previewLinks table[core.ID, core.PreviewLink]
	siteCounts   table[siteCountKey, core.SiteCount]
	rooms        table[core.ID, storedRoom]
	slugHolds    table[string, storedSlugHold]
	testMails    table[core.ID, core.TestMail]
	snapshots    table[core.ID, core.DataSnapshot]
	accepted     table[acceptedKey, core.AcceptedFinding]
	calls        table[callList, []core.BackendCall]
	dataClaims   table[core.ID, core.DataClaim]
	signIns      table[signInKey, core.SignInProvider]
	creditHolds  table[core.ID, core.CreditHold]
	schedules    table[scheduleKey, core.FunctionSchedule]
	tasks        table[core.ID, core.Task]
	comments     table[core.ID, core.Comment]
	modes        table[core.ID, core.Mode]
	commands     table[core.ID, core.Command]
	mails        table[core.ID, core.MailJob]
	mailCounts   table[mailCountKey, int]
	audit        table[core.ID, core.AuditEntry]
	webhooks     table[core.ID, core.Webhook]
	connectors   table[core.ID, core.Connector]
	templates    table[core.ID, core.SharedTemplate]
	contents     table[core.ID, core.SharedContent]
	remotes      table[core.ID, core.ProjectRemote]
	deliveries   table[core.ID, core.WebhookDelivery]
	owner        *owner

	factors       table[core.ID, core.Factor]
	passkeys      table[core.ID, core.Passkey]
	identities    table[identityKey, core.Identity]
	tickets       table[ticketKey, core.Ticket]
	sessions      table[core.ID, core.Session]
	tokens        table[core.ID, core.APIToken]
	subscriptions table[core.ID, core.Subscription]
	invites       table[core.ID, core.Invite]

	programClients table[core.ID, core.ProgramClient]
	programGrants  table[core.ID, core.ProgramGrant]

	instance        core.InstanceSettings
	lastBackup      core.BackupRun
	instanceInvites table[core.ID, core.InstanceInvite]
	companies       table[core.ID, core.CompanyProvider]
	groupGrants     table[groupGrantKey, core.GroupGrant]
	platformAI      table[core.ID, core.PlatformProvider]
}

// owner identifies a state. It is not empty, so that no two share an address.
type owner struct{ _ byte }

func (s *database) fork() *database {
	next := *s
	next.owner = new(owner)
	return &next
}

// table is a copy-on-write map that forks of a state share until one of them writes.
type table[K comparable, V any] struct {
	rows  map[K]V
	owner *owner
}

func (t *table[K, V]) edit(by *database) map[K]V {
	if t.owner != by.owner {
		t.rows, t.owner = maps.Clone(t.rows), by.owner
	}
	if t.rows == nil {
		t.rows = map[K]V{}
	}
	return t.rows
}

// drop removes the rows that match and returns them.
func (t *table[K, V]) drop(by *database, match func(V) bool) []V {
	var dropped []V
	for key, row := range t.rows {
		if match(row) {
			dropped = append(dropped, row)
			delete(t.edit(by), key)
		}
	}
	return dropped
}

func (t *table[K, V]) has(key K) bool {
	_, found := t.rows[key]
	return found
}

// records is the common part of all repositories of records with an id.
type records[V any] struct {
	session conn
	noun    string
	table   func(*database) *table[core.ID, V]
	id      func(V) core.ID
	copy    func(V) V
	// pin restores the immutable fields of the changed record.
	pin func(changed *V, before V)
	// check enforces the constraints between records: unique fields and foreign keys.
	check func(*database, V) error
}

func (r records[V]) create(ctx context.Context, record V) error {
	if err := storage.CheckText(record); err != nil {
		return err
	}
	return r.session.change(ctx, func(state *database) error {
		if r.table(state).has(r.id(record)) {
			return core.Errorf(core.CodeConflict, "this %s already exists", r.noun)
		}
		return r.put(state, record)
	})
}

func (r records[V]) put(state *database, record V) error {
	if err := r.check(state, record); err != nil {
		return err
	}
	r.table(state).edit(state)[r.id(record)] = r.copy(record)
	return nil
}

func (r records[V]) byID(ctx context.Context, id core.ID) (record V, err error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return record, err
	}
	return r.in(state, id)
}

func (r records[V]) in(state *database, id core.ID) (record V, err error) {
	found, ok := r.table(state).rows[id]
	if !ok {
		return record, core.NotFound(r.noun)
	}
	return r.copy(found), nil
}

// claimDue changes the record that is due for longest, and returns it. due returns since when a
// record is due, and whether it ever is.
func (r records[V]) claimDue(ctx context.Context, now core.Time, due func(V) (core.Time, bool), change func(*V)) (claimed V, err error) {
	err = r.session.change(ctx, func(state *database) error {
		var longest core.ID
		var since core.Time
		for id, record := range r.table(state).rows {
			at, ever := due(record)
			if ever && at <= now && (longest == "" || cmp.Or(cmp.Compare(at, since), cmp.Compare(id, longest)) < 0) {
				longest, since = id, at
			}
		}
		if claimed, err = r.in(state, longest); err != nil {
			return err
		}
		change(&claimed)
		return r.put(state, claimed)
	})
	if err != nil {
		var none V
		return none, err
	}
	return claimed, nil
}

// first returns a record that matches.
func (r records[V]) first(ctx context.Context, match func(V) bool) (record V, err error) {
	found, err := r.list(ctx, match, nil)
	if err == nil && len(found) == 0 {
		return record, core.NotFound(r.noun)
	}
	if err != nil {
		return record, err
	}
	return found[0], nil
}

func (r records[V]) list(ctx context.Context, match func(V) bool, order func(a, b V) int) ([]V, error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return nil, err
	}
	return r.listIn(state, match, order), nil
}

// listIn leaves the order undefined if order is nil.
func (r records[V]) listIn(state *database, match func(V) bool, order func(a, b V) int) []V {
	var found []V
	for _, record := range r.table(state).rows {
		if match(record) {
			found = append(found, r.copy(record))
		}
	}
	if order != nil {
		slices.SortFunc(found, order)
	}
	return found
}

func (r records[V]) update(ctx context.Context, id core.ID, change func(*V) error) (record V, err error) {
	err = r.session.change(ctx, func(state *database) error {
		before, err := r.in(state, id)
		if err != nil {
			return err
		}
		changed := r.copy(before)
		if err := change(&changed); err != nil {
			return err
		}
		r.pin(&changed, before)
		if err := storage.CheckText(changed); err != nil {
			return err
		}
		if err := r.put(state, changed); err != nil {
			return err
		}
		record = r.copy(changed)
		return nil
	})
	return record, err
}

func (r records[V]) delete(ctx context.Context, id core.ID, remove func(*database, core.ID)) error {
	return r.session.change(ctx, func(state *database) error {
		if !r.table(state).has(id) {
			return core.NotFound(r.noun)
		}
		remove(state, id)
		return nil
	})
}

// copyOf returns a pointer to a copy, nil for nil.
func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
