terraform {
  required_version = ">= 1.3"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

data "modelcatalogue_model_groups" "all" {}

locals {
  groups = { for group in data.modelcatalogue_model_groups.all.model_groups : group.id => group }
}

output "latest_revisions" {
  value = { for id, group in local.groups : id => group.latest_revision }
}
