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

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 1
  docker_image   = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
}

output "image" {
  description = "The container image to deploy."
  value       = data.modelcatalogue_model.price.docker_image
}
