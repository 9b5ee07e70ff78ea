data "modelcatalogue_pinned_models" "this" {
  revisions = {
    "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = 1
    "300e8055-5890-451a-a300-e618befa8baf" = 1
  }
  attributes = ["docker_image", "revision", "latest_revision", "is_latest"]
}

# Null where the credentials are not of the organisation that owns the model.
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
