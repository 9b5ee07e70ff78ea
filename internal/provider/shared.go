package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// sharedCause identifies a cause that concerns every read of a process, such as
// rejected credentials or a service that is down. Nothing in it differs from read
// to read.
type sharedCause struct {
	summary string
	status  int
	code    string
}

// toldCauses are the shared causes that were told in full, each with the data
// source that had the error. It is safe for concurrent use.
type toldCauses struct {
	mu sync.Mutex
	at map[sharedCause]string
}

// first records that a data source tells a cause in full. Where another one did
// so before, it returns that one.
func (t *toldCauses) first(cause sharedCause, source string) (before string, told bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, told = t.at[cause]; told {
		return before, true
	}
	if t.at == nil {
		t.at = map[sharedCause]string{}
	}
	t.at[cause] = source
	return "", false
}

// diagnose turns an error of the client into what a user is told. A cause that
// concerns every read of the process is told in full once, and in two lines
// after that: a plan of hundreds of blocks shows one error hundreds of times.
func (d *catalogueDataSource) diagnose(err error, about subject) diag.Diagnostic {
	m := explain(err, about)
	m.tellReadTimeout(d.connection.limit)
	if m.blamed {
		m.blame(d.connection.credentials)
	}
	if m.shared == (sharedCause{}) {
		return m.whole()
	}
	source := typeName + "_" + d.name
	if about.value != "" {
		source += fmt.Sprintf(" %q", cut(about.value, maxPointedTo))
	}
	if before, told := d.connection.told.first(m.shared, source); told {
		return m.brief(before, before == source)
	}
	return m.whole()
}

// maxPointedTo bounds the value in a pointer, in characters: a UUID stays whole,
// and no pointer takes a third line.
const maxPointedTo = 36
