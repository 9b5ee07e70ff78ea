data "modelcatalogue_latest_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
}

# A plan shows this output change when a revision is published.
output "latest" {
  value = {
    revision = data.modelcatalogue_latest_model.price.revision
    image    = data.modelcatalogue_latest_model.price.docker_image
  }
}

# The newest that is in service and has both tags.
data "modelcatalogue_latest_model" "in_service" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"

  where {
    enabled  = true
    archived = false
    tags     = ["power", "DE-LU"]
  }
}

# Metadata is JSON of any shape.
output "algorithm" {
  value = try(jsondecode(data.modelcatalogue_latest_model.in_service.model_metadata).algorithm, "unknown")
}
