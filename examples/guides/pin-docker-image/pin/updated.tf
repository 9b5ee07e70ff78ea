check "not_updated" {
  assert {
    condition     = data.modelcatalogue_model.price.updated_at == "2025-11-17T08:12:44.120Z"
    error_message = "Revision ${data.modelcatalogue_model.price.revision} was re-published, or its settings were changed, at ${data.modelcatalogue_model.price.updated_at}."
  }
}
