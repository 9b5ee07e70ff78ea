terraform {
  required_version = ">= 1.8"

  required_providers {
    docker = {
      source  = "kreuzwerker/docker"
      version = "~> 4.0"
    }
    google = {
      source  = "hashicorp/google"
      version = "~> 7.0"
    }
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "google" {
  project = "northwind"
  region  = "europe-west3"
}

variable "password_secret_version" {
  description = "The version of a secret in Secret Manager with the registry's password, such as projects/northwind/secrets/registry/versions/1."
  type        = string
}

provider "modelcatalogue" {}

# Credentials that may pull the image.
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

# Cloud Run pulls from Artifact Registry, so this repository stands in front of the registry.
# Its service agent needs the role roles/secretmanager.secretAccessor on the secret.
resource "google_artifact_registry_repository" "models" {
  location      = "europe-west3"
  repository_id = "models"
  format        = "DOCKER"
  mode          = "REMOTE_REPOSITORY"

  remote_repository_config {
    docker_repository {
      custom_repository {
        uri = "https://registry.northwind.example"
      }
    }
    upstream_credentials {
      username_password_credentials {
        username                = var.registry_username
        password_secret_version = var.password_secret_version
      }
    }
  }
}

# Made of values that the plan knows, not of attributes of the repository, because
# the policy must read it.
locals {
  image = "europe-west3-docker.pkg.dev/northwind/models/${provider::modelcatalogue::parse_image(data.docker_registry_image.price.name).repository}@${data.docker_registry_image.price.sha256_digest}"
}

resource "google_cloud_run_v2_service" "price" {
  name       = "price"
  location   = "europe-west3"
  depends_on = [google_artifact_registry_repository.models]

  template {
    containers {
      image = local.image
      ports {
        container_port = 8080
      }
    }
  }
}
