package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// faultOrder is the body of POST /control/faults. What would say nothing is
// refused: a fault that does nothing, ways to fail that exclude each other.
type faultOrder struct {
	// Which requests it hits: those of a route, those of one path.
	Route Route  `json:"route" enum:"token,groups,group,latest,models,unknown,any"`
	Path  string `json:"path"`
	// How many are let through first, and how many are hit then: 0 is for good.
	Skip  int `json:"skip"`
	Times int `json:"times"`

	// An answer in place of the service's own: an error with a code of the
	// interface, which has its status; one with a code of the future and a
	// status; or the HTML page of a gateway on the way to the service.
	Code       string     `json:"code"`
	Message    string     `json:"message"`
	Status     int        `json:"status"`
	HTML       bool       `json:"html"`
	RetryAfter retryValue `json:"retryAfter"`

	// What becomes of the answer, be it the service's own or the one above.
	Delay duration `json:"delay"`                  // passes before anything else
	Drop  bool     `json:"drop"`                   // no answer: the connection is reset
	Hang  bool     `json:"hang"`                   // no answer until the client gives up
	Cut   string   `json:"cut" enum:"length,json"` // short of its announced length, or inside its JSON
}

// readFault makes the fault that a text orders. Its errors are [TextError]s.
func readFault(text []byte) (Fault, error) {
	var o faultOrder
	if err := readStrict(text, &o); err != nil {
		return Fault{}, err
	}
	if field, problem := o.problem(); problem != "" {
		return Fault{}, wrong(text, jsontext.Pointer("/"+field), "%s", problem)
	}
	f := Fault{
		Route: o.Route, Path: o.Path, Skip: o.Skip, Times: o.Times, Delay: time.Duration(o.Delay),
		Kind: map[string]Kind{"length": CutLength, "json": CutJSON}[o.Cut],
	}
	switch {
	case o.Drop:
		f.Kind = Reset
	case o.Hang:
		f.Kind = Hang
	case o.answers():
		a := o.answer()
		f.Status, f.Header, f.Body = a.status, a.header, string(a.body)
	}
	return f, nil
}

// answers tells whether the fault has an answer of its own.
func (o faultOrder) answers() bool { return o.Code != "" || o.Status != 0 || o.HTML }

// problem is what is wrong with the order, and in which field.
func (o faultOrder) problem() (field, problem string) {
	for _, check := range []func() (field, problem string){o.problemOfMatch, o.problemOfAnswer, o.problemOfWhole} {
		if field, problem = check(); problem != "" {
			break
		}
	}
	return field, problem
}

// problemOfMatch is what is wrong with the requests that the order chooses.
func (o faultOrder) problemOfMatch() (field, problem string) {
	switch {
	case o.Path != "" && !strings.HasPrefix(o.Path, "/v1/"):
		return "path", "a path of the interface is expected, such as /v1/model-group"
	case o.Skip < 0:
		return "skip", "it must not be negative"
	case o.Times < 0:
		return "times", "it must not be negative; 0 is for good"
	}
	return "", ""
}

// problemOfAnswer is what is wrong with the status and the code.
func (o faultOrder) problemOfAnswer() (field, problem string) {
	documented := statuses[o.Code] + oauthStatuses[o.Code] // no code is in both
	switch {
	case o.Status != 0 && (o.Status < 200 || o.Status > 599):
		return "status", "a status from 200 to 599 is expected"
	case o.Code != "" && documented == 0 && o.Status == 0:
		known := slices.Concat(slices.Sorted(maps.Keys(statuses)), slices.Sorted(maps.Keys(oauthStatuses)))
		return "code", "the interface has no such code, so a status is needed; known are " + strings.Join(known, ", ")
	case documented != 0 && o.Status != 0 && o.Status != documented:
		return "status", fmt.Sprintf("the status of %s is %d", o.Code, documented)
	case oauthStatuses[o.Code] != 0 && o.Route != RouteToken:
		return "code", "it is an error of the token endpoint, so the route must be token"
	}
	return "", ""
}

// problemOfWhole is which fields have no meaning together.
func (o faultOrder) problemOfWhole() (field, problem string) {
	switch {
	case o.HTML && o.Code != "":
		return "html", "a page has no code"
	case o.Drop && o.Hang:
		return "hang", "a connection that is dropped does not hang"
	case (o.Drop || o.Hang) && (o.answers() || o.Cut != ""):
		return "", "drop and hang give no answer, so code, status, html and cut have no meaning"
	case !o.answers() && (o.Message != "" || o.RetryAfter != ""):
		return "", "message and retryAfter need a code or a status"
	case !o.answers() && !o.Drop && !o.Hang && o.Cut == "" && o.Delay == 0:
		return "", "this does nothing: give code, status, html, delay, drop, hang or cut"
	}
	return "", ""
}

// answer is what the fault answers in place of the service.
func (o faultOrder) answer() *answer {
	message := o.Message
	if message == "" {
		message = "A fault was injected into the sandbox."
	}
	var a *answer
	switch status := o.status(); {
	case o.HTML:
		a = page(status, http.StatusText(status), message)
	case oauthStatuses[o.Code] != 0:
		a = refuseToken(status, o.Code, message)
	case o.Code != "":
		a = refuse(status, o.Code, message)
	default:
		a = refuse(status, codeOf(status), message)
	}
	if o.RetryAfter != "" {
		a.with("Retry-After", string(o.RetryAfter))
	}
	return a
}

func (o faultOrder) status() int {
	if o.Status == 0 && o.HTML {
		return http.StatusBadGateway
	}
	return max(o.Status, statuses[o.Code], oauthStatuses[o.Code])
}

// codeOf is the code that says no more than the status.
func codeOf(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "RATE_LIMITED"
	case http.StatusInternalServerError:
		return "INTERNAL_ERROR"
	}
	if text := http.StatusText(status); text != "" {
		return strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_", "'", "").Replace(text))
	}
	return "STATUS_" + strconv.Itoa(status)
}

// duration is a time as Go spells it, such as 500ms.
type duration time.Duration

func (d *duration) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var text string
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if json.Unmarshal(value, &text) == nil {
		if parsed, err := time.ParseDuration(text); err == nil && parsed > 0 {
			*d = duration(parsed)
			return nil
		}
	}
	return errors.New(`a time is expected, such as "500ms" or "2s"`)
}

// retryValue is a value of Retry-After: whole seconds, or an HTTP date.
type retryValue string

func (r *retryValue) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	text := string(value)
	if value.Kind() == jsontext.KindString {
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		_, err = http.ParseTime(text)
	} else {
		_, err = strconv.ParseUint(text, 10, 31)
	}
	if err != nil {
		return errors.New("whole seconds are expected, or an HTTP date in a string")
	}
	*r = retryValue(text)
	return nil
}

func (s *Sandbox) controlInject(x *exchange) *answer {
	fault, err := readFault(x.body)
	if err != nil {
		return refuseControl(err)
	}
	raw, err := compact(x.body)
	if err != nil {
		return refuseControl(err)
	}
	order, err := parseObject(raw)
	if err != nil {
		return refuseControl(err)
	}
	in := s.inject(fault, order)
	return respond(http.StatusCreated, object{{"id", encode(in.id)}}.json())
}

// controlFaults lists faults as they were ordered, each with its id and how
// many requests it has hit.
func (s *Sandbox) controlFaults(*exchange) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]jsontext.Value, len(s.faults))
	for i, f := range s.faults {
		list[i] = append(object{{"id", encode(f.id)}, {"hits", encode(f.hits())}}, f.order...).json()
	}
	return respond(http.StatusOK, array(list))
}

func (s *Sandbox) controlRemoveFault(x *exchange) *answer {
	id, err := strconv.Atoi(x.values["fault"])
	if err != nil || !s.removeFault(id) {
		return deny("NOT_FOUND", "No fault has the id "+strconv.Quote(x.values["fault"])+".")
	}
	return respond(http.StatusNoContent, nil)
}

func (s *Sandbox) controlClearFaults(*exchange) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
	return respond(http.StatusNoContent, nil)
}
