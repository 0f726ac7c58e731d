/** Trees for tests, in few words: `{one: [], two: ["one"]}`. */
import type { TreeResource, TreeStack } from "../src/api/types";
import { buildTree } from "../src/model/tree";
import type { Tree } from "../src/model/tree";

/** A resource requires names; or it is a stack, with what it requires under the key `requires`. */
export interface Words {
    [name: string]: string[] | { requires?: string[]; holds: Words };
}

const TIME = "2026-01-01T00:00:00Z";

export function stackOf(words: Words, id = "root"): TreeStack {
    const requires = (name: string): string[] => {
        const word = words[name];
        return Array.isArray(word) ? word : (word?.requires ?? []);
    };
    const names = Object.keys(words);
    return {
        id,
        stack_name: id,
        description: "",
        stack_status: "CREATE_COMPLETE",
        stack_status_reason: "",
        creation_time: TIME,
        updated_time: null,
        deletion_time: null,
        stack_owner: "me",
        parent: null,
        tags: null,
        links: [],
        resources: names.map((name) => {
            const word = words[name];
            const plain = name.replace(/~.*/, "");
            return resourceOf({
                resource_name: plain,
                // `name~old` is an old version.
                is_old: name.includes("~"),
                physical_resource_id: name,
                required_by: names.filter((other) => requires(other).includes(plain)),
                ...(word && !Array.isArray(word)
                    ? { stack: stackOf(word.holds, `${id}-${name}`) }
                    : {}),
            });
        }),
    };
}

export function resourceOf(more: Partial<TreeResource>): TreeResource {
    return {
        resource_name: "",
        logical_resource_id: more.resource_name ?? "",
        physical_resource_id: "",
        resource_type: "OS::Heat::TestResource",
        resource_status: "CREATE_COMPLETE",
        resource_status_reason: "",
        creation_time: TIME,
        updated_time: TIME,
        required_by: [],
        links: [],
        is_external: false,
        is_old: false,
        ...more,
    };
}

export const treeOf = (words: Words): Tree => buildTree(stackOf(words));

/** A network, a database with a group of disks, two nested servers behind it, and two dependants. */
export const SHOP: Words = {
    network: [],
    database: {
        requires: ["network"],
        holds: {
            secret: [],
            disks: { holds: { "0": [], "1": [] } },
            primary: ["disks", "secret"],
        },
    },
    web: {
        requires: ["database"],
        holds: {
            "0": { holds: { port: [], server: ["port"] } },
            "1": { holds: { port: [], server: ["port"] } },
        },
    },
    balancer: ["web"],
    alarm: [],
};

/** Many nested stacks of twenty resources each, all behind one network. */
export function large(stacks: number, each = 20): Words {
    const holds: Words = {};
    for (let member = 0; member < stacks; member += 1) {
        const inner: Words = {};
        for (let number = 0; number < each; number += 1)
            inner[`r${number}`] = number % 4 ? [`r${number - 1}`] : [];
        holds[`${member}`] = { holds: inner };
    }
    return { network: [], servers: { requires: ["network"], holds }, balancer: ["servers"] };
}

/** Many nested stacks of which no two are alike. */
export function various(stacks: number, each = 20): Words {
    let state = 7;
    const chance = (): number => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return state / 2147483648;
    };
    const holds: Words = {};
    for (let member = 0; member < stacks; member += 1) {
        const inner: Words = {};
        for (let number = 0; number < each; number += 1) {
            const before = Array.from({ length: number }, (_, other) => `r${other}`);
            inner[`r${number}`] = before.filter(() => chance() < 1.5 / each);
        }
        holds[`${member}`] = { holds: inner };
    }
    return { network: [], servers: { requires: ["network"], holds }, balancer: ["servers"] };
}
