terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

data "modelcatalogue_model_group" "load" {
  name = "Load forecast"
}

data "modelcatalogue_latest_model" "load" {
  model_group_id = data.modelcatalogue_model_group.load.id
}

output "image" {
  value = data.modelcatalogue_latest_model.load.docker_image
}
