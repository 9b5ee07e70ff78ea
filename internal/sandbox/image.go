package sandbox

import (
	"fmt"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/imageref"
)

// checkImage refuses changes whose dockerImage no registry could have. An empty one is a model without an image.
// Control routes and the page check it; in Go a test may publish any text, to see what a client makes of it.
func checkImage(changes []byte) error {
	image := parseObject(changes).text("dockerImage")
	if _, err := imageref.Parse(image); err != nil && image != "" {
		const form = "%.200q is not a container image such as registry.example/team/model:1.2.3: %s"
		return TextErrors{{Path: "dockerImage", Problem: fmt.Sprintf(form, image, err)}}
	}
	return nil
}
