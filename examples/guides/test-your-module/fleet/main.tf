terraform {
  required_version = ">= 1.3"

  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

data "modelcatalogue_latest_models" "fleet" {}

output "images" {
  value = {
    for group, model in data.modelcatalogue_latest_models.fleet.models : group => model.docker_image
    if model.docker_image != null
  }
}
