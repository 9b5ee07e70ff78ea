package sandboxtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// ask sends a GET over the transport and returns the status.
func ask(ctx context.Context, transport http.RoundTripper) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://sandbox/v1/model-group", nil)
	if err != nil {
		return 0, err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body) // an unread connection is not used again
	return response.StatusCode, err
}

func TestPipeLetsTheFakeClockRun(t *testing.T) {
	tests := map[string]struct {
		fault          sandbox.Fault
		timeout, after time.Duration
		err            error
	}{
		"delay":           {sandbox.Fault{Delay: time.Hour}, 2 * time.Hour, time.Hour, nil},
		"delay, given up": {sandbox.Fault{Delay: time.Hour}, time.Minute, time.Minute, context.DeadlineExceeded},
		"hang, given up":  {sandbox.Fault{Kind: sandbox.Hang}, time.Minute, time.Minute, context.DeadlineExceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sandbox.New(sandbox.Default())
				s.Inject(test.fault)
				dial, closeAll := sandboxtest.Pipe(s)
				defer closeAll()
				transport := &http.Transport{DialContext: dial}
				defer transport.CloseIdleConnections()

				ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
				defer cancel()
				began := time.Now()
				status, err := ask(ctx, transport)
				if !errors.Is(err, test.err) || err == nil && status != 401 {
					t.Errorf("got %d, %v", status, err)
				}
				if took := time.Since(began); took != test.after {
					t.Errorf("it took %s, want %s", took, test.after)
				}
			})
		})
	}
}

func TestPipeConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Default())
		dial, closeAll := sandboxtest.Pipe(s)
		kept := &http.Transport{DialContext: dial}
		for _, transport := range []*http.Transport{kept, kept, {DialContext: dial}} {
			if _, err := ask(t.Context(), transport); err != nil {
				t.Fatal(err)
			}
		}
		r := s.Requests()
		if r[0].Remote != r[1].Remote || r[0].Remote == r[2].Remote {
			t.Errorf("the connections are %q, %q, %q", r[0].Remote, r[1].Remote, r[2].Remote)
		}
		// closeAll ends requests, too: otherwise the bubble would never end.
		s.Inject(sandbox.Fault{Kind: sandbox.Hang})
		failed := make(chan error)
		go func() {
			_, err := ask(t.Context(), kept)
			failed <- err
		}()
		synctest.Wait()
		closeAll()
		if err := <-failed; err == nil {
			t.Error("an answer from a closed server")
		}
		if _, err := ask(t.Context(), &http.Transport{DialContext: dial}); err == nil {
			t.Error("a connection to a closed server")
		}
	})
}

func TestStartEndsRequestsUnderWay(t *testing.T) {
	s := sandbox.New(sandbox.Default())
	hit := make(chan struct{})
	s.Inject(sandbox.Fault{Kind: sandbox.Hang, OnRequest: func(*http.Request) { close(hit) }})
	failed := make(chan error, 1)
	t.Run("server", func(t *testing.T) {
		base := sandboxtest.Start(t, s)
		go func() {
			request, _ := http.NewRequest(http.MethodPost, base+"/v1/auth/token", nil) // not repeated by the client
			_, err := http.DefaultTransport.RoundTrip(request)
			failed <- err
		}()
		<-hit
	})
	if err := <-failed; err == nil {
		t.Error("an answer from a request that hangs")
	}
}
