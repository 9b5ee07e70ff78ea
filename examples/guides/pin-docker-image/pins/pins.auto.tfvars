pins = {
  # Day-ahead power price DE-LU
  "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = {
    revision = 1
    image    = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
  }
  # Wind generation North Sea
  "270c0fa6-6a8c-4874-8f76-da0680bcda61" = {
    revision = 2
    image    = "registry.northwind.example/forecasting/north-sea-wind-week:2.1.0"
  }
}
