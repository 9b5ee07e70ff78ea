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

data "modelcatalogue_latest_model" "each" {
  # A group without models has no latest one, and would fail the plan.
  for_each = {
    for group in data.modelcatalogue_model_groups.all.model_groups :
    group.id => group if length(group.models) > 0
  }

  model_group_id = each.key
}

output "images" {
  value = { for id, model in data.modelcatalogue_latest_model.each : id => model.docker_image }
}
