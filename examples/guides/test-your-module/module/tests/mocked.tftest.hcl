# Needs neither a service nor credentials: the values come from the file of mocks.
mock_provider "modelcatalogue" {
  source = "./tests/mocks"
}

run "passes_the_image_on" {
  command = plan

  assert {
    condition     = output.image == "registry.example/forecasting/de-lu-day-ahead-price:1.0.3"
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
