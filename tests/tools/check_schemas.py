# check_schemas.py FOLDER PAIR...: as check_schemas.lua, by the module jsonschema, where it is there: schemas are those of the standard.
import json, os, sys
import jsonschema

folder, pairs = sys.argv[1], sys.argv[2:]
schemas = {name: json.load(open(os.path.join(folder, name))) for name in os.listdir(folder)}
kind = getattr(jsonschema, "Draft202012Validator", None)
if not kind:
    sys.exit(0)
for name, schema in schemas.items():
    kind.check_schema(schema)
for pair in pairs:
    name, file = pair.split("=", 1)
    schema = schemas[name + ".schema.json"]
    resolver = jsonschema.RefResolver(base_uri=schema["$id"], referrer=schema, store=schemas)
    validator = kind(schema, resolver=resolver)
    lines = file.endswith(":lines")
    with open(file[:-6] if lines else file) as f:
        documents = [json.loads(line) for line in f] if lines else [json.load(f)]
    for document in documents:
        for error in validator.iter_errors(document):
            print("FAILED: jsonschema: %s: %s: %s" % (file, error.json_path, error.message[:200]))
            sys.exit(1)
