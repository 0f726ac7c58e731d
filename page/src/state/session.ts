/** Who has signed in. The token is in memory only: a reload asks for it again. */
import { computed, signal } from "@preact/signals";
import { ask, setAccess, whenUnauthorized } from "../api/http";
import { navigate } from "./route";

export type Method = "none" | "token" | "keystone" | "secret";

export interface Session {
    user: string;
    project: string;
    isAdmin: boolean;
}

export const method = signal<Method | null>(null);
export const version = signal("");
export const session = signal<Session | null>(null);
export const sessionError = signal("");
export const needsSignIn = computed(() => method.value !== null && session.value === null);

let token = "";

/** Ask the server how to sign in, and do so where nothing has to be proven. */
export async function begin(): Promise<void> {
    try {
        const { data } = await ask<{ method: Method; version: string; session?: Who }>(
            "GET",
            "/page/sign-in",
        );
        version.value = data.version;
        if (data.session) enter("", data.session);
        method.value = data.method;
        if (data.method === "secret") await signInWithSecret();
    } catch (error) {
        sessionError.value = error instanceof Error ? error.message : String(error);
    }
}

/** Take a token; throws ApiError if the server refuses it. */
export async function signInWithToken(given: string): Promise<void> {
    token = given;
    setAccess({ token, project: session.value?.project ?? "" });
    const { data } = await ask<Who>("GET", "/page/session");
    enter(given, data);
}

interface Who {
    user: string;
    project: string;
    is_admin: boolean;
}

function enter(given: string, who: Who): void {
    token = given;
    setAccess({ token, project: who.project });
    sessionError.value = "";
    session.value = { user: who.user, project: who.project, isAdmin: who.is_admin };
}

/** Get a token for credentials from the server; throws ApiError if they are refused. */
export async function signInWithCredentials(given: Record<string, string>): Promise<void> {
    const { data } = await ask<{ token: string }>("POST", "/page/sign-in", { body: given });
    await signInWithToken(data.token);
}

/** Use the secret that the address brought, and take it out of the address and the history. */
async function signInWithSecret(): Promise<void> {
    const secret = /^#secret=([\w-]+)$/.exec(location.hash)?.[1];
    if (!secret) return;
    navigate({ project: "", section: "stacks", rest: [], query: {} }, true);
    await signInWithCredentials({ secret });
}

/** Go to another project; the server decides who may. */
export function enterProject(project: string): void {
    if (session.value === null || session.value.project === project) return;
    setAccess({ token, project });
    session.value = { ...session.value, project };
}

export function signOut(why = ""): void {
    token = "";
    setAccess({ token, project: "" });
    session.value = null;
    sessionError.value = why;
}

whenUnauthorized(() => {
    if (session.value !== null) signOut("The token is no longer accepted. Sign in again.");
});
