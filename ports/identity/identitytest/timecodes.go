package identitytest

import (
	"encoding/base32"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// RunTimeCodes tests an implementation of identity.TimeCodes against its port.
func RunTimeCodes(t *testing.T, codes identity.TimeCodes) {
	t.Run("the codes are those of RFC 6238", func(t *testing.T) { codesOfTheRFC(t, codes) })
	t.Run("a code works one step early and one late", func(t *testing.T) { codeWindow(t, codes) })
	t.Run("no step up to the last one works", func(t *testing.T) { codeReplay(t, codes) })
	t.Run("anything but a code is refused", func(t *testing.T) { codeGarbage(t, codes) })
	t.Run("secrets are random and as long as RFC 4226 wants them", func(t *testing.T) { codeSecrets(t, codes) })
	t.Run("an app can read the address", func(t *testing.T) { codeAddress(t, codes) })
	t.Run("a broken secret is an error", func(t *testing.T) { codeBrokenSecret(t, codes) })
}

// rfcSecret is the secret of RFC 6238, appendix B: "12345678901234567890".
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

// rfcCodes are the last six digits of the codes there, by their Unix time.
func rfcCodes() map[int64]string {
	return map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	}
}

func wantStep(t *testing.T, codes identity.TimeCodes, code string, at core.Time, last, want int64) {
	t.Helper()
	step, ok, err := codes.Step(rfcSecret, code, at, last)
	if err != nil || ok != (want > 0) || ok && step != want {
		t.Errorf("%.20q at %d after step %d: got %d, %v, %v, want step %d (0 means no step)", code, at, last, step, ok, err, want)
	}
}

func codesOfTheRFC(t *testing.T, codes identity.TimeCodes) {
	for at, code := range rfcCodes() {
		wantStep(t, codes, code, core.Time(at*1000), 0, at/30)
	}
}

func codeWindow(t *testing.T, codes identity.TimeCodes) {
	const at, code = 1234567890, "005924"
	begin := core.Time(at / 30 * 30_000)
	for offset, works := range map[core.Time]bool{
		-30_001: false, -30_000: true, -1: true, 0: true, 29_999: true, 30_000: true, 59_999: true, 60_000: false, 3_600_000: false,
	} {
		want := int64(0)
		if works {
			want = at / 30
		}
		wantStep(t, codes, code, begin+offset, 0, want)
	}
}

func codeReplay(t *testing.T, codes identity.TimeCodes) {
	const at, code = 1234567890, "005924"
	const step = int64(at / 30)
	for last, want := range map[int64]int64{step - 1: step, step: 0, step + 1: 0, step + 1000: 0} {
		wantStep(t, codes, code, at*1000, last, want)
	}
}

func codeGarbage(t *testing.T, codes identity.TimeCodes) {
	for _, code := range []string{
		"", "0", "05924", "5924", "0005924", "00592", "005925", " 05924", "005924 ", " 005924", "+05924", "00592\x00", "０05924",
		"٠٠٥٩٢٤", rfcSecret, strings.Repeat("0", 1<<16),
	} {
		wantStep(t, codes, code, 1234567890_000, 0, 0)
	}
}

func codeSecrets(t *testing.T, codes identity.TimeCodes) {
	seen := map[string]bool{}
	for range 100 {
		secret, _, err := codes.New("Atelier", "ada@example.com")
		if err != nil {
			t.Fatal(err)
		}
		key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
		if err != nil || len(key) != 20 || seen[secret] {
			t.Fatalf("got %q, %v, want a fresh secret of 20 bytes in base32", secret, err)
		}
		seen[secret] = true
	}
}

func codeAddress(t *testing.T, codes identity.TimeCodes) {
	for _, account := range []string{"ada@example.com", "a+b&c=d?e#f%@example.com", "ä@example.com"} {
		const issuer = "Atelier (app.example.com:8443)"
		secret, uri, err := codes.New(issuer, account)
		if err != nil {
			t.Fatal(err)
		}
		address, err := url.Parse(uri)
		if err != nil || address.Scheme != "otpauth" || address.Host != "totp" || address.Path != "/"+issuer+":"+account {
			t.Errorf("got %q, %v, want otpauth://totp/<issuer>:<account>", uri, err)
			continue
		}
		query := address.Query()
		if query.Get("secret") != secret || query.Get("issuer") != issuer || strings.Contains(address.RawQuery, "+") {
			t.Errorf("got %q, want the secret and the issuer, spaces as %%20", uri)
		}
		for name, standard := range map[string]string{"digits": "6", "period": "30", "algorithm": "SHA1"} {
			if got := query.Get(name); got != "" && got != standard {
				t.Errorf("got %s=%s, want %s", name, got, standard)
			}
		}
	}
}

func codeBrokenSecret(t *testing.T, codes identity.TimeCodes) {
	for _, secret := range []string{"not base32!", "1", "GEZDGNBVGY3TQOJ0"} {
		if _, ok, err := codes.Step(secret, "005924", 1234567890_000, 0); ok || !core.IsCode(err, core.CodeInternal) {
			t.Errorf("%q: got %v, %v, want code %s", secret, ok, err, core.CodeInternal)
		}
	}
}
