# `modelcatalogue-sandbox exec` sets the address. Without a snapshot each run
# reads what was published before it.
provider "modelcatalogue" {
  snapshot = false
}

# An organisation without groups of its own.
provider "modelcatalogue" {
  alias         = "outsider"
  client_id     = "contoso-trading"
  client_secret = "contoso-trading-sandbox-secret"
  snapshot      = false
}

run "reads_the_pinned_revision" {
  assert {
    condition     = output.image == "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
    error_message = "The output is not the image of revision 1."
  }
}

run "stops_if_the_image_is_withheld" {
  command = plan

  providers = {
    modelcatalogue = modelcatalogue.outsider
  }

  expect_failures = [data.modelcatalogue_model.this]
}

run "publish" {
  module {
    source = "./tests/publish"
  }

  variables {
    model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
    fields         = { dockerImage = "registry.example/model:2.0.0" }
  }
}

run "reads_what_was_published" {
  variables {
    revision = 4
  }

  assert {
    condition     = output.image == "registry.example/model:2.0.0"
    error_message = "The output is not the image that was published."
  }
}
