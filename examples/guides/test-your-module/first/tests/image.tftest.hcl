run "deploys_an_image_of_the_catalogue" {
  command = plan

  assert {
    condition     = startswith(output.image, "registry.northwind.example/forecasting/")
    error_message = "The image is ${output.image}."
  }
}
