package webhooks

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSignaturesAreThoseOfStandardWebhooks has the vector that its reference libraries publish.
func TestSignaturesAreThoseOfStandardWebhooks(t *testing.T) {
	const (
		secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
		id     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
		body   = `{"test": 2432232314}`
		want   = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	if got := Sign([][]byte{key}, id, time.Unix(1614265330, 0), body); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	published := message{header: http.Header{}, body: body}
	for name, value := range map[string]string{"webhook-id": id, "webhook-timestamp": "1614265330", "webhook-signature": "v2,x " + want} {
		published.header.Set(name, value)
	}
	if !verified(published, secret) {
		t.Error("the receiver of these tests refuses the published vector")
	}
	published.body += " "
	if verified(published, secret) {
		t.Error("the receiver of these tests takes a changed body")
	}
}

func TestBothSecretsSignForADayAfterARotation(t *testing.T) {
	inExchange(t, func(t *testing.T, x *exchange) {
		x.receive(func(http.ResponseWriter, *http.Request) {})
		made := x.webhook()
		x.start()
		rotated, err := x.Rotate(t.Context(), x.owner, x.space.ID, made.ID)
		x.must(err)
		if rotated.Secret == made.Secret || rotated.FormerSecretUntil == nil {
			t.Fatalf("got %+v, want another secret, and until when the former one signs", rotated)
		}
		for _, c := range []struct {
			after  time.Duration
			former bool
		}{{0, true}, {24*time.Hour - time.Minute, true}, {2 * time.Minute, false}} {
			time.Sleep(c.after)
			x.happen(x.joined())
			synctest.Wait()
			got := x.messages()
			last := got[len(got)-1]
			if !verified(last, rotated.Secret) || verified(last, made.Secret) != c.former {
				t.Errorf("after %s: got the signatures %q, want the new secret's, and the former's: %v", c.after, last.header.Get("webhook-signature"), c.former)
			}
		}
		shown, err := x.Get(t.Context(), x.owner, x.space.ID, made.ID)
		if x.must(err); shown.Secret != "" || shown.FormerSecretUntil != nil {
			t.Errorf("got %+v, want no secret", shown)
		}
	})
}
