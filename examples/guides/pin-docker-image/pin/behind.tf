check "pin_is_latest" {
  assert {
    condition     = data.modelcatalogue_model.price.is_latest
    error_message = "Revision ${data.modelcatalogue_model.price.revision} is deployed, and revision ${data.modelcatalogue_model.price.latest_revision} is published."
  }
}
