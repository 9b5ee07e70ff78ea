package catalogue

import (
	"testing"
	"time"
)

// Failures of a read and of the request for a token count each for themselves, and a pause or a closed connection
// costs no attempt.
func TestWhichAttemptIsTheLast(t *testing.T) {
	t.Parallel()
	const read, token = false, true
	type attempt struct {
		outcome outcome
		of      bool
	}
	for name, test := range map[string]struct {
		attempts []attempt
		retries  int
		want     int // which is the last, from 1, 0: none
	}{
		"no retries":                    {[]attempt{{transient, read}}, 0, 1},
		"two retries":                   {[]attempt{{transient, read}, {transient, read}, {transient, read}}, 2, 3},
		"of a read and for a token":     {[]attempt{{transient, read}, {transient, token}, {transient, read}, {transient, token}}, 2, 0},
		"for a token":                   {[]attempt{{transient, token}, {transient, read}, {transient, token}, {transient, token}}, 2, 4},
		"pauses":                        {[]attempt{{limited, read}, {limited, token}, {limited, read}}, 0, 0},
		"a connection that was closed":  {[]attempt{{closed, read}}, 0, 0},
		"tokens that are refused":       {[]attempt{{unauthorized, read}, {unauthorized, read}, {unauthorized, read}}, 9, 3},
		"a pause between two refusals":  {[]attempt{{unauthorized, read}, {limited, read}, {unauthorized, read}}, 9, 0},
		"a failure, and then a refusal": {[]attempt{{transient, read}, {unauthorized, read}, {transient, read}}, 1, 3},
	} {
		c, got := &caller{}, 0
		for i, a := range test.attempts {
			if c.count(a.outcome, a.of, test.retries) && got == 0 {
				got = i + 1
			}
		}
		if got != test.want || c.attempts != len(test.attempts) {
			t.Errorf("%s: the last is %d of %d counted, want %d of %d", name, got, c.attempts, test.want, len(test.attempts))
		}
	}
}

// An outage begins where a read gave up and nothing ended well since it began. It is for those who come then, until
// a read ends well.
func TestWhoComesInAnOutage(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	for name, test := range map[string]struct {
		happens         func(*outage) (changes bool)
		changes         bool
		earlier, atOnce bool // whether it concerns one who began at 10 s, and one who begins at 30 s
	}{
		"nothing":                 {func(*outage) bool { return false }, false, false, false},
		"one gave up":             {func(o *outage) bool { return o.gaveUp(at(15), at(30)) }, true, false, true},
		"two gave up":             {func(o *outage) bool { o.gaveUp(at(5), at(20)); return o.gaveUp(at(15), at(30)) }, false, false, true},
		"another ended well":      {func(o *outage) bool { o.succeeded(at(16)); return o.gaveUp(at(15), at(30)) }, false, false, false},
		"one ended well long ago": {func(o *outage) bool { o.succeeded(at(14)); return o.gaveUp(at(15), at(30)) }, true, false, true},
		"it ended":                {func(o *outage) bool { o.gaveUp(at(0), at(5)); return o.succeeded(at(20)) }, true, false, false},
		"it began long ago":       {func(o *outage) bool { return o.gaveUp(at(0), at(5)) }, true, true, true},
		"it ended and began": {func(o *outage) bool {
			o.gaveUp(at(0), at(5))
			o.succeeded(at(12))
			return o.gaveUp(at(13), at(30))
		}, true, false, true},
	} {
		o := &outage{}
		if got := test.happens(o); got != test.changes {
			t.Errorf("%s: %t", name, got)
		}
		if earlier, now := o.concerns(at(10)), o.concerns(at(30)); earlier != test.earlier || now != test.atOnce {
			t.Errorf("%s: it concerns them: %t and %t, want %t and %t", name, earlier, now, test.earlier, test.atOnce)
		}
	}
}
