terraform {
  required_providers {
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = "~> 3.0"
    }
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "kubernetes" {
  config_path = "~/.kube/config"
}

provider "modelcatalogue" {}

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 1
  docker_image   = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
}

locals {
  labels = { "app.kubernetes.io/name" = data.modelcatalogue_model.price.name }
}

resource "kubernetes_deployment_v1" "price" {
  metadata {
    name   = data.modelcatalogue_model.price.name
    labels = local.labels
  }

  spec {
    replicas = 1

    selector {
      match_labels = local.labels
    }

    template {
      metadata {
        labels = local.labels

        # New pods for a re-publication, though it may keep the image's reference.
        annotations = {
          "modelcatalogue/revision"   = data.modelcatalogue_model.price.revision
          "modelcatalogue/updated-at" = data.modelcatalogue_model.price.updated_at
        }
      }

      spec {
        container {
          name              = "model"
          image             = data.modelcatalogue_model.price.docker_image
          image_pull_policy = "Always"
        }
      }
    }
  }
}
