/** What the user is putting together: files, values and options, until it is sent. */
import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import {
    createStack,
    gatherRecipe,
    previewCreation,
    previewUpdate,
    showRecipe,
    updateStack,
    validate,
} from "../../api/recipes";
import type {
    Gathered,
    GatherRequest,
    Recipe,
    StackRequest,
    StoredRecipe,
} from "../../api/recipes";
import { showStack } from "../../api/stacks";
import type { At } from "../../api/stacks";
import type { Stack } from "../../api/types";
import { overlaid, stackNameOf, withoutStars } from "../../model/files";
import type { LooseFile } from "../../model/files";
import { faultOf, formOf, valuesToSend } from "../../model/parameters";
import type { ParameterGroup, ValidatedTemplate } from "../../model/parameters";
import { planOfCreation, planOfUpdate } from "../../model/plan";
import type { PlannedStep } from "../../model/plan";
import { session } from "../../state/session";

/** So long nothing is asked while the user types. */
const PAUSE = 250;

/** Who is signed in, and where. */
export function whoAsks(): string {
    const who = session.value;
    return who ? `${who.user} ${who.project}` : "";
}

export class Draft {
    readonly files = signal<readonly LooseFile[]>([]);
    /** The template and the environments that the user chose; else what the files tell. */
    readonly template = signal("");
    readonly environments = signal<readonly string[] | null>(null);
    readonly gathered = signal<Gathered | null>(null);
    readonly validated = signal<ValidatedTemplate | null>(null);
    readonly error = signal<unknown>(null);
    readonly isLooking = signal(false);

    readonly name = signal("");
    readonly values = signal<Readonly<Record<string, string>>>({});
    /** Of an update: parameters that lose their own value. */
    readonly cleared = signal<ReadonlySet<string>>(new Set());
    readonly tags = signal("");
    readonly minutes = signal("");
    readonly rollsBack = signal(false);
    /** Of an update: whether objects that others have changed are brought back. */
    readonly converges = signal(false);

    readonly plan = signal<readonly PlannedStep[] | null>(null);
    readonly planError = signal<unknown>(null);
    readonly isPlanning = signal(false);
    /** Faults of values are shown when a plan was asked for. */
    readonly showsFaults = signal(false);

    /** The stack that is updated, as it is; null for a new one. */
    readonly stack = signal<Stack | null>(null);
    private stored: StoredRecipe | null = null;
    private etag = "";

    readonly form: ReadonlySignal<ParameterGroup[]> = computed(() => {
        const template = this.validated.value;
        return template ? formOf(template, this.stack.value?.parameters) : [];
    });
    readonly hasFaults: ReadonlySignal<boolean> = computed(() =>
        this.form.value.some((group) =>
            group.fields.some((field) => faultOf(field, this.values.value[field.name])),
        ),
    );
    readonly stackName: ReadonlySignal<string> = computed(
        () => this.name.value || stackNameOf(this.gathered.value?.template || "stack"),
    );

    private timer = 0;
    private looking: AbortController | null = null;

    constructor(readonly at: At | null = null) {
        if (at) void this.load();
    }

    /** Environments that the stack has: the server keeps their order. */
    get storedEnvironments(): readonly string[] {
        return this.stored?.environmentFiles ?? [];
    }

    /** Whether there is anything that the user would miss. */
    get isTouched(): boolean {
        return (
            this.files.value.some((each) => each.from === "user") ||
            Object.values(this.values.value).some(Boolean) ||
            this.cleared.value.size > 0
        );
    }

    /** Begin with what the stack has. */
    async load(): Promise<void> {
        if (!this.at) return;
        try {
            const [recipe, stack] = await Promise.all([
                showRecipe(this.at),
                showStack(this.at),
            ]);
            this.stored = recipe;
            this.stack.value = stack.data;
            this.etag = stack.headers.get("etag") ?? "";
            const template = recipe.templateName || "template.yaml";
            this.files.value = [
                { name: template, text: recipe.template, from: "stack" },
                ...Object.entries(recipe.files)
                    .filter(([name]) => name !== template)
                    .map(([name, text]): LooseFile => ({ name, text, from: "stack" })),
            ];
            this.template.value = template;
            this.environments.value = recipe.environmentFiles;
            this.tags.value = (stack.data.tags ?? []).join(", ");
            this.rollsBack.value = !stack.data.disable_rollback;
            this.changed();
        } catch (error) {
            this.error.value = error;
        }
    }

    add(added: readonly LooseFile[]): void {
        const before = new Set(this.files.value.map((each) => each.name));
        this.files.value = overlaid(this.files.value, added);
        const listed = this.environments.value;
        // What kind the new ones are is known when the server has looked at them.
        if (listed !== null)
            this.unsorted = this.files.value
                .map((each) => each.name)
                .filter((name) => !before.has(name));
        this.changed();
    }

    private unsorted: string[] = [];

    write(name: string, text: string): void {
        this.files.value = this.files.value.map((each) =>
            each.name === name ? { ...each, text, from: "user" } : each,
        );
        this.changed();
    }

    remove(name: string): void {
        this.files.value = this.files.value.filter((each) => each.name !== name);
        if (this.template.value === name) this.template.value = "";
        this.environments.value =
            this.environments.value?.filter((each) => each !== name) ?? null;
        this.changed();
    }

    chooseTemplate(name: string): void {
        this.template.value = name;
        this.changed();
    }

    chooseEnvironments(names: readonly string[]): void {
        this.environments.value = names;
        this.changed();
    }

    set(name: string, value: string): void {
        this.values.value = { ...this.values.value, [name]: value };
        this.plan.value = null;
        this.planError.value = null;
    }

    /** Drop a parameter's own value, or keep it after all. */
    clear(name: string, isCleared: boolean): void {
        const next = new Set(this.cleared.value);
        if (isCleared) next.add(name);
        else next.delete(name);
        this.cleared.value = next;
        this.set(name, "");
    }

    /** Something that the plan is about is different now. */
    changed(): void {
        this.plan.value = null;
        this.planError.value = null;
        window.clearTimeout(this.timer);
        // What is on its way is about files that are no longer so.
        this.looking?.abort();
        this.looking = null;
        this.isLooking.value = true;
        this.timer = window.setTimeout(() => void this.look(), PAUSE);
    }

    private async look(): Promise<void> {
        const stop = new AbortController();
        this.looking = stop;
        try {
            if (this.files.value.length === 0) {
                this.gathered.value = null;
                this.validated.value = null;
                this.error.value = null;
                return;
            }
            const gathered = await this.gather(stop.signal);
            if (stop.signal.aborted) return;
            this.gathered.value = gathered;
            this.validated.value = gathered.recipe
                ? await validate(this.known(gathered.recipe), stop.signal)
                : null;
            this.error.value = null;
        } catch (error) {
            if (!stop.signal.aborted) this.error.value = error;
        } finally {
            if (this.looking === stop) this.isLooking.value = false;
        }
    }

    /** A recipe without the hidden values of the stack, which only the server knows. */
    private known({ files, ...recipe }: Recipe): Recipe {
        const shown = Object.entries(files).map(([name, text]) => [name, withoutStars(text)]);
        return { ...recipe, files: Object.fromEntries(shown) as Record<string, string> };
    }

    private async gather(signal: AbortSignal): Promise<Gathered> {
        const ask = (): Promise<Gathered> => {
            const request: GatherRequest = {
                files: Object.fromEntries(
                    this.files.value.map((each) => [each.name, each.text]),
                ),
            };
            if (this.template.value) request.template = this.template.value;
            if (this.environments.value)
                request.environment_files = [...this.environments.value];
            return gatherRecipe(request, signal);
        };
        const found = await ask();
        const more = this.unsorted.filter((name) => found.kinds[name] === "environment");
        this.unsorted = [];
        if (more.length === 0) return found;
        this.environments.value = [...found.environment_files, ...more];
        return ask();
    }

    /** What the next request carries. */
    request(): StackRequest {
        const recipe = this.gathered.value?.recipe;
        if (!recipe) return {};
        const { sources, ...fields } = recipe;
        const parameters = valuesToSend(this.form.value, this.values.value);
        const options: StackRequest = {
            parameters,
            disable_rollback: !this.rollsBack.value,
            tags: this.tags.value
                .split(",")
                .map((tag) => tag.trim())
                .filter(Boolean),
        };
        if (this.converges.value) options.converge = true;
        if (this.minutes.value) options.timeout_mins = Number(this.minutes.value);
        if (!this.stored) return { stack_name: this.stackName.value, ...fields, ...options };
        if (this.cleared.value.size) options.clear_parameters = [...this.cleared.value];
        return { ...this.changesOf(this.stored, fields, sources), ...options };
    }

    /**
     * What differs from what the stack has. Environments of the stack are never sent back: their
     * hidden values are stars here.
     */
    private changesOf(
        stored: StoredRecipe,
        recipe: Pick<
            StackRequest,
            "template" | "template_name" | "files" | "environment_files"
        >,
        sources: Record<string, string>,
    ): StackRequest {
        const changed = new Set(
            this.files.value.filter((each) => each.from === "user").map((each) => each.name),
        );
        const kinds = this.gathered.value?.kinds ?? {};
        const isStored = (name: string): boolean => stored.environmentFiles.includes(name);
        const request: StackRequest = {};
        const template = recipe.template_name ?? "";
        if (changed.has(template)) {
            request.template = recipe.template ?? "";
            request.template_name = template;
        }
        request.files = Object.fromEntries(
            Object.entries(recipe.files ?? {}).filter(([key]) => {
                const source = sources[key] ?? key;
                if (changed.has(source)) return true;
                return !(key in stored.files) && kinds[source] !== "environment";
            }),
        );
        const listed = (recipe.environment_files ?? []).map((key) => sources[key] ?? key);
        request.environment_files = (recipe.environment_files ?? []).filter(
            (key) => !isStored(sources[key] ?? key),
        );
        const gone = stored.environmentFiles.filter((name) => !listed.includes(name));
        if (gone.length) request.clear_environment_files = gone;
        return request;
    }

    async makePlan(): Promise<void> {
        this.showsFaults.value = true;
        if (this.hasFaults.value) return;
        this.isPlanning.value = true;
        this.planError.value = null;
        this.plan.value = null;
        try {
            if (this.at) {
                const stack = await showStack(this.at);
                this.stack.value = stack.data;
                this.etag = stack.headers.get("etag") ?? "";
                this.plan.value = planOfUpdate(await previewUpdate(this.at, this.request()));
            } else this.plan.value = planOfCreation(await previewCreation(this.request()));
        } catch (error) {
            this.planError.value = error;
        } finally {
            this.isPlanning.value = false;
        }
    }

    /** Create or update; returns where the stack is, null if it was refused. */
    async send(): Promise<At | null> {
        this.isPlanning.value = true;
        this.planError.value = null;
        try {
            if (this.at) {
                await updateStack(this.at, this.request(), this.etag);
                return this.at;
            }
            const name = this.stackName.value;
            return { name, id: await createStack(this.request()) };
        } catch (error) {
            this.planError.value = error;
            return null;
        } finally {
            this.isPlanning.value = false;
        }
    }
}
