package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestAnEventArrivesSigned(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receive(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "thanks") })
		webhook := x.webhook()
		x.start()
		x.happen(x.joined())
		synctest.Wait()
		got := x.messages()
		if len(got) != 1 || !verified(got[0], webhook.Secret) || got[0].header.Get("Content-Type") != "application/json" {
			t.Fatalf("got %+v, want one signed message", got)
		}
		var body struct {
			Type      string
			Timestamp time.Time
			Data      map[string]string
		}
		x.must(json.Unmarshal([]byte(got[0].body), &body))
		want := map[string]string{"workspaceId": string(x.space.ID), "userId": string(x.member.UserID), "change": "joined", "role": "member"}
		if body.Type != "member.changed" || fmt.Sprint(body.Data) != fmt.Sprint(want) || !body.Timestamp.Equal(time.Now()) {
			t.Errorf("got %+v, want %v now", body, want)
		}
		entry := x.deliveries(webhook.ID)[0]
		if entry.State != core.DeliveryDelivered || *entry.Status != 200 || entry.Response != "thanks" || entry.Attempts != 1 || entry.MessageID != got[0].header.Get("webhook-id") || entry.NextAttemptAt != nil || entry.Error != "" {
			t.Errorf("got %+v, want it delivered", entry)
		}
	})
}

func TestABackoffGrowsToItsBoundAndSpreads(t *testing.T) {
	for attempts, want := range map[int]time.Duration{1: firstWait, 2: 2 * firstWait, 5: 16 * firstWait, 12: 2048 * firstWait, 13: maxWait, 40: maxWait} {
		for chance, factor := range map[float64]float64{0: 1 - jitter, 0.5: 1, 1: 1 + jitter} {
			if got, want := wait(attempts, chance), time.Duration(float64(want)*factor); got != want {
				t.Errorf("after %d attempts, chance %v: got %s, want %s", attempts, chance, got, want)
			}
		}
	}
}

func TestADeliveryIsTriedForADay(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receive(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) })
		webhook := x.webhook()
		x.start()
		began := time.Now()
		x.happen(x.joined())
		time.Sleep(3 * 24 * time.Hour)
		got := x.messages()
		if last := got[len(got)-1].at.Sub(began); len(got) < 16 || len(got) > 24 || last > retryFor || last < retryFor-2*maxWait {
			t.Errorf("got %d attempts, the last after %s, want about 19 within a day", len(got), last)
		}
		for i, one := range got {
			if one.header.Get("webhook-id") != got[0].header.Get("webhook-id") || one.body != got[0].body || !verified(one, webhook.Secret) {
				t.Errorf("attempt %d: got %v, want the same message, signed anew", i, one)
			}
			if i > 0 && one.header.Get("webhook-timestamp") == got[i-1].header.Get("webhook-timestamp") {
				t.Errorf("attempt %d has the time of the one before", i)
			}
			// A wait is up to a quarter shorter, and ends at the next poll.
			if least := wait(i, 0); i > 0 && (one.at.Sub(got[i-1].at) < least || one.at.Sub(got[i-1].at) > wait(i, 1)+poll) {
				t.Errorf("attempt %d came after %s, want at least %s", i, one.at.Sub(got[i-1].at), least)
			}
		}
		entry := x.deliveries(webhook.ID)[0]
		if entry.State != core.DeliveryFailed || entry.Attempts != len(got) || *entry.Status != 500 || entry.Error != core.DeliveryRefused || entry.NextAttemptAt != nil {
			t.Errorf("got %+v, want it failed", entry)
		}
	})
}

func TestAFailureIsRepeatedUntilItSucceeds(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		left := 3
		x.receive(func(w http.ResponseWriter, _ *http.Request) {
			if left--; left >= 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		webhook := x.webhook()
		x.start()
		x.happen(x.joined())
		synctest.Wait()
		shown, err := x.Get(t.Context(), x.owner, x.space.ID, webhook.ID)
		if x.must(err); shown.FailingSince == nil {
			t.Error("got no failure, want since when it fails")
		}
		time.Sleep(2 * time.Minute)
		if entry := x.deliveries(webhook.ID)[0]; entry.State != core.DeliveryDelivered || entry.Attempts != 4 {
			t.Errorf("got %+v, want it delivered at the fourth attempt", entry)
		}
		shown, err = x.Get(t.Context(), x.owner, x.space.ID, webhook.ID)
		if x.must(err); shown.FailingSince != nil || shown.Disabled {
			t.Errorf("got %+v, want it in order", shown)
		}
	})
}

func TestAReceiverSaysWhenToTryAgain(t *testing.T) {
	for header, least := range map[string]time.Duration{
		"600": 10 * time.Minute, "date": 20 * time.Minute, "99999999": maxWait, "99999999999999999999": 0,
		"": 0, "-5": 0, "soon": 0, "Sat, 02 Jan 1999 15:04:05 GMT": 0,
	} {
		t.Run(header, func(t *testing.T) {
			inExchange(t, func(t *testing.T, x *exchange) {
				said := header
				if header == "date" {
					said = time.Now().Add(least).UTC().Format(http.TimeFormat)
				}
				refused := false
				x.receive(func(w http.ResponseWriter, _ *http.Request) {
					if !refused {
						refused = true
						w.Header().Set("Retry-After", said)
						w.WriteHeader(http.StatusTooManyRequests)
					}
				})
				webhook := x.webhook()
				x.start()
				began := time.Now()
				x.happen(x.joined())
				synctest.Wait()
				next := x.deliveries(webhook.ID)[0].NextAttemptAt
				if next == nil {
					t.Fatal("got no next attempt, want one")
				}
				// A date has no fractions of a second.
				got, most := next.Std().Sub(began), max(least, time.Duration(float64(firstWait)*(1+jitter)))
				if got < least-time.Second || got > most+time.Second {
					t.Errorf("got the next attempt after %s, want it after %s", got, least)
				}
				time.Sleep(most + poll + time.Second)
				if entry := x.deliveries(webhook.ID)[0]; entry.State != core.DeliveryDelivered || entry.Attempts != 2 {
					t.Errorf("got %+v, want it delivered at the second attempt", entry)
				}
			})
		})
	}
}

// TestEveryBadAnswerIsAFailure has what a receiver can do wrong, and what the log says of it.
func TestEveryBadAnswerIsAFailure(t *testing.T) {
	large := strings.Repeat("x", 10<<20)
	for name, c := range map[string]struct {
		answer   http.HandlerFunc
		problem  core.DeliveryProblem
		response int
	}{
		"an error": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, large, 500) }, core.DeliveryRefused, keptResponseBytes},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://receiver.example/else", http.StatusTemporaryRedirect)
		}, core.DeliveryRedirected, 0},
		"nothing":        {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, core.DeliveryTimeout, 0},
		"half an answer": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "half"); <-r.Context().Done() }, core.DeliveryTimeout, 4},
		"10 MB":          {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, large) }, "", keptResponseBytes},
		"binary":         {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\x00\xff")) }, "", 6},
	} {
		t.Run(name, func(t *testing.T) {
			inExchange(t, func(t *testing.T, x *exchange) {
				x.receive(c.answer)
				webhook := x.webhook()
				x.start()
				began := time.Now()
				x.happen(x.joined())
				synctest.Wait()
				if x.deliveries(webhook.ID)[0].AttemptedAt == nil {
					time.Sleep(postTime)
					synctest.Wait()
				}
				entry := x.deliveries(webhook.ID)[0]
				if entry.Error != c.problem || len(entry.Response) != c.response || (entry.State == core.DeliveryDelivered) != (c.problem == "") {
					t.Errorf("got %s, %q and %d bytes, want %q and %d bytes", entry.State, entry.Error, len(entry.Response), c.problem, c.response)
				}
				if entry.AttemptedAt == nil || !entry.AttemptedAt.Std().Equal(began) || entry.Millis > postTime.Milliseconds() {
					t.Errorf("got an attempt at %v of %d ms, want one now of at most %s", entry.AttemptedAt, entry.Millis, postTime)
				}
			})
		})
	}
}

func TestNoDeliveryReachesAPrivateAddress(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receiveAt("10.0.0.1", func(http.ResponseWriter, *http.Request) { t.Error("a private address was reached") })
		webhook := x.webhook(func(in *Input) { in.URL = new("https://rebound.example/") })
		x.guard.Resolve("rebound.example", netip.MustParseAddr("10.0.0.1"))
		x.start()
		x.happen(x.joined())
		synctest.Wait()
		if entry := x.deliveries(webhook.ID)[0]; entry.Error != core.DeliveryForbidden || entry.Response != "" || entry.Status != nil {
			t.Errorf("got %+v, want it refused", entry)
		}
	})
}

func TestAWebhookThatIsGoneIsDisabled(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receive(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
		webhook := x.webhook(func(in *Input) { in.Description = new("Team chat") })
		x.start()
		x.happen(x.joined(), x.joined(), x.joined())
		time.Sleep(time.Hour)
		x.wantStopped(webhook.ID, core.WebhookStopGone)
		for _, entry := range x.deliveries(webhook.ID) {
			if entry.State != core.DeliveryFailed {
				t.Errorf("got %+v, want nothing left to send", entry)
			}
		}
		if got := len(x.messages()); got > perWebhook+1 {
			t.Errorf("got %d messages, want no more once it is gone", got)
		}
		x.happen(x.joined())
		if got := len(x.deliveries(webhook.ID)); got != 3 {
			t.Errorf("got %d deliveries, want none for a disabled webhook", got)
		}
		_, err := x.Test(t.Context(), x.owner, x.space.ID, webhook.ID)
		x.wantCode(err, core.CodeConflict)
	})
}

// wantStopped holds that a webhook was disabled, with one entry in the security log and one mail.
func (x *exchange) wantStopped(webhook core.ID, why core.WebhookStop) {
	x.t.Helper()
	shown, err := x.Get(x.t.Context(), x.owner, x.space.ID, webhook)
	if x.must(err); !shown.Disabled || *shown.DisabledReason != why {
		x.t.Errorf("got %+v, want it disabled: %s", shown, why)
	}
	if got := x.audited(); !sameActions(got, []core.AuditAction{core.AuditWebhookDisabled, core.AuditWebhookCreated}) {
		x.t.Errorf("got the entries %q, want one more", got)
	}
	far := core.At(time.Now().Add(time.Hour))
	if _, err = x.store.Tables().Mails.Claim(x.t.Context(), far, far.Add(time.Hour)); err != nil {
		x.t.Errorf("got %v, want a mail to the owner", err)
	}
	_, err = x.store.Tables().Mails.Claim(x.t.Context(), far, far.Add(time.Hour))
	x.wantCode(err, core.CodeNotFound)
}

func TestAWebhookThatFailsForThreeDaysIsDisabled(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		var failing atomic.Bool
		failing.Store(true)
		x.receive(func(w http.ResponseWriter, _ *http.Request) {
			if failing.Load() {
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		webhook := x.webhook()
		x.start()
		for hour := range 24*3 + 1 {
			if hour == 10 {
				failing.Store(false)
			}
			x.happen(x.joined())
			synctest.Wait()
			failing.Store(true)
			time.Sleep(time.Hour)
		}
		shown, err := x.Get(t.Context(), x.owner, x.space.ID, webhook.ID)
		if x.must(err); shown.Disabled {
			t.Fatalf("got %+v, want it in use: something was delivered meanwhile", shown)
		}
		for range 12 {
			x.happen(x.joined())
			time.Sleep(time.Hour)
		}
		x.wantStopped(webhook.ID, core.WebhookStopFailing)
		failing.Store(false)
		_, err = x.Update(t.Context(), x.owner, x.space.ID, webhook.ID, Input{Disabled: new(false)})
		x.must(err)
		failed := x.deliveries(webhook.ID)[0]
		again, err := x.Redeliver(t.Context(), x.owner, x.space.ID, webhook.ID, failed.ID)
		x.must(err)
		synctest.Wait()
		if entry := x.deliveries(webhook.ID)[0]; entry.ID != again.ID || entry.MessageID != failed.MessageID || entry.State != core.DeliveryDelivered {
			t.Errorf("got %+v, want the delivery again, under the same webhook-id", entry)
		}
	})
}

func TestASlowWebhookHoldsUpNobody(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receiveAt("slow.example", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		x.webhook(func(in *Input) { in.URL = new("https://slow.example/") })
		x.start()
		for range 3 * atOnce {
			x.happen(x.joined())
		}
		synctest.Wait()
		if got := len(x.messages()); got != perWebhook {
			t.Errorf("got %d messages at once, want %d", got, perWebhook)
		}
		x.receive(func(http.ResponseWriter, *http.Request) {})
		quick := x.webhook()
		x.happen(x.joined())
		synctest.Wait()
		if entry := x.deliveries(quick.ID)[0]; entry.State != core.DeliveryDelivered {
			t.Errorf("got %+v, want it delivered beside the slow one", entry)
		}
	})
}

func TestAnAttemptThatWasCutOffIsRepeatedUnderItsID(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		hang := true
		x.receive(func(_ http.ResponseWriter, r *http.Request) {
			if hang {
				<-r.Context().Done()
			}
		})
		webhook := x.webhook()
		dying := x.start()
		x.happen(x.joined())
		synctest.Wait()
		ended, end := context.WithCancel(t.Context())
		end()
		if err := dying.Close(ended); err == nil {
			t.Error("got no error, want the end of the context")
		}
		hang = false
		x.start()
		synctest.Wait()
		if got := len(x.messages()); got != 1 {
			t.Errorf("got %d messages before the lease expired, want 1", got)
		}
		time.Sleep(lease + poll)
		got := x.messages()
		if len(got) != 2 || got[0].header.Get("webhook-id") != got[1].header.Get("webhook-id") {
			t.Errorf("got %+v, want the same message twice", got)
		}
		if entry := x.deliveries(webhook.ID)[0]; entry.State != core.DeliveryDelivered {
			t.Errorf("got %+v, want it delivered", entry)
		}
	})
}

func TestSeveralProcessesSendEachDeliveryOnce(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receive(func(http.ResponseWriter, *http.Request) {})
		x.webhook()
		for range 3 {
			x.start()
		}
		for range 50 {
			x.happen(x.joined())
		}
		time.Sleep(time.Minute)
		ids := map[string]int{}
		for _, one := range x.messages() {
			ids[one.header.Get("webhook-id")]++
		}
		if len(ids) != 50 || len(x.messages()) != 50 {
			t.Errorf("got %d messages of %d ids, want 50 of 50", len(x.messages()), len(ids))
		}
	})
}

func TestTheLogGoesBackSevenDays(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receive(func(http.ResponseWriter, *http.Request) {})
		webhook := x.webhook()
		x.start()
		x.happen(x.joined())
		time.Sleep(retention - time.Hour)
		x.happen(x.joined())
		synctest.Wait()
		if got := len(x.deliveries(webhook.ID)); got != 2 {
			t.Errorf("got %d deliveries, want 2", got)
		}
		time.Sleep(3 * time.Hour)
		if got := len(x.deliveries(webhook.ID)); got != 1 {
			t.Errorf("got %d deliveries, want 1", got)
		}
	})
}

func TestAnAttemptWhoseLeaseExpiredChangesNothing(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		webhook := x.webhook()
		w := x.worker()
		x.happen(x.joined())
		claim := func() core.WebhookDelivery {
			now := core.At(time.Now())
			delivery, err := x.store.Tables().WebhookDeliveries.Claim(t.Context(), now, now.Add(lease), nil)
			x.must(err)
			return delivery
		}
		late := claim()
		time.Sleep(lease)
		x.must(w.settle(t.Context(), claim(), attempt{at: core.At(time.Now()), status: 200}))
		x.wantCode(w.settle(t.Context(), late, attempt{at: core.At(time.Now()), status: 410, problem: core.DeliveryRefused}), core.CodeConflict)
		if entry := x.deliveries(webhook.ID)[0]; entry.State != core.DeliveryDelivered || entry.Attempts != 2 {
			t.Errorf("got %+v, want what the second process stored", entry)
		}
		shown, err := x.Get(t.Context(), x.owner, x.space.ID, webhook.ID)
		if x.must(err); shown.Disabled {
			t.Errorf("got %+v, want it in use", shown)
		}
	})
}
