package bunstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
)

type formerRooms struct{ session }

// Put locks the room's row first, like every write of a room's owner.
func (f formerRooms) Put(ctx context.Context, project, owner core.ID, state []byte) error {
	if err := core.CheckRoom(state, nil); err != nil {
		return err
	}
	return f.write(ctx, "room", func(ctx context.Context, db bun.IDB) error {
		tx, value := db.(bun.Tx).Tx, f.speaks().value
		var epoch int64
		err := tx.QueryRowContext(ctx, "UPDATE rooms SET epoch = epoch WHERE project_id = "+value(1)+" AND owner = "+value(2)+" RETURNING epoch",
			argument(string(project)), argument(string(owner))).Scan(&epoch)
		if errors.Is(err, sql.ErrNoRows) {
			return notHeld()
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO former_rooms (project_id, data) VALUES ("+value(1)+", "+value(2)+")"+
			" ON CONFLICT (project_id) DO UPDATE SET data = EXCLUDED.data", string(project), state)
		return err
	})
}

// ByProject implements storage.FormerRooms.
func (f formerRooms) ByProject(ctx context.Context, project core.ID) (state []byte, err error) {
	err = f.exec(ctx, "former room", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Table("former_rooms").Column("data").Where("project_id = ?", project).Scan(ctx, &state)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, core.NotFound("former room")
	}
	return state, err
}
