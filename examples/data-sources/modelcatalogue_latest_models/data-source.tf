# Every day-ahead group that has a model, with two attributes of each model: the
# others are null, and stay out of the state.
data "modelcatalogue_latest_models" "day_ahead" {
  time_horizon = "day_ahead"
  attributes   = ["revision", "docker_image"]
}

# A plan shows which of them move when revisions are published.
output "images" {
  value = {
    for id, model in data.modelcatalogue_latest_models.day_ahead.models :
    id => model.docker_image
  }
}

# Groups by their ids, with all attributes of a model.
data "modelcatalogue_latest_models" "named" {
  model_group_ids = [
    "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01",
    "300e8055-5890-451a-a300-e618befa8baf",
  ]
}

output "names" {
  value = { for id, model in data.modelcatalogue_latest_models.named.models : id => model.display_name }
}

# The newest model in service of each group that the credentials may see. Groups
# without one are left out.
data "modelcatalogue_latest_models" "enabled" {
  attributes = ["revision"]

  where {
    enabled  = true
    archived = false
  }
}

output "enabled" {
  value = { for id, model in data.modelcatalogue_latest_models.enabled.models : id => model.revision }
}
