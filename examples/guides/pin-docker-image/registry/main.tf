terraform {
  required_version = ">= 1.8"

  required_providers {
    docker = {
      source  = "kreuzwerker/docker"
      version = "~> 4.0"
    }
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

# Credentials that may pull the image. Leave out the block for a public registry.
variable "registry_username" {
  type = string
}

variable "registry_password" {
  type      = string
  sensitive = true
}

provider "docker" {
  registry_auth {
    address  = "registry.northwind.example"
    username = var.registry_username
    password = var.registry_password
  }
}

provider "modelcatalogue" {}

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 1
  docker_image   = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
}

# Reads the digest behind the tag from its registry.
data "docker_registry_image" "price" {
  name = data.modelcatalogue_model.price.docker_image

  lifecycle {
    postcondition {
      condition     = self.sha256_digest == "sha256:6d5e0178bd860172dfb9834d43bcd4e88f89ce4523df7b831877d244a7718f11"
      error_message = "${self.name} now stands for ${self.sha256_digest}, which nobody has reviewed."
    }
  }
}

output "image" {
  description = "The container image to deploy, by its content."
  value       = "${provider::modelcatalogue::parse_image(data.docker_registry_image.price.name).familiar_name}@${data.docker_registry_image.price.sha256_digest}"
}
