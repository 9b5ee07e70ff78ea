# No service and no credentials: the engine makes up what is read.
mock_provider "modelcatalogue" {
  mock_data "modelcatalogue_model" {
    defaults = {
      docker_image   = "registry.example/model:1.0.0"
      model_metadata = "{\"region\":\"DE\"}"
    }
  }
}

run "passes_the_image_on" {
  command = plan

  assert {
    condition     = output.image == "registry.example/model:1.0.0"
    error_message = "The output is not the image of the model."
  }
}

run "stops_if_the_image_is_withheld" {
  command = plan

  override_data {
    target = data.modelcatalogue_model.this
    values = {
      docker_image = null
    }
  }

  expect_failures = [data.modelcatalogue_model.this]
}
