# Each container image that a plan deploys, or leaves deployed, is one of the
# catalogue's pins and has its digest. Anything that cannot be read is refused.
package main

# Other images that were reviewed, each with its digest.
reviewed := set()

# Mirrors: how a repository begins there, and how the original begins.
mirrors := {"europe-west3-docker.pkg.dev/northwind/models/": "registry.northwind.example/"}

# Types whose own image is a machine's. Texts in them are still read.
machines := {
	"aws_appstream_fleet", "aws_appstream_image_builder", "aws_imagebuilder_image_recipe",
	"azurerm_linux_virtual_machine", "azurerm_linux_virtual_machine_scale_set", "azurerm_virtual_machine",
	"azurerm_windows_virtual_machine", "azurerm_windows_virtual_machine_scale_set", "digitalocean_droplet",
	"google_compute_disk", "google_compute_image", "google_compute_instance",
	"google_compute_instance_from_template", "google_compute_instance_template",
	"google_compute_region_instance_template", "google_dataproc_cluster", "hcloud_server",
	"huaweicloud_compute_instance", "ibm_is_instance", "incus_instance", "linode_instance", "lxd_instance",
	"oci_core_instance", "openstack_blockstorage_volume_v3", "openstack_compute_instance_v2",
	"openstack_images_image_v2", "opentelekomcloud_compute_instance_v2", "scaleway_instance_server",
	"vultr_instance",
}

# Names are compared in small letters, without "_" and "-".
plain(name) := lower(replace(replace(name, "_", ""), "-", ""))

# Names of images: one text, or an object or list that has one in parts.
is_image(name) if regex.match(`image(s|name|ur[il]|identifier|ref|reference)?$`, name)

# Arguments whose text decides on images. A jobspec can be read as JSON only, not as HCL.
texts := {
	"containerdefinitions", "containerproperties", "ecsproperties", "gcecontainerdeclaration", "jobspec",
	"nodeproperties", "templatebody", "templatecontent", "yamlbody",
}

texts_of := {"azapi_resource": {"body"}, "helm_release": {"values"}}

# Blocks and arguments that hide images while they are not known.
blocks := {
	"applicationstack", "container", "containers", "containerspec", "eksproperties", "imagerepository",
	"initcontainer", "initcontainers", "jobtemplate", "podproperties", "primarycontainer", "spec", "taskspec", "template",
}

blocks_of := {
	"docker_image": {"name"},
	"docker_registry_image": {"name"},
	"helm_release": {"set", "setlist", "setsensitive"},
	"kubernetes_manifest": {"manifest"},
}

# Values that a provider reports of a configuration, maybe of an earlier one.
results := {
	"argocd_application": {"status"},
	"azapi_resource": {"output"},
	"azurerm_linux_function_app": {"linuxfxversion"},
	"azurerm_linux_function_app_slot": {"linuxfxversion"},
	"azurerm_linux_web_app": {"linuxfxversion"},
	"azurerm_linux_web_app_slot": {"linuxfxversion"},
	"azurerm_windows_web_app": {"windowsfxversion"},
	"azurerm_windows_web_app_slot": {"windowsfxversion"},
	"kubernetes_manifest": {"object"},
}

deny contains "This is not a plan as terraform show -json prints one." if not input.planned_values

deny contains sprintf("%s deploys %s, %s.", [address, image, fault(image)]) if some [address, image] in images

deny contains sprintf("%s: the plan does not know %s yet, which decides on an image.", place) if some place in unknown

deny contains sprintf("%s: %s cannot be read, and decides on an image.", place) if some place in unreadable

deny contains sprintf("%s deploys the images of its chart: give each in values or set.", [address]) if {
	some [address, "helm_release", _] in planned
	not address in {found | some [found, _] in ((images | unknown) | unreadable)}
}

# Says what is wrong with an image, if anything.
fault(image) := "which is not a pin of the catalogue" if {
	not image in reviewed
	not repository(image) in {repository(pin) | some pin in pins}
} else := "which has no digest" if {
	not image in reviewed
	not has_digest(image)
} else := "whose digest is not the pin's" if {
	not image in reviewed
	not [repository(image), digest(image)] in pinned
}

has_digest(image) if regex.match(`@sha256:[0-9a-f]{64}$`, image)

digest(image) := substring(image, indexof(image, "@") + 1, -1)

repository(image) := originals[0] if {
	without_scheme := regex.replace(split(image, "@")[0], `^(?:docker|https?)://`, "")
	name := regex.replace(regex.replace(without_scheme, `:[^/:]*$`, ""), `^(?:docker\.io/)?(?:library/)?([^.:]*)$`, "$1")
	originals := array.concat(
		[concat("", [there, trim_prefix(name, here)]) | some here, there in mirrors; startswith(name, here)],
		[name],
	)
}

# The data sources that the plan has read, and not values that look like one.
sources contains source if {
	walk(input.prior_state.values.root_module, [path, source])
	not "values" in path
	source.mode == "data"
}

pins contains image if {
	some source in sources
	endswith(source.provider_name, "/modelcatalogue/modelcatalogue")
	some model in pinned_by(source)
	image := model.docker_image
	is_string(image)
}

pinned_by(source) := [source.values] if source.type == "modelcatalogue_model"

pinned_by(source) := source.values.models if source.type == "modelcatalogue_pinned_models"

pinned contains [repository(pin), digest(pin)] if {
	some pin in pins
	has_digest(pin)
}

# A pin without a digest has the one that its registry gave to this plan.
pinned contains [repository(pin), source.values.sha256_digest] if {
	some pin in pins
	not has_digest(pin)
	some source in sources
	endswith(source.provider_name, "/kreuzwerker/docker")
	source.type == "docker_registry_image"
	source.values.name == pin
}

# The values that are deployed, the documents in their texts, those in the texts of these, and once more.
planned contains [resource.address, resource.type, values] if {
	some resource in input.resource_changes
	resource.mode == "managed"
	is_object(resource.change.after)
	values := json.remove(resource.change.after, reported(resource.type, resource.change.after))
}

reported(type, value) := {[sprintf("%v", [step]) | some step in path] |
	walk(value, [path, _])
	name_at(path) in object.get(results, type, set())
}

documents_1 contains [address, document] if {
	some [address, _, values] in planned
	some document in documents_in(values)
}

documents_2 contains [address, document] if {
	some [address, outer] in documents_1
	some document in documents_in(outer)
}

documents_3 contains [address, document] if {
	some [address, outer] in documents_2
	some document in documents_in(outer)
}

documents contains pair if some pair in ((documents_1 | documents_2) | documents_3)

documents contains [address, values] if {
	some [address, type, values] in planned
	not type in machines
}

documents_in(value) := {document |
	walk(value, [_, text])
	is_string(text)
	some part in parts(text)
	document := parsed(part)
	type_name(document) in {"object", "array"}
}

# Lines of dashes or dots separate documents of YAML.
parts(text) := regex.split(`(?:^|[\n\r\x{85}\x{2028}\x{2029}])(?:---|\.\.\.)(?:[\s\x{85}\x{2028}\x{2029}]|$)`, text)

parsed(part) := yaml.unmarshal(part) if {
	yaml.is_valid(part)
} else := json.unmarshal(part)

# Each object as pairs of a plain name and a value, with its own name.
objects contains [address, name_at(path), pairs] if {
	some [address, document] in documents
	walk(document, [path, value])
	is_object(value)
	pairs := {[plain(key), field] | some key, field in value; not field in {null, ""}}
}

# The settings of a chart, "image.tag" and the like, as the objects that they are.
objects contains [address, plain(last(parent)), pairs] if {
	some [address, document] in documents
	walk(document, [path, settings])
	plain(path[count(path) - 1]) in {"set", "setlist", "setsensitive", "parameter", "parameters"}
	some setting in settings
	parent := before_last(setting.name)
	pairs := {[plain(last(one.name)), one.value] | some one in settings; before_last(one.name) == parent; one.value != ""}
}

# Without the number of an element, as in "images[0]".
last(name) := regex.replace(names[count(names) - 1], `\[\d+\]$`, "") if names := split(name, ".")

before_last(name) := concat(".", array.slice(names, 0, count(names) - 1)) if names := split(name, ".")

# The name at the end of a path; elements of lists have that of their list.
spelled_at(path) := names[count(names) - 1] if {
	names := [name | some name in path; is_string(name)]
	count(names) > 0
} else := ""

name_at(path) := plain(spelled_at(path))

images contains [address, joined(sprintf("%v", [text]), pairs)] if {
	some [address, _, pairs] in objects
	some [name, text] in pairs
	is_image(name)
	type_name(text) in {"string", "number"}
	not is_picture(text)
}

is_picture(text) if regex.match(`^https?://[^?]*\.(?:gif|ico|jpe?g|png|svg|webp)(?:$|\?)`, text)

images contains [address, text] if {
	some [address, _, pairs] in objects
	some [name, list] in pairs
	is_image(name)
	is_array(list)
	some text in list
	is_string(text)
}

images contains [address, joined(text, pairs)] if {
	some [address, name, pairs] in objects
	is_image(name)
	text := first(pairs, own_names)
}

# An object with a tag or a digest beside a repository is an image, whatever its name.
images contains [address, joined(text, pairs)] if {
	some [address, _, pairs] in objects
	text := first(pairs, ["repository", "imagerepository"])
	first(pairs, array.concat(tags, digests))
}

images contains [address, substring(text, 7, -1)] if {
	some [address, _, pairs] in objects
	some ["linuxfxversion", text] in pairs
	startswith(upper(text), "DOCKER|")
}

images contains [address, values.name] if {
	some [address, type, values] in planned
	type in {"docker_image", "docker_registry_image"}
}

own_names := ["newname", "repository", "name", "reference", "url", "uri"]

hosts := ["registry", "registryurl", "dockerregistryurl", "imageregistry"]

tags := ["tag", "imagetag", "dockerimagetag", "newtag"]

digests := ["digest", "imagedigest"]

first(pairs, names) := [sprintf("%v", [value]) |
	some name in names
	some [key, value] in pairs
	key == name
	type_name(value) in {"string", "number"}
][0]

joined(text, pairs) := concat("", [host_of(text, pairs), text, after(":", tags, pairs), after("@", digests, pairs)])

after(sign, names, pairs) := concat("", [sign, first(pairs, names)])

after(_, names, pairs) := "" if not first(pairs, names)

host_of(text, pairs) := concat("", [host, "/"]) if {
	host := trim_suffix(regex.replace(first(pairs, hosts), `^https?://`, ""), "/")
	not startswith(text, host)
} else := ""

# Places that should name an image but do not.
unreadable contains [address, spelled_at(path)] if {
	some [address, type, values] in planned
	walk(values, [path, text])
	is_string(text)
	name := name_at(path)
	name in (texts | object.get(texts_of, type, set()))
	not is_read(name, text)
}

unreadable contains [address, name] if {
	some [address, name, pairs] in objects
	name in {"containerimage", "dockerimage", "image", "images"}
	not first(pairs, own_names)
	names := {key | some [key, _] in pairs}
	count(names - {"pullpolicy", "pullsecrets"}) > 0
	not "type" in names # a schema
}

unreadable contains [address, name] if {
	some [address, _, pairs] in objects
	some [name, _] in pairs
	name in {"dockerimagetag", "imagedigest", "imageregistry", "imagetag"}
	not first(pairs, ["imagerepository", "repository"])
	every other, _ in {key: true | some [key, _] in pairs} {
		not is_image(other)
	}
}

unreadable contains [address, "linux_fx_version"] if {
	some [address, _, pairs] in objects
	some ["linuxfxversion", text] in pairs
	startswith(upper(text), "COMPOSE|")
}

is_read("jobspec", text) if json.is_valid(text)

is_read(name, text) if {
	name != "jobspec"
	every part in parts(text) {
		type_name(parsed(part)) in {"object", "array", "null"}
	}
}

unknown contains [resource.address, spelled_at(path)] if {
	some resource in input.resource_changes
	resource.mode == "managed"
	walk(resource.change.after_unknown, [path, true])
	count({plain(key) | some key in path; is_string(key)} & object.get(results, resource.type, set())) == 0
	decides(resource.type, name_at(path), path)
}

decides(type, name, _) if {
	some names in [texts, blocks, object.get(texts_of, type, set()), object.get(blocks_of, type, set())]
	name in names
}

decides(type, _, path) if {
	not type in machines
	some key in path
	is_image(plain(key))
}

# A setting of a chart whose value is not known.
unknown contains [resource.address, setting.name] if {
	some resource in input.resource_changes
	some list in ["set", "set_list", "set_sensitive"]
	some i, setting in resource.change.after[list]
	walk(resource.change.after_unknown[list][i].value, [_, true])
	some part in split(setting.name, ".")
	is_piece(plain(last(part)))
}

is_piece(name) if is_image(name)

is_piece(name) if name in array.concat(["repository"], array.concat(hosts, array.concat(tags, digests)))
