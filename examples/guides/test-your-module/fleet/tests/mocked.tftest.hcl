mock_provider "modelcatalogue" {
  mock_data "modelcatalogue_latest_models" {
    defaults = {
      models = {
        load = { docker_image = "registry.example/load:1.0.0" }
        wind = { docker_image = "registry.example/wind:2.1.0" }
      }
    }
  }
}

run "has_an_image_for_each_group" {
  command = plan

  assert {
    condition     = output.images["wind"] == "registry.example/wind:2.1.0" && length(output.images) == 2
    error_message = "The images are not those of the groups."
  }
}

run "leaves_out_a_group_whose_image_is_withheld" {
  command = plan

  override_data {
    target = data.modelcatalogue_latest_models.fleet
    values = {
      models = {
        load = { docker_image = "registry.example/load:1.0.0" }
        wind = { docker_image = null }
      }
    }
  }

  assert {
    condition     = join(", ", keys(output.images)) == "load"
    error_message = "The group without an image is not left out."
  }
}
