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

data "modelcatalogue_latest_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

  where {
    tags = ["production"]
  }
}

output "image" {
  value = data.modelcatalogue_latest_model.price.docker_image
}
