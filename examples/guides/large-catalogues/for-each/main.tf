terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

data "modelcatalogue_model_groups" "all" {}

# One block and one request for each group: expensive if there are many.
data "modelcatalogue_model_group" "each" {
  for_each = toset(data.modelcatalogue_model_groups.all.model_groups[*].id)

  id = each.key
}

output "latest_revisions" {
  value = { for id, group in data.modelcatalogue_model_group.each : id => group.latest_revision }
}
