package catalogue_test

import (
	"testing"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// Where the service is down, reads that begin after one gave up make one
// attempt each, so that a plan of many blocks takes little longer than ten.
func TestAnOutageIsWaitedForOnce(t *testing.T) {
	eachOnFakeClock(t, map[string]sandbox.Fault{
		"reads fail":      {Route: sandbox.RouteGroup, Status: 503},
		"tokens fail":     {Route: sandbox.RouteToken, Status: 503},
		"nothing answers": {Kind: sandbox.Reset},
	}, func(t *testing.T, fault sandbox.Fault) {
		took := func(blocks int) time.Duration {
			service := sandbox.New(manyGroups(t, blocks))
			service.Inject(fault)
			c, began := connect(t, service), time.Now()
			for i, a := range readAll(t, c, 10, eachGroup(0, blocks)) {
				if a.err == nil {
					t.Errorf("read %d succeeded", i)
				}
			}
			return time.Since(began)
		}
		// The jitter of two runs differs by a quarter at most.
		if ten, many := took(10), took(300); many > ten*13/10 {
			t.Errorf("300 blocks took %s, 10 took %s", many, ten)
		}
	})
}

func TestAServiceThatComesBackLosesNoRead(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 100))
		remove := service.Inject(status(503, "", 0))
		time.AfterFunc(14*sec, remove) // within the retries of the first
		expectAllRead(t, readAll(t, connect(t, service), 10, eachGroup(0, 100)))
	})
}

func TestAnOutageEndsWithTheFirstGoodAnswer(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		service := sandbox.New(manyGroups(t, 10))
		remove := service.Inject(status(503, "", 0))
		c, sent := connect(t, service), 0
		read := func(i, attempts int, succeeds bool) {
			t.Helper()
			err := group(groupID(i)).read(t, c).err
			if sent += attempts; (err == nil) != succeeds || service.Count(sandbox.RouteGroup) != sent {
				t.Errorf("read %d: %v; %d attempts in all, want %d", i, err, service.Count(sandbox.RouteGroup), sent)
			}
		}
		read(0, 5, false)
		read(1, 1, false)
		remove()
		read(2, 1, true)
		service.Inject(status(503, "", 2))
		read(3, 3, true) // it has its retries again
	})
}
