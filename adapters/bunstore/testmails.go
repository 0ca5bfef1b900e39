package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type testMailRow struct {
	bun.BaseModel `bun:"table:test_mails,alias:tm"`
	core.TestMail
}

func (r testMailRow) mail() core.TestMail { return r.TestMail }

type testMails struct{ session }

// Add implements storage.TestMails.
func (m testMails) Add(ctx context.Context, mail core.TestMail) error {
	if err := storage.CheckText(mail); err != nil {
		return err
	}
	return m.write(ctx, "mail", func(ctx context.Context, db bun.IDB) error {
		if _, err := db.NewInsert().Model(&testMailRow{TestMail: mail}).Exec(ctx); err != nil {
			return err
		}
		kept := db.NewSelect().Table("test_mails").Column("id").Where("project_id = ?", mail.ProjectID).
			OrderExpr("created_at DESC, id DESC").Limit(core.MaxTestMails)
		_, err := db.NewDelete().Table("test_mails").Where("project_id = ? AND id NOT IN (?)", mail.ProjectID, kept).Exec(ctx)
		return err
	})
}

// List implements storage.TestMails.
func (m testMails) List(ctx context.Context, project core.ID) ([]core.TestMail, error) {
	rows, err := list[testMailRow](ctx, m.session, "project_id", string(project), "tm.created_at DESC, tm.id DESC")
	return each(rows, testMailRow.mail), err
}
