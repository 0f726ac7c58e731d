/** Calls that are about what a stack is made of: gather, validate, preview, create, update. */
import { ask, get, send } from "./http";
import { stackPath } from "./stacks";
import type { At } from "./stacks";
import type { CreationDocument, UpdateDocument } from "../model/plan";
import type { ValidatedTemplate } from "../model/parameters";

export type FileKind = "template" | "environment" | "file";

export interface MissingFile {
    name: string;
    message: string;
    path: string;
    file: string;
    line: number | null;
    column: number | null;
}

/** The fields of a request that say what a stack is made of. */
export interface Recipe {
    template: string;
    template_name: string;
    files: Record<string, string>;
    environment_files: string[];
}

export interface Gathered {
    kinds: Record<string, FileKind>;
    template: string;
    environment_files: string[];
    /** What the template and the environments name, and these themselves. */
    used: string[];
    missing: MissingFile[];
    /** `sources` are the given names of its files. */
    recipe: (Recipe & { sources: Record<string, string> }) | null;
}

export interface GatherRequest {
    files: Record<string, string>;
    template?: string;
    environment_files?: string[];
}

/** Put together what a stack is made of from loose files. */
export async function gatherRecipe(
    request: GatherRequest,
    signal?: AbortSignal,
): Promise<Gathered> {
    const options = signal ? { body: request, signal } : { body: request };
    return (await ask<Gathered>("POST", "/recipe", options)).data;
}

export async function validate(
    recipe: Recipe,
    signal?: AbortSignal,
): Promise<ValidatedTemplate> {
    const options = signal ? { body: recipe, signal } : { body: recipe };
    return (await ask<ValidatedTemplate>("POST", "/validate", options)).data;
}

export interface StackRequest extends Partial<Recipe> {
    stack_name?: string;
    parameters?: Record<string, unknown>;
    /** Parameters whose own value is dropped: environments and defaults count again. */
    clear_parameters?: string[];
    clear_environment_files?: string[];
    timeout_mins?: number;
    disable_rollback?: boolean;
    tags?: string[];
    converge?: boolean;
}

export function previewCreation(request: StackRequest): Promise<CreationDocument> {
    return send("POST", "/stacks/preview", request);
}

export async function createStack(request: StackRequest): Promise<string> {
    const answer = await send<{ stack: { id: string } }>("POST", "/stacks", request);
    return answer.stack.id;
}

/** What an update of parts of a stack would do; what is not sent stays. */
export function previewUpdate(at: At, request: StackRequest): Promise<UpdateDocument> {
    return send("PATCH", stackPath(at, "/preview"), request, { show_nested: true });
}

/** Update parts of a stack, if it has not moved since `etag`. */
export async function updateStack(at: At, request: StackRequest, etag: string): Promise<void> {
    const headers: Record<string, string> = etag ? { "if-match": etag } : {};
    await ask("PATCH", stackPath(at), { body: request, headers });
}

export interface StoredRecipe {
    template: string;
    templateName: string;
    files: Record<string, string>;
    environmentFiles: string[];
    environmentNames: Record<string, string>;
}

/** What a stack is made of now; hidden values in environments are stars. */
export async function showRecipe(at: At, signal?: AbortSignal): Promise<StoredRecipe> {
    const [text, files, environment] = await Promise.all([
        get<{ template: string; template_name: string }>(
            stackPath(at, "/template"),
            { as_text: true },
            signal,
        ),
        get<Record<string, string>>(stackPath(at, "/files"), {}, signal),
        get<{ environment_files: string[]; environment_file_names: Record<string, string> }>(
            stackPath(at, "/environment"),
            {},
            signal,
        ),
    ]);
    return {
        template: text.template,
        templateName: text.template_name,
        files,
        environmentFiles: environment.environment_files,
        environmentNames: environment.environment_file_names,
    };
}
