# Values for tests that send nothing: one model group, its two revisions, and revision 1 as a pin. For Terraform put
# this file into a folder that a mock_provider block names as its source. For OpenTofu paste the text into that block,
# and take out id, name or docker_image if a block of yours sets it.

mock_data "modelcatalogue_latest_model" {
  defaults = {
    archived = false
    axes = [{
      default     = "0.5"
      description = "The quantile of the price."
      key         = "quantile"
      kind        = "static"
      label       = "Quantile"
      type        = "number"
      values      = ["0.1", "0.5", "0.9"]
    }]
    created_at = "2026-03-02T08:00:00.000Z"
    datasets = [{
      file_format      = "parquet"
      id               = "dataset-1"
      json             = "{\"fileFormat\":\"parquet\",\"id\":\"dataset-1\",\"key\":\"spot_prices\",\"source\":\"EPEX SPOT\",\"storageLocation\":\"s3://datasets/spot/\"}"
      key              = "spot_prices"
      source           = "EPEX SPOT"
      storage_location = "s3://datasets/spot/"
    }]
    default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
    description               = "Hourly power prices of the coming day."
    display_name              = "Day-ahead power price DE-LU"
    display_timezone          = "Europe/Berlin"
    docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.2.0"
    enabled                   = true
    forecast_variable = {
      key        = "day_ahead_price"
      name       = "Day-ahead price"
      short_name = "DA price"
    }
    has_performance_metrics = true
    horizon = {
      key        = "day_ahead"
      name       = "Day ahead"
      short_name = "DA"
    }
    id = "c5cdbb95-a787-49f3-b378-222aa2ae12ae"
    input_aggregations = [{
      id   = "aggregation-1"
      json = "{\"hours\":24,\"id\":\"aggregation-1\",\"key\":\"daily_mean\",\"name\":\"Daily mean\"}"
      key  = "daily_mean"
      name = "Daily mean"
    }]
    inputs = [{
      id   = "input-1"
      json = "{\"id\":\"input-1\",\"key\":\"gas_price\",\"unit\":\"EUR/MWh\"}"
      key  = "gas_price"
    }]
    is_owner             = true
    model_metadata       = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
    name                 = "de-lu-day-ahead-price"
    notes                = "Trained again on a longer history."
    other_fields         = null
    output_file_format   = "parquet"
    output_specification = []
    output_variables = [{
      colours    = ["#1f77b4"]
      key        = "price"
      name       = "Price"
      series_key = true
      type       = "float"
    }]
    revision = 3
    run_mode = "AUTOMATIC"
    sensitivities = [{
      id   = "sensitivity-1"
      json = "{\"id\":\"sensitivity-1\",\"key\":\"gas_up\",\"name\":\"Gas price +10 %\",\"shift\":0.1}"
      key  = "gas_up"
      name = "Gas price +10 %"
    }]
    tags       = ["power", "DE-LU"]
    updated_at = "2026-03-02T08:00:00.000Z"
  }
}

mock_data "modelcatalogue_latest_models" {
  defaults = {
    models = {
      "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = {
        archived = false
        axes = [{
          default     = "0.5"
          description = "The quantile of the price."
          key         = "quantile"
          kind        = "static"
          label       = "Quantile"
          type        = "number"
          values      = ["0.1", "0.5", "0.9"]
        }]
        created_at = "2026-03-02T08:00:00.000Z"
        datasets = [{
          file_format      = "parquet"
          id               = "dataset-1"
          json             = "{\"fileFormat\":\"parquet\",\"id\":\"dataset-1\",\"key\":\"spot_prices\",\"source\":\"EPEX SPOT\",\"storageLocation\":\"s3://datasets/spot/\"}"
          key              = "spot_prices"
          source           = "EPEX SPOT"
          storage_location = "s3://datasets/spot/"
        }]
        default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
        description               = "Hourly power prices of the coming day."
        display_name              = "Day-ahead power price DE-LU"
        display_timezone          = "Europe/Berlin"
        docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.2.0"
        enabled                   = true
        forecast_variable = {
          key        = "day_ahead_price"
          name       = "Day-ahead price"
          short_name = "DA price"
        }
        has_performance_metrics = true
        horizon = {
          key        = "day_ahead"
          name       = "Day ahead"
          short_name = "DA"
        }
        id = "c5cdbb95-a787-49f3-b378-222aa2ae12ae"
        input_aggregations = [{
          id   = "aggregation-1"
          json = "{\"hours\":24,\"id\":\"aggregation-1\",\"key\":\"daily_mean\",\"name\":\"Daily mean\"}"
          key  = "daily_mean"
          name = "Daily mean"
        }]
        inputs = [{
          id   = "input-1"
          json = "{\"id\":\"input-1\",\"key\":\"gas_price\",\"unit\":\"EUR/MWh\"}"
          key  = "gas_price"
        }]
        is_owner             = true
        model_group_id       = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
        model_metadata       = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
        name                 = "de-lu-day-ahead-price"
        notes                = "Trained again on a longer history."
        other_fields         = null
        output_file_format   = "parquet"
        output_specification = []
        output_variables = [{
          colours    = ["#1f77b4"]
          key        = "price"
          name       = "Price"
          series_key = true
          type       = "float"
        }]
        revision = 3
        run_mode = "AUTOMATIC"
        sensitivities = [{
          id   = "sensitivity-1"
          json = "{\"id\":\"sensitivity-1\",\"key\":\"gas_up\",\"name\":\"Gas price +10 %\",\"shift\":0.1}"
          key  = "gas_up"
          name = "Gas price +10 %"
        }]
        tags       = ["power", "DE-LU"]
        updated_at = "2026-03-02T08:00:00.000Z"
      }
    }
  }
}

mock_data "modelcatalogue_model" {
  defaults = {
    archived = false
    axes = [{
      default     = "0.5"
      description = "The quantile of the price."
      key         = "quantile"
      kind        = "static"
      label       = "Quantile"
      type        = "number"
      values      = ["0.1", "0.5"]
    }]
    created_at = "2025-11-03T08:00:00.000Z"
    datasets = [{
      file_format      = "parquet"
      id               = "dataset-1"
      json             = "{\"fileFormat\":\"parquet\",\"id\":\"dataset-1\",\"key\":\"spot_prices\",\"source\":\"EPEX SPOT\",\"storageLocation\":\"s3://datasets/spot/\"}"
      key              = "spot_prices"
      source           = "EPEX SPOT"
      storage_location = "s3://datasets/spot/"
    }]
    default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
    description               = "Hourly power prices of the coming day."
    display_name              = "Day-ahead power price DE-LU"
    display_timezone          = "Europe/Berlin"
    docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.0.3"
    enabled                   = true
    forecast_variable = {
      key        = "day_ahead_price"
      name       = "Day-ahead price"
      short_name = "DA price"
    }
    has_performance_metrics = true
    horizon = {
      key        = "day_ahead"
      name       = "Day ahead"
      short_name = "DA"
    }
    id = "134f13d6-1738-4d26-858f-e56ead5fdf06"
    input_aggregations = [{
      id   = "aggregation-1"
      json = "{\"hours\":24,\"id\":\"aggregation-1\",\"key\":\"daily_mean\",\"name\":\"Daily mean\"}"
      key  = "daily_mean"
      name = "Daily mean"
    }]
    inputs = [{
      id   = "input-1"
      json = "{\"id\":\"input-1\",\"key\":\"gas_price\",\"unit\":\"EUR/MWh\"}"
      key  = "gas_price"
    }]
    is_latest            = false
    is_owner             = true
    latest_revision      = 3
    model_metadata       = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
    name                 = "de-lu-day-ahead-price"
    notes                = "First release."
    other_fields         = null
    output_file_format   = "parquet"
    output_specification = []
    output_variables = [{
      colours    = ["#1f77b4"]
      key        = "price"
      name       = "Price"
      series_key = true
      type       = "float"
    }]
    run_mode = "AUTOMATIC"
    sensitivities = [{
      id   = "sensitivity-1"
      json = "{\"id\":\"sensitivity-1\",\"key\":\"gas_up\",\"name\":\"Gas price +10 %\",\"shift\":0.1}"
      key  = "gas_up"
      name = "Gas price +10 %"
    }]
    tags       = ["power", "DE-LU"]
    updated_at = "2025-11-17T08:12:44.120Z"
  }
}

mock_data "modelcatalogue_model_group" {
  defaults = {
    axes = [{
      description = "The quantile of the price."
      key         = "quantile"
      kind        = "static"
      label       = "Quantile"
      type        = "number"
      values = [{
        historical = false
        value      = "0.1"
        }, {
        historical = false
        value      = "0.5"
        }, {
        historical = false
        value      = "0.9"
      }]
    }]
    created_at      = "2025-09-01T08:00:00.000Z"
    id              = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
    latest_revision = 3
    models = [{
      created_at = "2026-03-02T08:00:00.000Z"
      id         = "c5cdbb95-a787-49f3-b378-222aa2ae12ae"
      revision   = 3
      }, {
      created_at = "2025-11-03T08:00:00.000Z"
      id         = "134f13d6-1738-4d26-858f-e56ead5fdf06"
      revision   = 1
    }]
    name         = "Day-ahead power price DE-LU"
    other_fields = null
    public       = true
    time_horizon = {
      key        = "day_ahead"
      name       = "Day ahead"
      short_name = "DA"
    }
  }
}

mock_data "modelcatalogue_model_group_models" {
  defaults = {
    models = [{
      archived = false
      axes = [{
        default     = "0.5"
        description = "The quantile of the price."
        key         = "quantile"
        kind        = "static"
        label       = "Quantile"
        type        = "number"
        values      = ["0.1", "0.5", "0.9"]
      }]
      created_at = "2026-03-02T08:00:00.000Z"
      datasets = [{
        file_format      = "parquet"
        id               = "dataset-1"
        json             = "{\"fileFormat\":\"parquet\",\"id\":\"dataset-1\",\"key\":\"spot_prices\",\"source\":\"EPEX SPOT\",\"storageLocation\":\"s3://datasets/spot/\"}"
        key              = "spot_prices"
        source           = "EPEX SPOT"
        storage_location = "s3://datasets/spot/"
      }]
      default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
      description               = "Hourly power prices of the coming day."
      display_name              = "Day-ahead power price DE-LU"
      display_timezone          = "Europe/Berlin"
      docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.2.0"
      enabled                   = true
      forecast_variable = {
        key        = "day_ahead_price"
        name       = "Day-ahead price"
        short_name = "DA price"
      }
      has_performance_metrics = true
      horizon = {
        key        = "day_ahead"
        name       = "Day ahead"
        short_name = "DA"
      }
      id = "c5cdbb95-a787-49f3-b378-222aa2ae12ae"
      input_aggregations = [{
        id   = "aggregation-1"
        json = "{\"hours\":24,\"id\":\"aggregation-1\",\"key\":\"daily_mean\",\"name\":\"Daily mean\"}"
        key  = "daily_mean"
        name = "Daily mean"
      }]
      inputs = [{
        id   = "input-1"
        json = "{\"id\":\"input-1\",\"key\":\"gas_price\",\"unit\":\"EUR/MWh\"}"
        key  = "gas_price"
      }]
      is_owner             = true
      model_group_id       = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
      model_metadata       = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
      name                 = "de-lu-day-ahead-price"
      notes                = "Trained again on a longer history."
      other_fields         = null
      output_file_format   = "parquet"
      output_specification = []
      output_variables = [{
        colours    = ["#1f77b4"]
        key        = "price"
        name       = "Price"
        series_key = true
        type       = "float"
      }]
      revision = 3
      run_mode = "AUTOMATIC"
      sensitivities = [{
        id   = "sensitivity-1"
        json = "{\"id\":\"sensitivity-1\",\"key\":\"gas_up\",\"name\":\"Gas price +10 %\",\"shift\":0.1}"
        key  = "gas_up"
        name = "Gas price +10 %"
      }]
      tags       = ["power", "DE-LU"]
      updated_at = "2026-03-02T08:00:00.000Z"
      }, {
      archived = false
      axes = [{
        default     = "0.5"
        description = "The quantile of the price."
        key         = "quantile"
        kind        = "static"
        label       = "Quantile"
        type        = "number"
        values      = ["0.1", "0.5"]
      }]
      created_at = "2025-11-03T08:00:00.000Z"
      datasets = [{
        file_format      = "parquet"
        id               = "dataset-1"
        json             = "{\"fileFormat\":\"parquet\",\"id\":\"dataset-1\",\"key\":\"spot_prices\",\"source\":\"EPEX SPOT\",\"storageLocation\":\"s3://datasets/spot/\"}"
        key              = "spot_prices"
        source           = "EPEX SPOT"
        storage_location = "s3://datasets/spot/"
      }]
      default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
      description               = "Hourly power prices of the coming day."
      display_name              = "Day-ahead power price DE-LU"
      display_timezone          = "Europe/Berlin"
      docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.0.3"
      enabled                   = true
      forecast_variable = {
        key        = "day_ahead_price"
        name       = "Day-ahead price"
        short_name = "DA price"
      }
      has_performance_metrics = true
      horizon = {
        key        = "day_ahead"
        name       = "Day ahead"
        short_name = "DA"
      }
      id = "134f13d6-1738-4d26-858f-e56ead5fdf06"
      input_aggregations = [{
        id   = "aggregation-1"
        json = "{\"hours\":24,\"id\":\"aggregation-1\",\"key\":\"daily_mean\",\"name\":\"Daily mean\"}"
        key  = "daily_mean"
        name = "Daily mean"
      }]
      inputs = [{
        id   = "input-1"
        json = "{\"id\":\"input-1\",\"key\":\"gas_price\",\"unit\":\"EUR/MWh\"}"
        key  = "gas_price"
      }]
      is_owner             = true
      model_group_id       = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
      model_metadata       = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
      name                 = "de-lu-day-ahead-price"
      notes                = "First release."
      other_fields         = null
      output_file_format   = "parquet"
      output_specification = []
      output_variables = [{
        colours    = ["#1f77b4"]
        key        = "price"
        name       = "Price"
        series_key = true
        type       = "float"
      }]
      revision = 1
      run_mode = "AUTOMATIC"
      sensitivities = [{
        id   = "sensitivity-1"
        json = "{\"id\":\"sensitivity-1\",\"key\":\"gas_up\",\"name\":\"Gas price +10 %\",\"shift\":0.1}"
        key  = "gas_up"
        name = "Gas price +10 %"
      }]
      tags       = ["power", "DE-LU"]
      updated_at = "2025-11-17T08:12:44.120Z"
    }]
  }
}

mock_data "modelcatalogue_model_groups" {
  defaults = {
    model_groups = [{
      axes = [{
        description = "The quantile of the price."
        key         = "quantile"
        kind        = "static"
        label       = "Quantile"
        type        = "number"
        values = [{
          historical = false
          value      = "0.1"
          }, {
          historical = false
          value      = "0.5"
          }, {
          historical = false
          value      = "0.9"
        }]
      }]
      created_at      = "2025-09-01T08:00:00.000Z"
      id              = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
      latest_revision = 3
      models = [{
        created_at = "2026-03-02T08:00:00.000Z"
        id         = "c5cdbb95-a787-49f3-b378-222aa2ae12ae"
        revision   = 3
        }, {
        created_at = "2025-11-03T08:00:00.000Z"
        id         = "134f13d6-1738-4d26-858f-e56ead5fdf06"
        revision   = 1
      }]
      name         = "Day-ahead power price DE-LU"
      other_fields = null
      public       = true
      time_horizon = {
        key        = "day_ahead"
        name       = "Day ahead"
        short_name = "DA"
      }
    }]
  }
}

mock_data "modelcatalogue_pinned_models" {
  defaults = {
    models = {
      "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01" = {
        archived = false
        axes = [{
          default     = "0.5"
          description = "The quantile of the price."
          key         = "quantile"
          kind        = "static"
          label       = "Quantile"
          type        = "number"
          values      = ["0.1", "0.5"]
        }]
        created_at = "2025-11-03T08:00:00.000Z"
        datasets = [{
          file_format      = "parquet"
          id               = "dataset-1"
          json             = "{\"fileFormat\":\"parquet\",\"id\":\"dataset-1\",\"key\":\"spot_prices\",\"source\":\"EPEX SPOT\",\"storageLocation\":\"s3://datasets/spot/\"}"
          key              = "spot_prices"
          source           = "EPEX SPOT"
          storage_location = "s3://datasets/spot/"
        }]
        default_comparison_models = ["10ab405e-fef7-45c5-9684-bc287f03345c"]
        description               = "Hourly power prices of the coming day."
        display_name              = "Day-ahead power price DE-LU"
        display_timezone          = "Europe/Berlin"
        docker_image              = "registry.example/forecasting/de-lu-day-ahead-price:1.0.3"
        enabled                   = true
        forecast_variable = {
          key        = "day_ahead_price"
          name       = "Day-ahead price"
          short_name = "DA price"
        }
        has_performance_metrics = true
        horizon = {
          key        = "day_ahead"
          name       = "Day ahead"
          short_name = "DA"
        }
        id = "134f13d6-1738-4d26-858f-e56ead5fdf06"
        input_aggregations = [{
          id   = "aggregation-1"
          json = "{\"hours\":24,\"id\":\"aggregation-1\",\"key\":\"daily_mean\",\"name\":\"Daily mean\"}"
          key  = "daily_mean"
          name = "Daily mean"
        }]
        inputs = [{
          id   = "input-1"
          json = "{\"id\":\"input-1\",\"key\":\"gas_price\",\"unit\":\"EUR/MWh\"}"
          key  = "gas_price"
        }]
        is_latest            = false
        is_owner             = true
        latest_revision      = 3
        model_group_id       = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
        model_metadata       = "{\"algorithm\":\"gradient boosting\",\"region\":\"DE-LU\"}"
        name                 = "de-lu-day-ahead-price"
        notes                = "First release."
        other_fields         = null
        output_file_format   = "parquet"
        output_specification = []
        output_variables = [{
          colours    = ["#1f77b4"]
          key        = "price"
          name       = "Price"
          series_key = true
          type       = "float"
        }]
        revision = 1
        run_mode = "AUTOMATIC"
        sensitivities = [{
          id   = "sensitivity-1"
          json = "{\"id\":\"sensitivity-1\",\"key\":\"gas_up\",\"name\":\"Gas price +10 %\",\"shift\":0.1}"
          key  = "gas_up"
          name = "Gas price +10 %"
        }]
        tags       = ["power", "DE-LU"]
        updated_at = "2025-11-17T08:12:44.120Z"
      }
    }
  }
}
