package catalogue

import (
	"net/http"
	"os"
	"testing"
)

func TestPublicationIsSeen(t *testing.T) {
	control := os.Getenv("MODELCATALOGUE_BASE_URL") + "/control/"
	for _, path := range []string{"reset", "model-groups/7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01/publish"} {
		answer, err := http.Post(control+path, "", nil)
		if err != nil || answer.StatusCode >= 300 {
			t.Fatal(answer, err)
		}
	}
	// Here your program reads revision 4.
}
