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

data "modelcatalogue_latest_models" "all" {
  attributes = ["revision", "docker_image"]
}

output "images" {
  value = { for id, model in data.modelcatalogue_latest_models.all.models : id => model.docker_image }
}
