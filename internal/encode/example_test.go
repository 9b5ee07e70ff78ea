package encode_test

import (
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/encode"
)

func Example() {
	type model struct {
		Revision *int64   `tfsdk:"revision"`
		Tags     []string `tfsdk:"tags"`
	}
	encoder, err := encode.Compile(reflect.TypeFor[*model](), tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"revision": tftypes.Number, "tags": tftypes.List{ElementType: tftypes.String},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	value := &model{Revision: new(int64(7)), Tags: []string{"day"}}
	packed, err := encoder.Encode(value, 100)
	fmt.Printf("%q %v\n", packed, err)
	_, err = encoder.Encode(value, 10)
	fmt.Println(err)
	// Output:
	// "\x82\xa8revision\a\xa4tags\x91\xa3day" <nil>
	// the value takes 21 bytes, more than the 10 of one message
}
