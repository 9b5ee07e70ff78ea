# A plan passes if each type in it is listed here, and each image has the digest of a pin.
package main

# Your types of resources, provisioners and actions, and the places of their images, also in texts of JSON.
images_of := {
	"aws_ecs_service": [], "aws_iam_role": [], "aws_iam_role_policy": [],
	"aws_ecs_task_definition": ["container_definitions.image"],
	"google_artifact_registry_repository": [], "kubernetes_secret_v1": [],
	"google_cloud_run_v2_service": [
		"build_config.source_location", "template.containers.base_image_uri",
		"template.containers.image", "template.containers.source_code",
	],
	"kubernetes_deployment_v1": ["spec.template.spec.container.image", "spec.template.spec.init_container.image"],
}

# Other images that were reviewed, as they are written, each with its digest.
reviewed := set()

# What a block of the catalogue's provider may have as base_url, client_id and the like.
catalogues := set()

deny contains "This is not a plan as terraform show -json prints it." if not input.planned_values
deny contains "The plan is partial: plan without -target." if input.complete == false

deny contains sprintf("%s: add %q: [] to images_of, with the places of its images, if any.", [part.address, part.type]) if {
	some part in parts
	not images_of[part.type]
}

deny contains sprintf("%s: its %s is %v. Give it a pin's digest, or list it in reviewed.", [address, place, image]) if {
	some [address, type, place, image] in values
	role(type, place) == "image"
	type_name(image) in {"object", "string"}
	not fits(image)
}

deny contains sprintf("%s: its %s is not JSON. Write it with jsonencode.", [address, place]) if {
	some [address, type, place, text] in values
	role(type, place) == "above an image"
	is_string(text)
}

deny contains sprintf("%s: its %s is not known yet. First apply what it waits for.", [part.address, place]) if {
	some part in parts
	walk(part.after_unknown, [path, true])
	place := place_of(path)
	role(part.type, place)
}

deny contains sprintf("provider %s: list its %s in catalogues, or set it in the environment.", [name, argument]) if {
	some name, block in input.configuration.provider_config
	endswith(block.full_name, "/modelcatalogue/modelcatalogue")
	some argument in {"access_token", "base_url", "client_id", "headers"}
	value := object.get(block.expressions[argument], "constant_value", "not a constant")
	not value in (catalogues | {null})
}

parts contains object.union(resource, resource.change) if {
	some resource in input.resource_changes
	resource.mode != "data"
	resource.change.after != null
}

parts contains object.union(action, {"after": values, "after_unknown": unknown}) if {
	some action in input.action_invocations
	[values, unknown] := [object.get(action, name, {}) | some name in ["config_values", "config_unknown"]]
}

parts contains {"address": resource.address, "type": provisioner.type} if {
	walk(input.configuration, [_, resource])
	some provisioner in resource.provisioners
}

values contains [part.address, part.type, place_of(path), value] if {
	some part in parts
	walk(read(part.after), [path, value])
}

# Texts of JSON become what they stand for.
read(values) := json.patch(values, [{"op": "replace", "path": path, "value": document} |
	walk(values, [path, text])
	document := json.unmarshal(text)
	type_name(document) in {"array", "object"}
])

# In small letters, because some providers take "Image" for "image".
place_of(path) := lower(concat(".", [name | some name in path; is_string(name)]))

role(type, place) := "image" if {
	place in {lower(path) | some path in images_of[type]}
} else := "above an image" if {
	some path in images_of[type]
	startswith(lower(path), sprintf("%s.", [place]))
} else := "image" if {
	endswith(place, "image") # one that nobody has listed
	not regex.match(`(annotations|labels|tags)\.`, place)
}

fits(image) if image in ({""} | reviewed)
fits(image) if digest(image) in digests
digest(image) := split(image, "@")[1] if regex.match(`^[\w./:-]+@sha256:[0-9a-f]{64}$`, image)
digests contains digest(pin) if some pin in pins

# A pin without a digest has the one that its registry gave to this plan.
digests contains tag.sha256_digest if {
	some tag in sources.docker_registry_image
	tag.name in pins
	not digest(tag.name)
}

pins contains model.docker_image if some model in sources.modelcatalogue_model
pins contains model.docker_image if some model in sources.modelcatalogue_pinned_models[_].models

# The data sources that the plan has read, and not values that look like one.
sources[source.type] contains source.values if {
	walk(input.prior_state.values.root_module, [path, source])
	not "values" in path
	source.mode == "data"
	regex.match(`/(modelcatalogue/modelcatalogue|kreuzwerker/docker)$`, source.provider_name)
}
