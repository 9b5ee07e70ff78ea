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
  pin = {
    revision = 1
    image    = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
  }
}

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = local.pin.revision

  lifecycle {
    postcondition {
      condition     = self.docker_image == local.pin.image
      error_message = "Revision ${self.revision} now has the image ${coalesce(self.docker_image, "(withheld)")}, and ${local.pin.image} was pinned."
    }
  }
}

output "image" {
  value = data.modelcatalogue_model.price.docker_image
}
