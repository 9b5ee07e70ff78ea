package catalogue

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestALargeAnswerIsRefusedWithoutBeingKept serves a list without end, so that
// only the limit can end the read.
func TestALargeAnswerIsRefusedWithoutBeingKept(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	for name, announced := range map[string]int64{"announced": limit + 1, "not announced": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reads atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					fmt.Fprint(w, `{"access_token":"t","token_type":"bearer"}`)
					return
				}
				reads.Add(1)
				if announced > 0 {
					w.Header().Set("Content-Length", fmt.Sprint(announced))
				}
				const record = `{"id":"a","revision":1`
				_, err := fmt.Fprint(w, "["+record+"}")
				for element := "," + record + strings.Repeat(" ", 1000) + "}"; err == nil; {
					_, err = fmt.Fprint(w, element)
				}
			}))
			defer service.Close()
			base, err := url.Parse(service.URL)
			if err != nil {
				t.Fatal(err)
			}
			c := New(Config{BaseURL: base, RequestTimeout: time.Minute, ReadTimeout: time.Minute, MaxRetries: 4})
			c.maxBody = limit
			_, err = c.Models(t.Context(), "g")
			var tooLarge *TooLargeError
			if !errors.As(err, &tooLarge) {
				t.Fatal(err)
			}
			if tooLarge.Limit != limit || tooLarge.Size != announced || tooLarge.Path != "/v1/model-group/g/models" {
				t.Errorf("%+v", tooLarge)
			}
			if reads.Load() != 1 {
				t.Errorf("%d reads: a retry cannot help", reads.Load())
			}
		})
	}
}
