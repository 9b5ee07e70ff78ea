# The real provider reads the service that the environment names: a sandbox.
run "reads_the_pinned_revision" {
  assert {
    condition     = output.image == "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
    error_message = "The output is not the image of revision 1."
  }
}
