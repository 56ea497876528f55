package serve

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/schema"
	"github.com/set-memory/mem/internal/view/request"
)

var update = flag.Bool("update", false, "rewrite openapi.json")

// openapi.json says what the routes are.
func TestOpenAPIIsThatOfTheRoutes(t *testing.T) {
	want, err := json.MarshalIndent(document(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(openAPI, want) {
		t.Error("openapi.json is stale: " +
			"go test ./internal/front/serve -run OpenAPI -update writes it anew")
	}
}

type object = map[string]any

// document returns the description of all routes, in OpenAPI 3.1.
func document() object {
	d := newDescriber()
	paths := object{}
	for i := range routes {
		rt := &routes[i]
		path := strings.ReplaceAll(rt.path, "...}", "}")
		methods, _ := paths[path].(object)
		if methods == nil {
			methods = object{}
			paths[path] = methods
		}
		methods[strings.ToLower(rt.method)] = d.operation(rt)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "memd", "version": "1",
			"description": "The memories of many tenants, for many agents at once. Over the unix " +
				"socket requests name tenant_id, over TCP they bring a token."},
		"security":   []any{object{"token": []any{}}},
		"paths":      paths,
		"components": object{"schemas": d.Schemas, "securitySchemes": bearer},
	}
}

var bearer = object{"token": object{"type": "http", "scheme": "bearer"}}

// describer makes schemas of types, and describes routes by them.
type describer struct{ schema.Describer }

func newDescriber() describer { return describer{schema.Describer{Schemas: object{}}} }

func (d describer) operation(rt *route) object {
	status := "200"
	if rt.status != 0 {
		status = "201"
	}
	op := object{
		"summary": rt.what,
		"responses": object{status: d.answer(rt),
			"default": object{"description": "an error", "content": d.content(ErrorReply{})}},
	}
	if rt.lists {
		each := object{"oneOf": []any{d.Of(reflect.TypeOf(rt.out)),
			d.Of(reflect.TypeFor[ErrorReply]())}}
		op["responses"].(object)["200"] = object{"description": "of a list, in its order",
			"content": object{"application/json": object{
				"schema": object{"type": "array", "items": each}}}}
	}
	if list := d.parameters(rt); len(list) > 0 {
		op["parameters"] = list
	}
	switch {
	case rt.in != nil:
		content := d.content(rt.in)
		if rt.lists {
			one := d.Of(reflect.TypeOf(rt.in))
			list := object{"type": "array", "items": one, "minItems": 1, "maxItems": maxEvents}
			either := object{"oneOf": []any{one, list}}
			content = object{"application/json": object{"schema": either},
				"application/x-ndjson": object{"schema": one}}
		}
		op["requestBody"] = object{"required": rt.method != "DELETE", "content": content}
	case rt.method == "POST":
		op["requestBody"] = object{"required": true, "content": bytesOfAnyKind}
	}
	if rt.path == healthPath {
		op["security"] = []any{}
	}
	return op
}

var bytesOfAnyKind = object{"application/octet-stream": object{}}

func (d describer) answer(rt *route) object {
	a := object{"description": "it is done"}
	switch {
	case rt.out != nil:
		a["content"] = d.content(rt.out)
	case strings.HasSuffix(rt.path, ".json"):
		a["content"] = object{"application/json": object{}}
	case strings.HasSuffix(rt.path, "/metrics"):
		a["content"] = object{"text/plain": object{}}
	default:
		a["content"] = bytesOfAnyKind
	}
	return a
}

func (d describer) content(v any) object {
	return object{"application/json": object{"schema": d.Of(reflect.TypeOf(v))}}
}

var inPath = regexp.MustCompile(`\{([a-z]+)(\.\.\.)?\}`)

func (d describer) parameters(rt *route) (list []any) {
	for _, m := range inPath.FindAllStringSubmatch(rt.path, -1) {
		list = append(list, object{"name": m[1], "in": "path", "required": true,
			"schema": object{"type": "string"}})
	}
	query := rt.query
	if query == nil && !rt.isOpen {
		query = request.Sender{}
	}
	if query == nil {
		return list
	}
	for _, p := range d.Parameters(reflect.TypeOf(query)) {
		if p.(object)["name"] == "q" && rt.path == api+"/memories/search" {
			p.(object)["required"] = true
		}
		list = append(list, p)
	}
	return list
}

// Each member of a body that openapi.json names is taken, and no other.
func TestOpenAPINamesWhatBodiesTake(t *testing.T) {
	s := newTestServer(t)
	for i := range routes {
		rt := &routes[i]
		if rt.in == nil {
			continue
		}
		path := strings.NewReplacer("{key...}", "user/x", "{id}", "x").Replace(rt.path)
		d := newDescriber()
		d.Of(reflect.TypeOf(rt.in))
		schema := d.Schemas[schema.Name(reflect.TypeOf(rt.in))].(object)
		for name := range maps.Keys(schema["properties"].(object)) {
			// A body that is nothing but one member is wrong in another way, or not at all.
			body, _ := json.Marshal(object{name: nil})
			got := s.ask(rt.method, path, string(body))
			if strings.Contains(got.body, "no such member") {
				t.Errorf("%s %s refuses %s: %s", rt.method, rt.path, name, got.body)
			}
		}
		got := s.ask(rt.method, path, `{"nonsense":1}`)
		if got.status != 400 || !strings.Contains(got.body, "no such member") {
			t.Errorf("%s %s takes nonsense: %d %s", rt.method, rt.path, got.status, got.body)
		}
		got = s.ask(rt.method, path, `{"Tenant_ID":"t1"}`)
		if got.status != 400 || !strings.Contains(got.body, "no such member") {
			t.Errorf("%s %s takes Tenant_ID: %d %s", rt.method, rt.path, got.status, got.body)
		}
		twice := s.ask(rt.method, path, `{"tenant_id":"t1","tenant_id":"t2"}`)
		if twice.status != 400 || !strings.Contains(twice.body, "twice") &&
			!strings.Contains(twice.body, "duplicate") {
			t.Errorf("%s %s takes a member twice: %d %s", rt.method, rt.path, twice.status,
				twice.body)
		}
	}
}

// fits returns what of a JSON value is not as its schema says.
func (d describer) fits(v any, schema object, at string) (faults []string) {
	if ref, is := schema["$ref"].(string); is {
		schema = d.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]].(object)
	}
	switch v := v.(type) {
	case object:
		properties, known := schema["properties"].(object)
		if !known {
			break
		}
		for name, value := range v {
			if properties[name] == nil {
				faults = append(faults, at+"."+name+" is not in the schema")
				continue
			}
			faults = append(faults, d.fits(value, properties[name].(object), at+"."+name)...)
		}
		required, _ := schema["required"].([]string)
		for _, name := range required {
			if _, has := v[name]; !has {
				faults = append(faults, at+"."+name+" is missing")
			}
		}
	case []any:
		if items, is := schema["items"].(object); is {
			for _, one := range v {
				faults = append(faults, d.fits(one, items, at+"[]")...)
			}
		}
	}
	return append(faults, wrongType(v, schema, at)...)
}

func wrongType(v any, schema object, at string) []string {
	want, _ := schema["type"].(string)
	is := map[string]bool{}
	switch v := v.(type) {
	case object:
		is["object"] = true
	case []any:
		is["array"] = true
	case string:
		is["string"] = true
	case bool:
		is["boolean"] = true
	case float64:
		is["number"], is["integer"] = true, v == float64(int64(v))
	}
	if want == "" || is[want] {
		return nil
	}
	return []string{at + " is no " + want}
}
