package people

import (
	"github.com/atelierhq/atelier/core"

	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func subscriptionClauses() []clause {
	return []clause{
		{"a subscription comes back as it was stored", subscriptionComesBack},
		{"a subscription takes the place of the user's other one of its kind", subscriptionReplaced},
		{"a subscription that takes a place needs no id of its own", subscriptionKeepsID},
		{"an id in use by another subscription is a conflict", subscriptionIDInUse},
		{"of parallel subscriptions of one kind one stays, with one id", subscriptionInParallel},
		{"a user's subscriptions are listed the oldest first", subscriptionsByAge},
		{"an update of a subscription works as a user's", subscriptionUpdate},
		{"an update cannot change whose subscription it is, of what kind and since when", subscriptionPinned},
		{"parallel updates of a subscription lose nothing", subscriptionUpdatesInParallel},
		{"deleting a subscription leaves the others", subscriptionDelete},
		{"nobody deletes the subscription of another user", subscriptionOfAnother},
		{"a subscription belongs to a user", subscriptionOfNothing},
		{"a subscription's text is storable", subscriptionText},
		{"subscriptions go in and come out as copies", subscriptionCopies},
	}
}

func (s testCase) newSubscription(user core.ID) core.Subscription {
	at := s.Now()
	return core.Subscription{
		ID: core.NewID(), Kind: core.SubscriptionGitHub, Name: "GitHub", KeyHint: "…c4",
		CreatedAt: at, UpdatedAt: at, UserID: user, SealedKey: []byte("\x00\xff'\\sealed"),
	}
}

func (s testCase) subscription(user core.ID, alter ...func(*core.Subscription)) core.Subscription {
	s.Helper()
	subscription := s.newSubscription(user)
	for _, alter := range alter {
		alter(&subscription)
	}
	got, err := s.Subscriptions.Put(s.Context(), subscription)
	s.Want(got, err, subscription)
	return subscription
}

func ofKind(kind string) func(*core.Subscription) {
	return func(s *core.Subscription) { s.Kind = kind }
}

func withRefresh(s *core.Subscription) {
	s.SealedRefresh, s.ExpiresAt = []byte("\xfe refresh"), new(s.CreatedAt+1000)
}

// wantSubscriptions compares a user's list with the expected one.
func (s testCase) wantSubscriptions(user core.ID, want ...core.Subscription) {
	s.Helper()
	got, err := s.Subscriptions.List(s.Context(), user)
	s.Want(got, err, want)
}

func subscriptionComesBack(s testCase) {
	user := s.User()
	bare := s.subscription(user.ID)
	full := s.subscription(user.ID, withRefresh, ofKind(`O'Hara "\ % _ ? 東京`))
	s.wantSubscriptions(user.ID, bare, full)
}

func subscriptionReplaced(s testCase) {
	user, other := s.User(), s.User()
	first := s.subscription(user.ID, withRefresh)
	second := s.subscription(user.ID, ofKind("openai"), withRefresh)
	foreign := s.subscription(other.ID, withRefresh)
	next := s.newSubscription(user.ID)
	next.Name, next.KeyHint, next.SealedKey = "Again", "…d5", []byte("next")
	want := next
	want.ID, want.CreatedAt = first.ID, first.CreatedAt
	got, err := s.Subscriptions.Put(s.Context(), next)
	s.Want(got, err, want)
	s.wantSubscriptions(user.ID, want, second)
	s.wantSubscriptions(other.ID, foreign)
	want.Name, want.UpdatedAt = "With the id that it has", s.Now()
	withRefresh(&want)
	got, err = s.Subscriptions.Put(s.Context(), want)
	s.Want(got, err, want)
	s.wantSubscriptions(user.ID, want, second)
}

func subscriptionKeepsID(s testCase) {
	user, foreign := s.User(), s.subscription(s.User().ID)
	first := s.subscription(user.ID)
	second := s.subscription(user.ID, ofKind("openai"))
	for _, id := range []core.ID{second.ID, foreign.ID, ""} {
		next := first
		next.ID, next.Name = id, "Again "+string(id)
		want := next
		want.ID = first.ID
		got, err := s.Subscriptions.Put(s.Context(), next)
		s.Want(got, err, want)
		s.wantSubscriptions(user.ID, want, second)
	}
	s.wantSubscriptions(foreign.UserID, foreign)
}

func subscriptionIDInUse(s testCase) {
	user, other := s.User(), s.User()
	stored := s.subscription(user.ID)
	otherKind, otherUser := s.newSubscription(user.ID), s.newSubscription(other.ID)
	otherKind.Kind = "openai"
	for _, subscription := range []core.Subscription{otherKind, otherUser} {
		subscription.ID = stored.ID
		_, err := s.Subscriptions.Put(s.Context(), subscription)
		s.WantCode(err, core.CodeConflict)
	}
	s.wantSubscriptions(user.ID, stored)
	there, err := s.Subscriptions.List(s.Context(), other.ID)
	s.Want(len(there), err, 0)
}

func subscriptionInParallel(s testCase) {
	user := s.User()
	var put, got [16]core.Subscription
	for i := range put {
		put[i] = s.newSubscription(user.ID)
		put[i].Name = string(core.NewID())
	}
	fixture.Together(len(put), func(i int) {
		var err error
		got[i], err = s.Subscriptions.Put(s.Context(), put[i])
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	list, err := s.Subscriptions.List(s.Context(), user.ID)
	s.Must(err)
	if len(list) != 1 {
		s.Fatalf("got %d subscriptions of one kind, want 1", len(list))
	}
	for i := range got {
		want := put[i]
		want.ID, want.CreatedAt = list[0].ID, list[0].CreatedAt
		s.Want(got[i], nil, want)
	}
}

func subscriptionsByAge(s testCase) {
	user, other := s.User(), s.User()
	want := make([]core.Subscription, 4)
	for i, age := range s.Ages() {
		want[i] = s.newSubscription(user.ID)
		want[i].ID, want[i].Kind, want[i].CreatedAt = age.ID, string(core.NewID()), age.At
	}
	for _, i := range []int{3, 2, 0, 1} {
		_, err := s.Subscriptions.Put(s.Context(), want[i])
		s.Must(err)
	}
	s.subscription(other.ID)
	s.wantSubscriptions(user.ID, want...)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		got, err := s.Subscriptions.List(s.Context(), id)
		s.Want(len(got), err, 0)
	}
}

func subscriptionUpdate(s testCase) {
	user := s.User()
	subscription, other := s.subscription(user.ID), s.subscription(user.ID, ofKind("openai"))
	want := subscription
	want.Name, want.KeyHint, want.SealedKey, want.UpdatedAt = "Ada's", "…e6", []byte("new"), s.Now()
	withRefresh(&want)
	got, err := s.Subscriptions.Update(s.Context(), subscription.ID, func(stored *core.Subscription) error {
		s.Want(*stored, nil, subscription)
		*stored = want
		return nil
	})
	s.Want(got, err, want)
	s.wantSubscriptions(user.ID, want, other)
	got, err = s.Subscriptions.Update(s.Context(), subscription.ID, func(stored *core.Subscription) error {
		stored.Name, *stored.ExpiresAt = "changed", 9
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	s.Want(got, nil, core.Subscription{})
	s.wantSubscriptions(user.ID, want, other)
	want.SealedRefresh, want.ExpiresAt = nil, nil
	got, err = s.Subscriptions.Update(s.Context(), subscription.ID, func(stored *core.Subscription) error {
		stored.SealedRefresh, stored.ExpiresAt = nil, nil
		return nil
	})
	s.Want(got, err, want)
	s.wantSubscriptions(user.ID, want, other)
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err = s.Subscriptions.Update(s.Context(), id, func(*core.Subscription) error {
			s.Error("change was called for a subscription that is not there")
			return nil
		})
		s.WantCode(err, core.CodeNotFound)
	}
}

func subscriptionPinned(s testCase) {
	subscription, other := s.subscription(s.User().ID), s.User()
	got, err := s.Subscriptions.Update(s.Context(), subscription.ID, func(stored *core.Subscription) error {
		stored.ID, stored.UserID, stored.Kind, stored.CreatedAt = core.NewID(), other.ID, "openai", 1
		return nil
	})
	s.Want(got, err, subscription)
	s.wantSubscriptions(subscription.UserID, subscription)
}

func subscriptionUpdatesInParallel(s testCase) {
	subscription := s.subscription(s.User().ID)
	fixture.Together(16, func(int) {
		_, err := s.Subscriptions.Update(s.Context(), subscription.ID, func(stored *core.Subscription) error {
			stored.UpdatedAt++
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	subscription.UpdatedAt += 16
	s.wantSubscriptions(subscription.UserID, subscription)
}

func subscriptionDelete(s testCase) {
	user, foreign := s.User(), s.subscription(s.User().ID)
	doomed, kept := s.subscription(user.ID), s.subscription(user.ID, ofKind("openai"))
	s.Must(s.Subscriptions.Delete(s.Context(), user.ID, doomed.ID))
	s.WantCode(s.Subscriptions.Delete(s.Context(), user.ID, doomed.ID), core.CodeNotFound)
	s.wantSubscriptions(user.ID, kept)
	s.wantSubscriptions(foreign.UserID, foreign)
	again := s.subscription(user.ID)
	s.wantSubscriptions(user.ID, kept, again)
}

func subscriptionOfAnother(s testCase) {
	subscription, other := s.subscription(s.User().ID), s.User()
	for _, by := range []core.ID{other.ID, core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.WantCode(s.Subscriptions.Delete(s.Context(), by, subscription.ID), core.CodeNotFound)
	}
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.WantCode(s.Subscriptions.Delete(s.Context(), subscription.UserID, id), core.CodeNotFound)
	}
	s.wantSubscriptions(subscription.UserID, subscription)
}

func subscriptionOfNothing(s testCase) {
	for _, user := range []core.ID{core.NewID(), ""} {
		_, err := s.Subscriptions.Put(s.Context(), s.newSubscription(user))
		s.WantCode(err, core.CodeNotFound)
		there, err := s.Subscriptions.List(s.Context(), user)
		s.Want(len(there), err, 0)
	}
}

func subscriptionText(s testCase) {
	stored := s.subscription(s.User().ID)
	for _, text := range fixture.Unstorable() {
		for _, alter := range []func(*core.Subscription){
			func(s *core.Subscription) { s.Name = text },
			func(s *core.Subscription) { s.KeyHint = text },
		} {
			next := s.newSubscription(stored.UserID)
			alter(&next)
			_, err := s.Subscriptions.Put(s.Context(), next)
			s.WantCode(err, core.CodeValidationFailed)
			_, err = s.Subscriptions.Update(s.Context(), stored.ID, func(subscription *core.Subscription) error {
				alter(subscription)
				return nil
			})
			s.WantCode(err, core.CodeValidationFailed)
		}
		other := s.newSubscription(stored.UserID)
		other.Kind = text
		_, err := s.Subscriptions.Put(s.Context(), other)
		s.WantCode(err, core.CodeValidationFailed)
	}
	s.wantSubscriptions(stored.UserID, stored)
}

func subscriptionCopies(s testCase) {
	user := s.User()
	fresh := func() core.Subscription {
		return core.Subscription{
			ID: "a", Kind: "k", UserID: user.ID, ExpiresAt: new(core.Time(1)), SealedKey: []byte("key"), SealedRefresh: []byte("refresh"),
		}
	}
	spoil := func(subscription core.Subscription) {
		*subscription.ExpiresAt, subscription.SealedKey[0], subscription.SealedRefresh[0] = 9, 'x', 'x'
		s.wantSubscriptions(user.ID, fresh())
	}
	put := fresh()
	got, err := s.Subscriptions.Put(s.Context(), put)
	s.Want(got, err, fresh())
	spoil(put)
	spoil(got)
	list, err := s.Subscriptions.List(s.Context(), user.ID)
	s.Must(err)
	spoil(list[0])
	got, err = s.Subscriptions.Update(s.Context(), "a", func(*core.Subscription) error { return nil })
	s.Want(got, err, fresh())
	spoil(got)
}
