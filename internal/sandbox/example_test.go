package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// A client reads the newest revision, as any client of the service does, after
// the test has published one.
func Example() {
	service := sandbox.New(sandbox.Default())
	server := httptest.NewServer(service)
	defer server.Close()

	if _, err := service.Publish(sandbox.MainGroup, []byte(`{"dockerImage": "registry.example/price:2.0.0"}`)); err != nil {
		panic(err)
	}

	var token struct {
		AccessToken string `json:"access_token"`
	}
	answer, err := http.PostForm(server.URL+"/v1/auth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"northwind"}, "client_secret": {"northwind-sandbox-secret"},
	})
	decode(answer, err, &token)

	request, err := http.NewRequest(http.MethodGet, server.URL+"/v1/model-group/"+sandbox.MainGroup+"/latest-model", nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+token.AccessToken)
	var model struct {
		Revision    int
		DockerImage string
	}
	answer, err = http.DefaultClient.Do(request)
	decode(answer, err, &model)

	fmt.Println(model.Revision, model.DockerImage)
	fmt.Println(service.Count(sandbox.RouteLatest), "read of the latest model")
	// Output:
	// 4 registry.example/price:2.0.0
	// 1 read of the latest model
}

func decode(answer *http.Response, err error, into any) {
	if err == nil {
		defer answer.Body.Close()
		err = json.NewDecoder(answer.Body).Decode(into)
	}
	if err != nil {
		panic(err)
	}
}
