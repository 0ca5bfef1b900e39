package core_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func newSession() (*core.Session, core.ID) {
	first := core.NewID()
	return &core.Session{ID: core.NewID(), UserID: core.NewID(), TokenID: first, CreatedAt: 1000, ExpiresAt: 2000}, first
}

func TestARefreshTokenWorksAgainWithinTheGrace(t *testing.T) {
	session, first := newSession()
	second := core.NewID()
	if !session.Renew(first, second, 1000, 9000) || session.TokenID != second || session.ExpiresAt != 9000 {
		t.Fatalf("got %+v, want the next token", session)
	}
	if !session.Renew(first, core.NewID(), 1000+core.RefreshGrace, 8000) || session.TokenID != second || session.ExpiresAt != 9000 {
		t.Errorf("got %+v, want the same next token for a second use at once", session)
	}
	if session.Renew(first, core.NewID(), 1001+core.RefreshGrace, 8000) || session.EndedAt == nil {
		t.Errorf("got %+v, want the session ended by a copy of a used token", session)
	}
}

func TestTheGraceCountsFromTheFirstUse(t *testing.T) {
	session, first := newSession()
	session.Renew(first, core.NewID(), 1000, 9000)
	session.Renew(first, core.NewID(), 30_000, 9000)
	if session.Renew(first, core.NewID(), 31_001, 9000) {
		t.Error("got another use, want the grace to end 30 s after the first")
	}
}

func TestAnOlderTokenWithinTheGraceIsNoCopy(t *testing.T) {
	session, first := newSession()
	second, third := core.NewID(), core.NewID()
	session.Renew(first, second, 1000, 9000)
	session.Renew(second, third, 2000, 9000)
	if !session.Renew(first, core.NewID(), 3000, 9000) || session.TokenID != third {
		t.Errorf("got %+v, want the last token", session)
	}
}

func TestAForeignTokenEndsTheSession(t *testing.T) {
	session, _ := newSession()
	if session.Renew(core.NewID(), core.NewID(), 1000, 9000) || session.EndedAt == nil {
		t.Errorf("got %+v, want it ended", session)
	}
}

func TestManyRenewalsAtATimeKeepTheTokenAndEndNothing(t *testing.T) {
	session, token := newSession()
	for i := range 100 {
		if !session.Renew(token, core.NewID(), core.Time(1000+i), 9000) {
			t.Fatalf("got the session ended by renewal %d", i)
		}
		token = session.TokenID
	}
	if len(session.Spent) > 40 {
		t.Errorf("got %d remembered tokens, want few", len(session.Spent))
	}
	if !session.Renew(token, core.NewID(), 60_000, 9000) || session.TokenID == token || len(session.Spent) != 1 {
		t.Errorf("got %+v, want another token later on", session)
	}
}
