/** What the API answers, in its own words. */

export interface Link {
    href: string;
    rel: string;
}

export interface StackSummary {
    id: string;
    stack_name: string;
    description: string;
    stack_status: string;
    stack_status_reason: string;
    creation_time: string;
    updated_time: string | null;
    deletion_time: string | null;
    stack_owner: string;
    parent: string | null;
    tags: string[] | null;
    links: Link[];
}

export interface Failure {
    path: string[];
    resource_type: string;
    physical_resource_id: string;
    resource_action: string;
    reason: string;
    is_old: boolean;
    links: Link[];
    input?: Record<string, unknown>;
}

export interface Output {
    output_key: string;
    description: string;
    output_value?: unknown;
    output_error?: string;
    output_note?: string;
}

export interface Stack extends StackSummary {
    template_description: string;
    parameters: Record<string, string>;
    disable_rollback: boolean;
    timeout_mins: number | null;
    outputs?: Output[];
    failures?: Failure[];
}

/** A resource as the tree and lists have it. */
export interface Resource {
    resource_name: string;
    logical_resource_id: string;
    physical_resource_id: string;
    resource_type: string;
    resource_status: string;
    resource_status_reason: string;
    creation_time: string;
    updated_time: string;
    required_by: string[];
    links: Link[];
    is_external: boolean;
    is_old: boolean;
    parent_resource?: string | null;
    nested_stack_id?: string;
}

export interface Difference {
    property: string;
    applied: unknown;
    live: unknown;
}

export interface ResourceDetail extends Resource {
    attributes: Record<string, unknown>;
    description: string;
    differences: Difference[];
    attributes_note?: string;
}

/** A resource in the tree; one that is a stack has it, one that waits at a hook says which. */
export interface TreeResource extends Resource {
    stack?: TreeStack;
    hook?: string;
}

export interface TreeStack extends StackSummary {
    resources: TreeResource[];
}

export interface StackEvent {
    id: string;
    event_time: string;
    resource_name: string;
    logical_resource_id: string;
    resource_status: string;
    resource_status_reason: string;
    physical_resource_id: string | null;
    resource_type?: string;
    links: Link[];
}

/** Where a value or a resource is written. */
export interface Source {
    kind: string;
    name: string;
    file: string | null;
    line: number | null;
    path: string[] | string | null;
}

/** One cause in the chain that says why a resource is as it is. */
export interface Cause {
    level: number;
    text: string;
    /** From the stack that was asked. */
    path: string[];
    source: Source | null;
}
