# Every image that a plan deploys is one of the catalogue's pins, and has a digest.
package main

# The values of a name, at any depth.
named(name, document) := {value | walk(document, [path, value]); path[count(path) - 1] == name}

pins contains image if {
	walk(input.prior_state, [_, block])
	block.type in {"modelcatalogue_model", "modelcatalogue_pinned_models"}
	some image in named("docker_image", block.values)
}

deployed contains [resource.address, image] if {
	some resource in input.resource_changes
	resource.mode == "managed"
	some image in named("image", resource.change.after)
	is_string(image)
}

deny contains sprintf("%s deploys %s, which is not a pin of the catalogue.", [address, image]) if {
	some [address, image] in deployed
	not image in pins
	not split(image, "@")[0] in pins
}

deny contains sprintf("%s deploys %s, which has no digest.", [address, image]) if {
	some [address, image] in deployed
	not contains(image, "@sha256:")
}

deny contains sprintf("%s deploys an image that the plan does not know yet.", [resource.address]) if {
	some resource in input.resource_changes
	true in named("image", resource.change.after_unknown)
}
