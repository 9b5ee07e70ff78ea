data "modelcatalogue_model_group_models" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
}

locals {
  # Newest first, as the data source lists them.
  candidates = [
    for model in data.modelcatalogue_model_group_models.price.models :
    model if model.enabled && !model.archived && model.output_file_format == "parquet"
  ]
}

output "deploy" {
  value = {
    revision = local.candidates[0].revision
    image    = local.candidates[0].docker_image
  }

  precondition {
    condition     = length(local.candidates) > 0
    error_message = "No revision of the group is in service and writes parquet."
  }
}
