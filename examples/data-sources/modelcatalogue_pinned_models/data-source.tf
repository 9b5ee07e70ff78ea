locals {
  pins = {
    "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = {
      revision = 1
      image    = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
    }
    "270c0fa6-6a8c-4874-8f76-da0680bcda61" = {
      revision = 2
      image    = "registry.northwind.example/forecasting/north-sea-wind-week:2.1.0"
    }
  }
}

# The plan stops if a revision was re-published with a different image.
data "modelcatalogue_pinned_models" "this" {
  revisions     = { for id, pin in local.pins : id => pin.revision }
  docker_images = { for id, pin in local.pins : id => pin.image }
  attributes    = ["docker_image", "revision", "latest_revision", "is_latest"]
}

output "images" {
  value = {
    for id, model in data.modelcatalogue_pinned_models.this.models :
    id => model.docker_image
  }
}

output "behind" {
  value = {
    for id, model in data.modelcatalogue_pinned_models.this.models :
    id => model.latest_revision - model.revision if !model.is_latest
  }
}
