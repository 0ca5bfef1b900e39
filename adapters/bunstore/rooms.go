package bunstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type rooms struct{ session }

// Claim locks the room's row first, so that it reads what the last owner left.
func (r rooms) Claim(ctx context.Context, project, owner core.ID, now, until core.Time) (state core.RoomState, err error) {
	if owner == "" || !storage.Storable(string(owner)) {
		return state, core.Errorf(core.CodeValidationFailed, "the owner of a room needs an id")
	}
	err = r.write(ctx, "room", func(ctx context.Context, db bun.IDB) error {
		var row struct {
			Epoch int64
			Bases string
		}
		err := db.NewRaw("INSERT INTO rooms (project_id, owner, held_until, epoch, last_seq, bases) VALUES (?, ?, ?, 1, 0, '{}')"+
			" ON CONFLICT (project_id) DO UPDATE SET owner = EXCLUDED.owner, held_until = EXCLUDED.held_until"+
			" WHERE rooms.owner IS NULL OR rooms.owner = EXCLUDED.owner OR rooms.held_until < ?"+
			" RETURNING epoch, bases", project, owner, until, now).Scan(ctx, &row.Epoch, &row.Bases)
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.CodeConflict, "another process holds the room")
		}
		if err != nil {
			return err
		}
		state = core.RoomState{Epoch: row.Epoch}
		if state.Bases, err = readBases(row.Bases); err != nil {
			return err
		}
		return db.NewSelect().Table("room_updates").Column("data").
			Where("project_id = ?", project).OrderExpr("seq").Scan(ctx, &state.Updates)
	})
	if err != nil {
		return core.RoomState{}, err
	}
	return state, nil
}

// Renew implements storage.Rooms.
func (r rooms) Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error) {
	var held []core.ID
	err := r.exec(ctx, "room", func(ctx context.Context, db bun.IDB) error {
		held = nil
		return db.NewRaw("UPDATE rooms SET held_until = ? WHERE owner = ? RETURNING project_id", until, owner).Scan(ctx, &held)
	})
	slices.Sort(held)
	return held, err
}

// Owner implements storage.Rooms.
func (r rooms) Owner(ctx context.Context, project core.ID, now core.Time) (core.ID, error) {
	var claim struct {
		bun.BaseModel `bun:"table:rooms,alias:r"`
		Owner         core.ID
		HeldUntil     core.Time
	}
	err := r.look(ctx, "room", lookup{"owner of a room", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Table("rooms").ColumnExpr("COALESCE(owner, '') AS owner, held_until").Where("project_id = ?", value(0))
	}}, &claim, string(project))
	if core.IsCode(err, core.CodeNotFound) || err == nil && claim.HeldUntil < now {
		return "", nil
	}
	return claim.Owner, err
}

// Append implements storage.Rooms.
func (r rooms) Append(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string) error {
	return r.change(ctx, "epoch = epoch", roomChange{project, owner, update, bases}, nil)
}

// Replace implements storage.Rooms.
func (r rooms) Replace(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string, newEpoch bool) error {
	set := "epoch = epoch"
	if newEpoch {
		set = "epoch = epoch + 1"
	}
	return r.change(ctx, set, roomChange{project, owner, update, bases}, func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewDelete().Table("room_updates").Where("project_id = ?", project).Exec(ctx)
		return err
	})
}

// roomChange is a change that the owner of a room stores.
type roomChange struct {
	project, owner core.ID
	update         []byte
	bases          map[core.ProjectPath]*string
}

// change appends an update. It first runs before, which may be nil. set is the new value
// of the room's epoch.
func (r rooms) change(ctx context.Context, set string, change roomChange, before statements) error {
	if err := core.CheckRoom(change.update, change.bases); err != nil {
		return err
	}
	bases, err := writeBases(change.bases)
	if err != nil {
		return err
	}
	return r.write(ctx, "room", func(ctx context.Context, db bun.IDB) error {
		// The driver gets the values as arguments. bun would write them into the
		// statement, which takes seconds if they are large.
		tx, value := db.(bun.Tx).Tx, r.speaks().value
		var seq int64
		err := tx.QueryRowContext(ctx, "UPDATE rooms SET last_seq = last_seq + 1, "+set+", bases = "+value(1)+
			" WHERE project_id = "+value(2)+" AND owner = "+value(3)+" RETURNING last_seq",
			bases, argument(string(change.project)), argument(string(change.owner))).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			return notHeld()
		}
		if err == nil && before != nil {
			err = before(ctx, db)
		}
		if err != nil || len(change.update) == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO room_updates (project_id, seq, data) VALUES ("+value(1)+", "+value(2)+", "+value(3)+")",
			string(change.project), seq, change.update)
		return err
	})
}

func notHeld() error { return core.Errorf(core.CodeConflict, "this process does not hold the room") }

// Release implements storage.Rooms.
func (r rooms) Release(ctx context.Context, project, owner core.ID) error {
	return r.exec(ctx, "room", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewRaw("UPDATE rooms SET owner = NULL, held_until = 0 WHERE project_id = ? AND owner = ?",
			project, owner).Exec(ctx)
		return err
	})
}

// writeBases returns bases as a JSON object of texts and nulls. JSON can hold NUL, which
// a text column cannot.
func writeBases(bases map[core.ProjectPath]*string) (string, error) {
	texts := make(map[string]*string, len(bases))
	for path, base := range bases {
		texts[path.String()] = base
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(texts); err != nil {
		return "", core.Wrap(core.CodeInternal, err, "the bases of a room cannot be encoded as JSON")
	}
	return body.String(), nil
}

// readBases returns nil if there are no bases.
func readBases(body string) (map[core.ProjectPath]*string, error) {
	var texts map[string]*string
	if err := json.Unmarshal([]byte(body), &texts); err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "the stored bases of a room are malformed")
	}
	if len(texts) == 0 {
		return nil, nil
	}
	bases := make(map[core.ProjectPath]*string, len(texts))
	for text, base := range texts {
		path, err := core.ParsePath(text)
		if err != nil {
			return nil, core.Wrap(core.CodeInternal, err, "a stored path is invalid")
		}
		bases[path] = base
	}
	return bases, nil
}
