package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// serve serves the groups group-0, group-1 and so on. Their revisions are copies of the sandbox's richest model. The
// answers are prepared, so that a plan waits only for the latency.
func serve(s scenario) (*httptest.Server, error) {
	text, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		return nil, err
	}
	var model map[string]json.RawMessage // some numbers have more digits than a float64
	if err := json.Unmarshal(text, &model); err != nil {
		return nil, err
	}
	answers := map[string][]byte{"/v1/auth/token": []byte(`{"access_token": "bench", "expires_in": 3600}`)}
	for i := range s.groups {
		id := fmt.Sprintf("group-%d", i)
		revisions := make([]map[string]json.RawMessage, s.models)
		for revision := range revisions {
			copied := maps.Clone(model)
			copied["id"] = fmt.Appendf(nil, `"%s-%d"`, id, revision)
			copied["modelGroupId"] = fmt.Appendf(nil, "%q", id)
			copied["revision"] = fmt.Append(nil, revision)
			revisions[revision] = copied
		}
		path := "/v1/model-group/" + id
		if answers[path+"/models"], err = json.Marshal(revisions); err != nil {
			return nil, err
		}
		if answers[path+"/latest-model"], err = json.Marshal(revisions[s.models-1]); err != nil {
			return nil, err
		}
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(s.latency)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answers[r.URL.Path])
	})), nil
}
