revisions = {
  # Day-ahead power price DE-LU
  "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = 1
  # Wind generation North Sea
  "270c0fa6-6a8c-4874-8f76-da0680bcda61" = 2
  # Imbalance volume TenneT
  "300e8055-5890-451a-a300-e618befa8baf" = 1
}
