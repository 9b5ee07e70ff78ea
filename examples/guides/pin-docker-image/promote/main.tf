terraform {
  required_providers {
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "modelcatalogue" {}

locals {
  # What the configuration of staging pins, from its own file.
  staging = {
    "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = { revision = 3 }
  }
  production = {
    "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = {
      revision = 1
      image    = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
    }
  }
  ahead = [for id, pin in local.production : id if !try(pin.revision <= local.staging[id].revision, false)]
}

data "modelcatalogue_pinned_models" "production" {
  revisions     = { for id, pin in local.production : id => pin.revision }
  docker_images = { for id, pin in local.production : id => pin.image }
  attributes    = ["docker_image"]
}

output "images" {
  value = { for id, model in data.modelcatalogue_pinned_models.production.models : id => model.docker_image }

  precondition {
    condition     = length(local.ahead) == 0
    error_message = "Staging does not have these revisions yet: ${join(", ", local.ahead)}."
  }
}
