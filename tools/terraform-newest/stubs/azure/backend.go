// Package azure stands in for Terraform's state backend of that name: see DESIGN.md.
package azure

import "github.com/hashicorp/terraform/internal/backend"

// New makes none.
func New() backend.Backend { return nil }
