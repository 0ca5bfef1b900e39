package compress_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/compress"
)

func TestWhatIsAccepted(t *testing.T) {
	for header, want := range map[string][2]bool{
		"":                           {false, false},
		"gzip, br":                   {true, true},
		"x-gzip;q=0.5":               {false, true},
		"gzip;q=0, br;q=0.000":       {false, false},
		"gzip;\tq=0,\tbr\t; q = 0.0": {false, false},
		"GZIP ;Q=0.001":              {false, true},
		"*":                          {false, false},
	} {
		brotli, zipped := compress.Accepted(header)
		if got := [2]bool{brotli, zipped}; got != want {
			t.Errorf("%q: got brotli and gzip %v, want %v", header, got, want)
		}
	}
}
