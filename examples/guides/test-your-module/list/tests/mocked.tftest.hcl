mock_provider "modelcatalogue" {}

override_module {
  target = module.catalogue
  outputs = {
    model_groups = [
      { id = "load", latest_revision = 3 },
      { id = "wind", latest_revision = 0 },
    ]
  }
}

run "keys_by_id" {
  command = plan

  assert {
    condition     = output.latest_revisions["load"] == 3 && output.latest_revisions["wind"] == 0
    error_message = "The revisions are not those of the groups."
  }
}
