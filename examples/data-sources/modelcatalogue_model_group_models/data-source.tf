data "modelcatalogue_model_group_models" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
}

# The image of each revision, archived ones too.
output "images" {
  value = {
    for model in data.modelcatalogue_model_group_models.price.models :
    model.revision => model.docker_image
  }
}

# The newest revision that is in service, or null: the list has the newest first.
output "in_service" {
  value = try([
    for model in data.modelcatalogue_model_group_models.price.models :
    model.revision if model.enabled && !model.archived
  ][0], null)
}
