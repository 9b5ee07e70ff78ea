terraform {
  required_version = ">= 1.3"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

data "modelcatalogue_model_groups" "all" {}

output "groups" {
  value = length(data.modelcatalogue_model_groups.all.model_groups)
}
