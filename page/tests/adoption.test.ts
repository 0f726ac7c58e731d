import { expect, it } from "vitest";
import { adoptionOf, isAdoption } from "../src/model/adoption";

const document = {
    name: "app",
    template: { heat_template_version: "wallaby" },
    resources: {
        disk: { name: "disk", type: "OS::Cinder::Volume", resource_id: "v-1" },
        group: {
            type: "OS::Heat::ResourceGroup",
            resource_id: "s-1",
            resources: { "0": { type: "server.yaml", resource_id: null, resources: {} } },
        },
    },
};

it("what abandon wrote is listed through all nesting", () => {
    expect(adoptionOf(JSON.stringify(document))).toEqual({
        name: "app",
        resources: [
            { path: "disk", type: "OS::Cinder::Volume", physicalId: "v-1", isNested: false },
            {
                path: "group",
                type: "OS::Heat::ResourceGroup",
                physicalId: "s-1",
                isNested: true,
            },
            { path: "group.0", type: "server.yaml", physicalId: "", isNested: true },
        ],
    });
});

it.each([
    ["a template in JSON", JSON.stringify({ heat_template_version: "x", resources: {} })],
    ["a list", "[]"],
    ["nothing", "null"],
    ["a number", "1"],
    ["a template in YAML", "resources: {}"],
    ["half a document", '{"resources": {'],
])("%s is not what abandon wrote", (_, text) => {
    expect(adoptionOf(text)).toBe(null);
    expect(isAdoption(text)).toBe(false);
});
