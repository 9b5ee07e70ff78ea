package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// One client serves a process. Here the sandbox stands for the service.
func Example() {
	server := httptest.NewServer(sandbox.New(sandbox.Default()))
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	client := catalogue.New(catalogue.Config{
		BaseURL: base, ClientID: "northwind", ClientSecret: "northwind-sandbox-secret",
		RequestTimeout: 30 * time.Second, ReadTimeout: 5 * time.Minute, MaxRetries: 4, Snapshot: true,
	})
	for _, group := range []string{sandbox.MainGroup, "no-such-group"} {
		model, err := client.LatestModel(context.Background(), group)
		switch {
		case errors.Is(err, catalogue.ErrNotFound):
			fmt.Println("no such group, none that may be seen, or one without models")
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Printf("%s, revision %d\n", *model.Name, *model.Revision)
		}
	}
	// Output:
	// de-lu-day-ahead-price, revision 3
	// no such group, none that may be seen, or one without models
}
