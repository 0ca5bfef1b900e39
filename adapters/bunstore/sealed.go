package bunstore

import (
	"context"

	"github.com/uptrace/bun"
)

// HoldsSealed reports whether any record holds a sealed value. It finds the columns by
// name: sealed or sealed_<what>. It changes nothing.
func (s *Store) HoldsSealed(ctx context.Context) (found bool, err error) {
	err = s.read(ctx, "record", func(ctx context.Context, db bun.IDB) error {
		var columns []struct{ Table, Column string }
		if err := db.NewRaw(s.dialect.sealedColumns()).Scan(ctx, &columns); err != nil {
			return err
		}
		for _, place := range columns {
			err := db.NewRaw("SELECT EXISTS (SELECT 1 FROM ? WHERE length(?) > 0)", bun.Ident(place.Table), bun.Ident(place.Column)).Scan(ctx, &found)
			if err != nil || found {
				return err
			}
		}
		return nil
	})
	return found, err
}
