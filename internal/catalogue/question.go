package catalogue

import (
	"context"
)

// question is what a caller asks, or that a token is wanted. The scheduler knows its endpoint only.
type question struct {
	to  Endpoint
	ctx context.Context                                                 // of the first caller who asks it, without its end: loggers are among its values
	ask func(ctx context.Context, sent *attempt) (value any, err error) // makes one exchange
}
