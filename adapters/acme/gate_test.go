package acme

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// door is a gate on a clock that runs ahead.
type door struct {
	*gate
	t        *testing.T
	verdicts map[string]Verdict
	stored   map[string]bool
	judgings int
}

func atDoor(t *testing.T, test func(*testing.T, *door)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &door{t: t, verdicts: map[string]Verdict{}, stored: map[string]bool{}}
		d.gate = newGate(func(_ context.Context, name string) (Verdict, error) {
			d.judgings++
			return d.verdicts[name], nil
		}, func(_ context.Context, name string) bool { return d.stored[name] })
		test(t, d)
	})
}

func (d *door) want(name string, want error) {
	d.t.Helper()
	if got := d.admit(d.t.Context(), name); !errors.Is(got, want) || want == nil && got != nil {
		d.t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func TestAVerdictIsKeptForAMoment(t *testing.T) {
	atDoor(t, func(t *testing.T, d *door) {
		d.want("shop.example", errRefused)
		d.verdicts["shop.example"] = Admit
		d.want("SHOP.example.", errRefused)
		time.Sleep(judgedAge)
		d.want("shop.example", nil)
		d.verdicts["shop.example"] = Refuse
		d.want("shop.example", nil)
		time.Sleep(judgedAge)
		d.want("shop.example", errRefused)
		if d.judgings != 3 {
			t.Errorf("got %d judgings, want 3", d.judgings)
		}
	})
}

func TestOnlySoManyNamesAreJudgedASecond(t *testing.T) {
	atDoor(t, func(t *testing.T, d *door) {
		d.verdicts["shop.example"] = Admit
		d.want("shop.example", nil)
		for i := range maxJudged - 1 {
			d.want(fmt.Sprint(i), errRefused)
		}
		d.want("other.example", errBusy)
		d.want("shop.example", nil)
		time.Sleep(time.Second)
		d.want("other.example", errRefused)
	})
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	atDoor(t, func(t *testing.T, d *door) {
		for i := range 3 * maxRemembered {
			if i%maxJudged == 0 {
				time.Sleep(time.Second)
			}
			_ = d.admit(t.Context(), fmt.Sprint(i))
			d.failed(fmt.Sprint(i))
		}
		if len(d.judged) > maxRemembered || len(d.failures) > maxRemembered {
			t.Errorf("got %d verdicts and %d failures, want at most %d", len(d.judged), len(d.failures), maxRemembered)
		}
	})
}

func TestFewNewNamesOfAKindAreAdmittedAnHour(t *testing.T) {
	atDoor(t, func(t *testing.T, d *door) {
		name := func(i int) string { return fmt.Sprintf("p%d.preview.example", i) }
		for i := range maxSparing + 5 {
			d.verdicts[name(i)] = AdmitSparingly
		}
		for i := range maxSparing {
			d.want(name(i), nil)
		}
		d.want(name(maxSparing), errSparing)
		d.want(name(0), nil)
		d.stored[name(maxSparing)] = true
		d.want(name(maxSparing), nil)
		time.Sleep(sparingWindow)
		d.want(name(maxSparing+1), nil)
	})
}

func TestTheAuthorityIsLeftAloneAfterFailures(t *testing.T) {
	atDoor(t, func(t *testing.T, d *door) {
		d.verdicts["shop.example"] = Admit
		d.want("shop.example", nil)
		for _, wait := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			if got := d.failed("shop.example"); got != wait {
				t.Errorf("got a wait of %s, want %s", got, wait)
			}
			if d.admit(t.Context(), "shop.example") == nil {
				t.Error("got nil, want a refusal")
			}
			time.Sleep(wait)
			d.want("shop.example", nil)
		}
		for range 10 {
			d.failed("shop.example")
		}
		if got := d.failed("shop.example"); got != maxWait {
			t.Errorf("got a wait of %s, want at most %s", got, maxWait)
		}
		d.stored["shop.example"] = true
		d.want("shop.example", nil)
		d.stored["shop.example"] = false
		d.succeeded("shop.example")
		d.want("shop.example", nil)
	})
}
