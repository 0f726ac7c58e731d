/** Every value that an environment comes to, with where it is from and what it took the place of. */
import type { Environment, Origin, Place } from "../api/recipe";

export interface EffectiveValue {
    path: string[];
    value: unknown;
    from: Place[];
    overrode: Origin["overrode"];
}

export function effectiveValues(environment: Environment): EffectiveValue[] {
    return (environment.origins ?? []).map((origin) => ({
        path: origin.path,
        value: valueAt(environment, origin.path),
        from: origin.made_of.length > 0 ? origin.made_of : [origin],
        overrode: origin.overrode,
    }));
}

function valueAt(environment: unknown, path: readonly string[]): unknown {
    let value: unknown = environment;
    for (const step of path) {
        if (Array.isArray(value)) value = value[Number(step)];
        else if (typeof value === "object" && value !== null)
            value = (value as Record<string, unknown>)[step];
        else return undefined;
    }
    return value;
}
