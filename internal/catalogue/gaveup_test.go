package catalogue

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// withoutBody is a service whose answers of one status have a body that never comes.
type withoutBody struct {
	*script
	status int
}

func (w withoutBody) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.script.RoundTrip(r)
	if err == nil && response.StatusCode == w.status {
		response.Body = endless{r.Context()}
	}
	return response, err
}

type endless struct{ ctx context.Context }

func (e endless) Read([]byte) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}

func (e endless) Close() error { return nil }

// What a status says is a reader's cause, even where the words of the service never come.
func TestACauseIsKnownWithoutTheWords(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		for status, want := range map[int]func(error) bool{
			http.StatusTooManyRequests: func(err error) bool { return errors.Is(err, ErrRateLimited) },
			http.StatusUnauthorized:    func(err error) bool { _, ok := errors.AsType[*RejectedError](err); return ok },
		} {
			s := &script{read: func(int, *http.Request) reply {
				if status == http.StatusTooManyRequests {
					return limitedFor(60)
				}
				return refuse(status)
			}}
			c := over(s, func(cfg *Config) {
				cfg.ReadTimeout, cfg.Transport, cfg.AccessToken = 3*time.Second, withoutBody{s, status}, "a given token"
			})
			for i, err := range readAll(t, c, 3) {
				if !want(err) {
					t.Errorf("%d, reader %d: %v", status, i, err)
				}
			}
		}
	})
}

// The last of several failures is the cause, and an interrupt tells it, too.
func TestARefusalAfterAFailureIsTheCause(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{read: func(n int, _ *http.Request) reply {
			if n == 1 {
				return refuse(503)
			}
			return limitedFor(1).in(100 * time.Millisecond)
		}}
		c := over(s, func(cfg *Config) { cfg.ReadTimeout = 20 * time.Second })
		if _, err := c.LatestModel(t.Context(), "a"); !errors.Is(err, ErrRateLimited) {
			t.Errorf("one 503 and then 429 only: %v", err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, interrupt)
		_, err := over(&script{read: func(int, *http.Request) reply { return limitedFor(30) }}, nil).LatestModel(ctx, "a")
		if left, ok := errors.AsType[*InterruptedError](err); !ok || !errors.Is(left.Last, ErrRateLimited) {
			t.Errorf("an interrupt in a pause: %+v", err)
		}
	})
}

// A request for a token that others wait for is no attempt of a read that has ended.
func TestAnAttemptForOthersIsNobodyElses(t *testing.T) {
	onFakeClock(t, func(t *testing.T) {
		s := &script{
			token: func(n int) reply {
				if n == 1 {
					return issue(n, 20*time.Second)
				}
				return issue(n, 0).in(10 * time.Second)
			},
			read: func(_ int, r *http.Request) reply {
				if r.URL.Path == "/v1/model-group/a/latest-model" {
					return refuse(503).in(5 * time.Second)
				}
				return found
			},
		}
		c := over(s, func(cfg *Config) { cfg.MaxRetries = 0 })
		_, _ = c.LatestModel(t.Context(), "first")
		time.Sleep(16 * time.Second)
		failed, _ := readTwo(t, c, 3*time.Second)
		if gaveUp, ok := errors.AsType[*GaveUpError](failed); !ok || gaveUp.Attempts != 1 {
			t.Errorf("%v, want one attempt", failed)
		}
	})
}

// told is how many attempts an error tells of, and whether it does.
func told(err error) (attempts int, ok bool) {
	if e, is := errors.AsType[*GaveUpError](err); is {
		return e.Attempts, true
	}
	if e, is := errors.AsType[*WaitTooLongError](err); is {
		return e.Attempts, true
	}
	if e, is := errors.AsType[*InterruptedError](err); is {
		return e.Attempts, true
	}
	return 0, false
}

// The attempts that a reader is told of are the requests that were sent for him, but for those that brought a token.
func TestTheAttemptsToldWereMade(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1500) {
		synctest.Test(t, func(t *testing.T) {
			random, came := rand.New(rand.NewPCG(seed, 3)), 0
			draw := func(good func() reply, refusal int) reply {
				after := time.Duration(random.IntN(900)) * time.Millisecond
				switch random.IntN(8) {
				case 0:
					return limitedFor(1 + random.IntN(10)).in(after)
				case 1:
					return refuse(http.StatusTooManyRequests).in(after)
				case 2:
					return refuse(refusal).in(after)
				case 3:
					return reply{after: time.Hour}
				case 4, 5:
					return refuse(http.StatusServiceUnavailable).in(after)
				}
				return good().in(after)
			}
			s := &script{
				token: func(n int) reply {
					return draw(func() reply {
						came++
						return issue(n, time.Duration(random.IntN(2))*5*time.Second)
					}, http.StatusUnsupportedMediaType)
				},
				read: func(int, *http.Request) reply {
					return draw(func() reply { return refuse(http.StatusInternalServerError) }, http.StatusUnauthorized)
				},
			}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			if random.IntN(3) == 0 {
				time.AfterFunc(time.Duration(random.IntN(20_000))*time.Millisecond+time.Nanosecond, interrupt)
			}
			_, err := over(s, func(cfg *Config) {
				cfg.MaxRetries, cfg.ReadTimeout, cfg.RequestTimeout = random.IntN(5), time.Duration(2+random.IntN(30))*time.Second, 7*time.Second
			}).LatestModel(ctx, "a")
			tokens, reads := s.counts()
			synctest.Wait()
			// A token that was still on its way counts as an attempt.
			made := tokens + reads - came
			if attempts, ok := told(err); ok && attempts != made && attempts != made+1 {
				t.Errorf("seed %d: %d attempts are told, and %d were made: %v", seed, attempts, made, err)
			}
		})
	}
}

// A kept answer is only the answer: what the context of the first caller holds is let go.
func TestAKeptAnswerKeepsNoContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	c := over(&script{}, nil)
	gone := make(chan struct{})
	func() {
		large := new(bytes.Buffer)
		runtime.AddCleanup(large, func(gone chan struct{}) { close(gone) }, gone)
		if _, err := c.LatestModel(context.WithValue(t.Context(), key{}, large), "a"); err != nil {
			t.Fatal(err)
		}
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(c)
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the context of a read that has ended is still held")
}

// A base URL with a zone of IPv6 is sent as it was spelled.
func TestTheOriginIsEscaped(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://[fe80::1%25eth0]:8443/x")
	if err != nil {
		t.Fatal(err)
	}
	s := &sender{base: base}
	at := s.to(http.MethodGet, ModelGroupsPath)
	if got, want := at.Origin+at.Path, "https://[fe80::1%25eth0]:8443/x/v1/model-group"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
