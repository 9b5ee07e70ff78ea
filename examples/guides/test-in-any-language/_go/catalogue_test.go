package catalogue

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"testing"
)

const group = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

var service struct{ URL, ClientID, ClientSecret string }

func TestMain(m *testing.M) {
	sandbox := exec.Command("modelcatalogue-sandbox", "-listen=127.0.0.1:0", "-ready-file=sandbox.json")
	must(sandbox.Start())
	must(exec.Command("modelcatalogue-sandbox", "wait", "-ready-file=sandbox.json").Run())
	text, err := os.ReadFile("sandbox.json")
	must(err)
	must(json.Unmarshal(text, &service))
	status := m.Run()
	_ = sandbox.Process.Signal(os.Interrupt)
	_ = sandbox.Wait()
	os.Exit(status)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// tell sends a request to a control route.
func tell(path string) {
	response, err := http.Post(service.URL+"/control/"+path, "", nil)
	must(err)
	must(response.Body.Close())
}

func latest() int {
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {service.ClientID}, "client_secret": {service.ClientSecret},
	}
	response, err := http.PostForm(service.URL+"/v1/auth/token", form)
	must(err)
	var token struct {
		Text string `json:"access_token"`
	}
	must(json.NewDecoder(response.Body).Decode(&token))
	request, err := http.NewRequest(http.MethodGet, service.URL+"/v1/model-group/"+group+"/latest-model", nil)
	must(err)
	request.Header.Set("Authorization", "Bearer "+token.Text)
	response, err = http.DefaultClient.Do(request)
	must(err)
	var model struct{ Revision int }
	must(json.NewDecoder(response.Body).Decode(&model))
	return model.Revision
}

func TestPublicationIsSeen(t *testing.T) {
	tell("reset")
	tell("model-groups/" + group + "/publish")
	if revision := latest(); revision != 4 {
		t.Errorf("the latest revision is %d", revision)
	}
}

func TestTheNextTestBeginsAnew(t *testing.T) {
	tell("reset")
	if revision := latest(); revision != 3 {
		t.Errorf("the latest revision is %d", revision)
	}
}
