/** The live list of stacks. */
import { signal } from "@preact/signals";
import { ApiError } from "../api/http";
import { listStacks } from "../api/stacks";
import type { StackSummary } from "../api/types";

export const stacks = signal<StackSummary[] | null>(null);
export const stacksError = signal<ApiError | null>(null);

export async function loadStacks(): Promise<void> {
    try {
        stacks.value = await listStacks();
        stacksError.value = null;
    } catch (error) {
        stacksError.value =
            error instanceof ApiError ? error : new ApiError(0, "", String(error));
    }
}
