data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 1
}

# Null unless the credentials belong to the organisation that owns the model.
output "image" {
  value = data.modelcatalogue_model.price.docker_image
}

# With the image that was reviewed: the plan stops if the revision was
# re-published with a different one.
data "modelcatalogue_model" "reviewed" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 1
  docker_image   = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
}

output "behind" {
  value = data.modelcatalogue_model.reviewed.latest_revision - data.modelcatalogue_model.reviewed.revision
}

# An archived or disabled revision gives a warning, unless the block accepts it.
data "modelcatalogue_model" "withdrawn" {
  model_group_id   = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision         = 2
  accept_withdrawn = true
}

# Axis values are strings; the axis's type says what to convert them to.
output "numbers" {
  value = {
    for axis in data.modelcatalogue_model.withdrawn.axes :
    axis.key => [for value in axis.values : tonumber(value)] if axis.type == "number"
  }
}
