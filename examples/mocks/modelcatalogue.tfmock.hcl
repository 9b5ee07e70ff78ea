# Made-up answers of the catalogue, for tests that send nothing. The engine makes up
# the rest: the arguments id and name, and empty lists for axes and the other lists of
# objects, which a mock cannot fill.

mock_data "modelcatalogue_model_group" {
  defaults = {
    latest_revision = 3
    public          = true
    created_at      = "2025-09-01T08:00:00.000Z"
    time_horizon    = { name = "Day ahead", short_name = "DA", key = "day_ahead" }
    other_fields    = null
  }
}

mock_data "modelcatalogue_latest_model" {
  defaults = {
    id                        = "c5cdbb95-a787-49f3-b378-222aa2ae12ae"
    name                      = "de-lu-day-ahead-price"
    display_name              = "Day-ahead power price DE-LU"
    notes                     = "Trained again on a longer history."
    description               = "Hourly power prices of the coming day."
    revision                  = 3
    docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.2.0"
    created_at                = "2026-03-02T08:00:00.000Z"
    updated_at                = "2026-03-02T08:00:00.000Z"
    run_mode                  = "AUTOMATIC"
    horizon                   = { name = "Day ahead", short_name = "DA", key = "day_ahead" }
    model_metadata            = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
    output_specification      = []
    archived                  = false
    enabled                   = true
    tags                      = ["power", "DE-LU"]
    output_file_format        = "parquet"
    display_timezone          = "Europe/Berlin"
    forecast_variable         = { name = "Day-ahead price", short_name = "DA price", key = "day_ahead_price" }
    is_owner                  = true
    has_performance_metrics   = true
    default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
    other_fields              = null
  }
}

mock_data "modelcatalogue_model" {
  defaults = {
    id                        = "134f13d6-1738-4d26-858f-e56ead5fdf06"
    name                      = "de-lu-day-ahead-price"
    display_name              = "Day-ahead power price DE-LU"
    notes                     = "First release."
    description               = "Hourly power prices of the coming day."
    docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.0.3" # for blocks that give none
    created_at                = "2025-11-03T08:00:00.000Z"
    updated_at                = "2025-11-17T08:12:44.120Z"
    run_mode                  = "AUTOMATIC"
    horizon                   = { name = "Day ahead", short_name = "DA", key = "day_ahead" }
    model_metadata            = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
    output_specification      = []
    archived                  = false
    enabled                   = true
    tags                      = ["power", "DE-LU"]
    output_file_format        = "parquet"
    display_timezone          = "Europe/Berlin"
    forecast_variable         = { name = "Day-ahead price", short_name = "DA price", key = "day_ahead_price" }
    is_owner                  = true
    has_performance_metrics   = true
    default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
    other_fields              = null
    latest_revision           = 3
    is_latest                 = false
  }
}
