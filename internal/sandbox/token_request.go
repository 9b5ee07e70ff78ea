package sandbox

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
)

// contentTypes are what the token endpoint reads, by its format.
var contentTypes = map[TokenFormat][]string{
	TokenForm: {formType}, TokenJSON: {jsonType}, TokenAny: {formType, jsonType},
}

// refuse answers a content type that the endpoint does not take: a server
// that takes JSON looks at the content type first, one that takes forms cannot
// read the body.
func (f TokenFormat) refuse() *answer {
	expected := strings.Join(contentTypes[f], " or ")
	said := "The content type must be " + expected + "."
	if f != TokenJSON {
		return badToken("invalid_request", said)
	}
	return refuseToken(http.StatusUnsupportedMediaType, "invalid_request", said).with("Accept-Post", expected)
}

// tokenFields returns the three fields, each sent once and in the body.
func (s *Sandbox) tokenFields(x *exchange) (url.Values, *answer) {
	kind := mediaType(x.request)
	if format := s.settings.format; !slices.Contains(contentTypes[format], kind) {
		return nil, format.refuse()
	}
	fields, problem := parseToken(kind, x.body)
	if problem = cmp.Or(misplaced(x.request), problem, surplus(fields)); problem != "" {
		return nil, badToken("invalid_request", problem)
	}
	if fields.Get("grant_type") != "client_credentials" {
		return nil, badToken("unsupported_grant_type", "grant_type must be client_credentials.")
	}
	for _, name := range []string{"client_id", "client_secret"} {
		if fields.Get(name) == "" {
			return nil, badToken("invalid_request", "The field "+name+" is missing.")
		}
	}
	return fields, nil
}

// misplaced says what is not in the body. RFC 6749 §2.3.1 keeps credentials out
// of the URI, and §2.3 allows one way of sending them, which is the body
// (INTERFACE.md, Endpoints 3).
func misplaced(r *http.Request) string {
	switch {
	case r.URL.RawQuery != "":
		return "Parameters belong into the body, not into the query."
	case len(r.Header.Values("Authorization")) > 0:
		return "Credentials belong into the body, not into the Authorization header."
	}
	return ""
}

// surplus says which field is sent twice, or is not documented. The RFC would
// have that one ignored, but a client that sends it should hear of it here.
func surplus(fields url.Values) string {
	for name, values := range fields {
		switch {
		case name != "grant_type" && name != "client_id" && name != "client_secret":
			return "The field " + strconv.Quote(name) + " is not known."
		case len(values) > 1:
			return "The field " + name + " is sent more than once."
		}
	}
	return ""
}

// mediaType is the content type without its parameters.
func mediaType(r *http.Request) string {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// parseToken reads the fields of a body of that media type, or says to the
// caller what is wrong with it.
func parseToken(mediaType string, body []byte) (fields url.Values, problem string) {
	if mediaType == formType {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, "The body is no valid form."
		}
		return form, ""
	}
	raw, _ := compact(body)
	members := parseObject(raw)
	if mediaType != jsonType || members == nil {
		return nil, "The body must be a JSON object."
	}
	fields = url.Values{}
	for _, m := range members {
		value, ok := object{m}.text(m.name)
		if !ok {
			return nil, fmt.Sprintf("The field %q must be a string.", m.name)
		}
		fields.Add(m.name, value)
	}
	return fields, ""
}
