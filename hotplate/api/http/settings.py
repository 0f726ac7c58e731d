"""What an operator can set of the API."""

from dataclasses import dataclass

from hotplate.model.limits import DEEPEST_NESTING


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and switches. The defaults are generous: one user on one machine."""

    largest_body: int = 32 * 1024 * 1024
    """Bytes of a request."""

    largest_signal: int = 1024 * 1024
    """Bytes of a request to a signed address: it is read before it is known who sends it."""

    signed_uses_per_minute: int = 120
    """How often a signed address may be used that lives as long as its resource; 0 for no limit."""

    largest_template: int = 4 * 1024 * 1024
    """Bytes of a template."""

    deepest_nesting: int = DEEPEST_NESTING
    """Levels of nested stacks that are made, and listed."""

    most_stacks: int = 10_000
    """Stacks of a project."""

    most_bytes: int = 4 * 1024**3
    """Bytes that a project keeps in the database; 0 for no limit."""

    most_resources: int = 100_000
    """Resources of a stack and its nested stacks together; 0 for no limit."""

    most_snapshots: int = 32
    """Snapshots of a stack."""

    most_software_configs: int = 4096
    """Software configs of a project; every deployment usually has one of its own."""

    most_software_deployments: int = 4096
    """Software deployments of a project."""

    default_timeout: int = 0
    """Minutes that an operation may take if a stack is made without saying so; 0 for no limit."""

    evaluation_processes: int = 2
    """Processes of a server that evaluate templates and expressions; 0 for threads of its own."""

    evaluation_seconds: float = 10.0
    """Processor time that evaluating one request may take."""

    evaluation_memory: int = 512 * 1024 * 1024
    """Bytes of memory that evaluating one request may take."""

    longest_tag: int = 80
    most_tags: int = 100
    """Tags of a stack, and of a filter."""

    most_events: int = 10_000
    """Events of one answer; further ones are on the next page."""

    largest_outputs: int = 8 * 1024 * 1024
    """Bytes of the values of outputs in one answer."""

    hidden_tags: tuple[str, ...] = ("data-processing-cluster",)
    """Stacks with one of these tags are listed on request only."""

    allow_unverified_external: bool = False
    """Whether resources may be external whose type cannot check whether there is such an object."""

    can_abandon: bool = True
    can_adopt: bool = True
    region: str = "RegionOne"

    may_fetch_private: bool = False
    """Whether `template_url` may lead to machines of this network, this one included."""

    seconds_to_fetch: float = 10.0
    """For a template that is named by its address."""
