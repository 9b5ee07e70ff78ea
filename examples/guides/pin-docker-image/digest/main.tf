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
    revision = 3
    digest   = "sha256:e49d63b2a8a78f048bafc4b4590029603a5a4165ee8bf98af15d62f24cd83479"
  }
}

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = local.pin.revision

  lifecycle {
    postcondition {
      condition     = try(provider::modelcatalogue::parse_image(self.docker_image).digest, null) == local.pin.digest
      error_message = "Revision ${self.revision} has the image ${coalesce(self.docker_image, "(withheld)")}, which is not the pinned ${local.pin.digest}."
    }
  }
}

output "image" {
  value = data.modelcatalogue_model.price.docker_image
}
