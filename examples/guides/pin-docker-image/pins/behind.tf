check "pins_are_latest" {
  assert {
    condition = alltrue([for model in data.modelcatalogue_pinned_models.deployed.models : model.is_latest])
    error_message = join("\n", [
      for model in data.modelcatalogue_pinned_models.deployed.models :
      "${model.display_name}: revision ${model.revision} is deployed, and revision ${model.latest_revision} is published." if !model.is_latest
    ])
  }
}
