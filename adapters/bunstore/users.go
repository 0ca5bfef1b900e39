package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	core.User
}

type users struct{ session }

func (u users) Create(ctx context.Context, user core.User) error {
	if err := storage.CheckText(user); err != nil {
		return err
	}
	return insert(ctx, u.session, "user", &userRow{User: user})
}

func (u users) ByID(ctx context.Context, id core.ID) (core.User, error) {
	row, err := find[userRow](ctx, u.session, "user", "id", string(id))
	return row.User, err
}

func (u users) ByEmail(ctx context.Context, email string) (core.User, error) {
	row, err := find[userRow](ctx, u.session, "user", "email", email)
	return row.User, err
}

func (u users) Update(ctx context.Context, id core.ID, change func(*core.User) error) (core.User, error) {
	row, err := update(ctx, u.session, "user", id, func(row *userRow) error {
		before := row.User
		if err := change(&row.User); err != nil {
			return err
		}
		row.ID, row.CreatedAt = before.ID, before.CreatedAt
		return storage.CheckText(row.User)
	})
	return row.User, err
}
