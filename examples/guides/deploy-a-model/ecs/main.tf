terraform {
  required_version = ">= 1.8"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
    docker = {
      source  = "kreuzwerker/docker"
      version = "~> 4.0"
    }
    modelcatalogue = {
      source  = "modelcatalogue/modelcatalogue"
      version = "~> 0.1"
    }
  }
}

provider "aws" {
  region = "eu-central-1"
}

variable "cluster" {
  description = "The ARN of the ECS cluster."
  type        = string
}

variable "subnets" {
  description = "The subnets in which the model runs."
  type        = list(string)
}

provider "modelcatalogue" {}

# Credentials that may pull the image.
variable "registry_username" {
  type = string
}

variable "registry_password" {
  type      = string
  sensitive = true
}

provider "docker" {
  registry_auth {
    address  = "registry.northwind.example"
    username = var.registry_username
    password = var.registry_password
  }
}

data "modelcatalogue_model" "price" {
  model_group_id = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
  revision       = 1
  docker_image   = "registry.northwind.example/forecasting/de-lu-day-ahead-price:1.0.3"
}

# Reads the digest behind the tag from its registry.
data "docker_registry_image" "price" {
  name = data.modelcatalogue_model.price.docker_image

  lifecycle {
    postcondition {
      condition     = self.sha256_digest == "sha256:6d5e0178bd860172dfb9834d43bcd4e88f89ce4523df7b831877d244a7718f11"
      error_message = "${self.name} now stands for ${self.sha256_digest}, which nobody has reviewed."
    }
  }
}

locals {
  image = "${provider::modelcatalogue::parse_image(data.docker_registry_image.price.name).familiar_name}@${data.docker_registry_image.price.sha256_digest}"
}

# A secret with the registry's "username" and "password". It is a data source, because the
# policy reads container definitions, and a plan does not know the ARN of a new secret.
data "aws_secretsmanager_secret" "registry" {
  name = "northwind-registry"
}

resource "aws_iam_role" "execution" {
  name = "price-execution"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ecs-tasks.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy" "pull" {
  name = "pull"
  role = aws_iam_role.execution.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "secretsmanager:GetSecretValue"
      Resource = data.aws_secretsmanager_secret.registry.arn
    }]
  })
}

resource "aws_ecs_task_definition" "price" {
  family                   = "price"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = "256"
  memory                   = "512"
  execution_role_arn       = aws_iam_role.execution.arn
  container_definitions = jsonencode([{
    name                  = "price"
    image                 = local.image
    essential             = true
    portMappings          = [{ containerPort = 8080 }]
    repositoryCredentials = { credentialsParameter = data.aws_secretsmanager_secret.registry.arn }
  }])
}

resource "aws_ecs_service" "price" {
  name            = "price"
  cluster         = var.cluster
  task_definition = aws_ecs_task_definition.price.arn
  desired_count   = 1
  launch_type     = "FARGATE"
  depends_on      = [aws_iam_role_policy.pull]

  network_configuration {
    subnets = var.subnets
  }
}
