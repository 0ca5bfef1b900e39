package core_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestTimeCodesAreSixDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"123456": "123456", "000000": "000000", "123 456": "123456", " 123456 ": "123456", "123-456": "123456", "1 2 3 4 5 6": "123456",
		"": "", "12345": "", "1234567": "", "12345a": "", "+12345": "", "123.456": "", "0x1234": "", "１２３４５６": "", "١٢٣٤٥٦": "",
		"12345\u0666": "", "123456\n": "", "123456\x00": "", "123\u00a0456": "", "123\u200b456": "", strings.Repeat("1", 1<<20): "",
	} {
		got, ok := core.ParseTimeCode(text)
		if got != want || ok != (want != "") {
			t.Errorf("%.20q: got %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestARecoveryCodeWorksOnce(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^([a-z2-7]{4}-){5}[a-z2-7]{4}$`)
	factor := core.Factor{UserID: "ada"}
	var codes []string
	for range core.RecoveryCodes {
		code := core.NewRecoveryCode()
		if !shape.MatchString(code) || slices.Contains(codes, code) {
			t.Fatalf("got %q after %q, want another of the shape %s", code, codes, shape)
		}
		codes = append(codes, code)
		factor.RecoveryHashes = append(factor.RecoveryHashes, core.HashRecoveryCode("ada", code))
	}
	before := factor
	if typed := strings.ToUpper(strings.ReplaceAll(codes[3], "-", " ")); !factor.UseRecoveryCode(typed) {
		t.Errorf("got %q refused, want it accepted", typed)
	}
	if len(factor.RecoveryHashes) != core.RecoveryCodes-1 || len(before.RecoveryHashes) != core.RecoveryCodes {
		t.Errorf("got %d codes left, %d in the copy, want one less and the copy as it was", len(factor.RecoveryHashes), len(before.RecoveryHashes))
	}
	for _, code := range []string{codes[3], "", "-", core.NewRecoveryCode(), factor.RecoveryHashes[0], codes[4][:len(codes[4])-1]} {
		if factor.UseRecoveryCode(code) {
			t.Errorf("got %q accepted, want it refused", code)
		}
	}
	old := core.Factor{UserID: "ada", RecoveryHashes: []string{core.HashRecoveryCode("ada", "k3vq-7xpa-m2dz-w5ty")}}
	if !old.UseRecoveryCode("K3VQ 7XPA M2DZ W5TY") {
		t.Error("got a code of 80 bits from before refused, want it accepted")
	}
	other := core.Factor{UserID: "eve", RecoveryHashes: factor.RecoveryHashes}
	if other.UseRecoveryCode(codes[5]) {
		t.Error("got the code of another person accepted, want it refused")
	}
}
