"""The tables. Times are seconds since 1970 in UTC; JSON is text that only this package reads."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    insert,
    text,
)
from sqlalchemy.dialects.mysql import LONGTEXT

METADATA: Final = MetaData()

_Id = String(36)
_Digest = String(64)
_Name = String(255)
_Word = String(24)
_Long = Text().with_variant(LONGTEXT(), "mysql", "mariadb")
_Big = BigInteger().with_variant(Integer(), "sqlite")

# MariaDB's defaults differ with its age, and take "Web" and "web", or "a" and "a ", for the same.
_EXACT: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (
        ("engine", "InnoDB"),
        ("charset", "utf8mb4"),
        ("collate", "utf8mb4_nopad_bin"),
        ("row_format", "DYNAMIC"),
    )
}
# SQLite would give the number of the newest row again once that row is removed.
_NEVER_AGAIN: dict[str, Any] = {"sqlite_autoincrement": True}

content: Final = Table(
    "content",
    METADATA,
    Column("digest", _Digest, primary_key=True, comment="SHA-256 of the body"),
    Column("body", _Long, nullable=False),
    comment="Templates, environments and files: one row for each content.",
    **_EXACT,
)

inclusion: Final = Table(
    "inclusion",
    METADATA,
    Column("holder", _Digest, primary_key=True, comment="a content that lists files"),
    Column("content", _Digest, primary_key=True, comment="one of those files"),
    Index("inclusion_content", "content"),
    comment="Which contents name which others; removed with their holder.",
    **_EXACT,
)

recipe: Final = Table(
    "recipe",
    METADATA,
    Column("digest", _Digest, primary_key=True),
    Column("template", _Digest, nullable=False),
    Column("environment", _Digest, nullable=False),
    Column("files", _Digest, nullable=False),
    Column("body", _Long, nullable=False, comment="JSON: digests of contents, and parameters"),
    comment="A template with its environments, files and parameters: all that makes a stack.",
    **_EXACT,
)

stack: Final = Table(
    "stack",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("name", _Name, nullable=False),
    Column("project", String(64), nullable=False),
    Column("root_id", _Id, nullable=False),
    Column("parent_id", _Id),
    Column("parent_version", _Big),
    Column("depth", Integer, nullable=False, default=0),
    Column("recipe", _Digest, nullable=False, comment="what the latest operation aims at"),
    Column("completed_recipe", _Digest, comment="the last one that completed: rollback goes there"),
    Column("traversal", _Id, comment="null when nothing may start any more"),
    Column("sequence", Integer, nullable=False, default=0, comment="orders the traversals"),
    Column("counter", Integer, nullable=False, default=0, comment="for ids of versions and nodes"),
    Column("need", Integer, nullable=False, default=0, comment="nodes still to finish"),
    Column("update_need", Integer, nullable=False, default=0, comment="of these, update nodes"),
    Column("action", _Word, nullable=False),
    Column("status", _Word, nullable=False),
    Column("reason", _Long, nullable=False),
    Column("rollback", Boolean, nullable=False, default=False),
    Column("timeout", Integer, comment="minutes"),
    Column("deadline", Double),
    Column("tags", _Long, nullable=False, default="[]"),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),
    Column("deleted_at", Double),
    Column("name_lock", String(330), unique=True, comment="project and name while it exists"),
    Column("username", _Name, nullable=False, server_default=text("''"), comment="who made it"),
    Column("reason_code", _Word, nullable=False, server_default=text("''")),
    Column(
        "converges",
        Boolean,
        nullable=False,
        server_default=text("'0'"),
        comment="the traversal compares objects with what is wanted",
    ),
    Column("authority_id", _Digest, comment="with whose rights it is worked on"),
    Column("visitor_id", _Digest, comment="the same for checks and other visits"),
    # See hotplate.store.carried.
    Column(
        "carrier",
        Integer,
        nullable=False,
        server_default=text("'0'"),
        comment="sequence of the last traversal that carried versions",
    ),
    Column("carried_recipe", _Digest, comment="what these were confirmed for"),
    Index("stack_root", "root_id"),
    Index("stack_parent", "parent_id"),
    Index("stack_deadline", "deadline"),
    Index("stack_project", "project", "deleted_at"),
    Index("stack_authority", "authority_id"),
    Index("stack_visitor", "visitor_id"),
    **_EXACT,
    **_NEVER_AGAIN,
)

version: Final = Table(
    "version",
    METADATA,
    Column("id", _Big, primary_key=True, autoincrement=False),
    Column("uuid", _Id, nullable=False, comment="mark of the physical object: token, tag, name"),
    Column("stack_id", _Id, nullable=False),
    Column("root_id", _Id, nullable=False),
    Column("name", _Name, nullable=False),
    Column("type", Text, nullable=False, comment="may be the address of a template"),
    Column("physical_id", Text),
    Column("action", _Word, nullable=False),
    Column("status", _Word, nullable=False),
    Column("reason", _Long, nullable=False, default=""),
    Column("owner", Integer, nullable=False, comment="sequence of the traversal that wants it"),
    Column("recipe", _Digest, nullable=False, comment="what it was last created or updated for"),
    Column("fingerprint", _Digest, nullable=False, default=""),
    Column("definition", _Long, nullable=False, default="{}", comment="as last applied"),
    Column("requires", _Long, nullable=False, default="[]"),
    Column("needed", _Long, nullable=False, default="[]", comment="requires once the action ends"),
    Column("before", _Long, nullable=False, default="{}", comment="properties before the action"),
    Column("replaces", _Big),
    Column("replaced_by", _Big),
    Column("reference", _Long, comment="what get_resource gives"),
    Column("attributes", _Long, nullable=False, default="{}", comment="what others asked for"),
    Column("data", _Long, nullable=False, default="{}", comment="what the type keeps for itself"),
    Column("cookie", _Long, comment="where the type stands in what it is doing"),
    Column(
        "intent", _Word, comment="what was being done to the object, until it is known how it went"
    ),
    Column("attempt", Integer, nullable=False, default=0),
    Column("intent_at", Double),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),
    Column(
        "relation",
        _Word,
        nullable=False,
        server_default=text("'managed'"),
        comment="whose the object is",
    ),
    # True for what was there before this was known: the next update finds out. In this form all
    # servers tell the default as it was given.
    Column(
        "always_visited",
        Boolean,
        nullable=False,
        server_default=text("'1'"),
        comment="something in the stack that it is asks to be looked at by every update",
    ),
    Column("reason_code", _Word, nullable=False, server_default=text("''")),
    Column("differences", _Long, comment="JSON: where the object is not what was applied"),
    Column("reference_mark", _Digest, comment="by which the sealed reference is found"),
    Column("listens", _Digest, comment="the mark of the reference whose signals it waits for"),
    Column("awaits", _Id, comment="the execution that the cookie names"),
    Index("version_stack", "stack_id", "name"),
    Index("version_root", "root_id"),
    # Ids may be longer than an index takes, so two of the servers look at less than all of them.
    # On PostgreSQL it is a hash; said here, every command would load what speaks to that server.
    Index("version_physical", "physical_id", mysql_length=64, mariadb_length=64),
    **_EXACT,
)

node: Final = Table(
    "node",
    METADATA,
    Column("id", _Big, primary_key=True, autoincrement=False),
    Column("stack_id", _Id, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("version_id", _Big, nullable=False),
    Column("name", _Name, nullable=False),
    Column("task", _Word, nullable=False),
    Column("need", Integer, nullable=False, comment="predecessors still to finish"),
    Column("state", _Word, nullable=False),
    Column("generation", Integer, nullable=False, default=0, comment="raised by every claim"),
    Column("worker", Integer),
    Column("due", Double, comment="when a parked node wants to be looked at"),
    Column("successors", _Long, nullable=False, default="[]"),
    Column("releases", _Long, nullable=False, default="[]", comment="nodes of newer traversals"),
    Column("spare", _Big, comment="id for a replacement, should one be needed"),
    Column("hook", _Word, comment="the hook that it waits at"),
    Column("passed", _Word, comment="the last hook that was cleared for it"),
    Index("node_stack", "stack_id"),
    Index("node_state", "state", "due"),
    Index("node_version", "version_id"),
    **_EXACT,
)

event: Final = Table(
    "event",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("stack_id", _Id, nullable=False),
    Column("root_id", _Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("name", _Name, nullable=False, comment="of the resource, or of the stack itself"),
    Column("type", Text, nullable=False, comment="may be the address of a template"),
    Column("physical_id", Text),
    Column("action", _Word, nullable=False),
    Column("status", _Word, nullable=False),
    Column("reason", _Long, nullable=False),
    Index("event_stack", "stack_id", "number"),
    Index("event_root", "root_id", "number"),
    **_EXACT,
    **_NEVER_AGAIN,
)

signal: Final = Table(
    "received_signal",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("version_id", _Big, nullable=False),
    Column("stack_id", _Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("body", _Long, nullable=False, comment="JSON: what the type keeps of it"),
    Index("signal_version", "version_id", "number"),
    Index("signal_stack", "stack_id"),
    comment="What resources were told from outside, in the order in which it was accepted.",
    **_EXACT,
    **_NEVER_AGAIN,
)

# The table has kept its first name: processes of an earlier version that still run while the schema
# is brought up to date would not find it under another.
deferred_change: Final = Table(
    "errand",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("stack_id", _Id, nullable=False),
    Column("version_id", _Big, nullable=False),
    Column("at", Double, nullable=False),
    Column("body", _Long, nullable=False, comment="JSON: what is to be done"),
    Index("errand_stack", "stack_id"),
    comment="What is to be done to versions once their stacks are at rest, in this order.",
    **_EXACT,
    **_NEVER_AGAIN,
)

stack_request: Final = Table(
    "stack_request",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("stack_id", _Id, nullable=False),
    Column("sequence", Integer, nullable=False, comment="of the traversal that it began"),
    Column("action", _Word, nullable=False, comment="what was asked for"),
    Column("username", _Name, nullable=False, comment="who asked"),
    Column("at", Double, nullable=False),
    Index("stack_request_stack", "stack_id"),
    comment="Who asked when for what: not what the engine does by itself.",
    **_EXACT,
    **_NEVER_AGAIN,
)

authority: Final = Table(
    "authority",
    METADATA,
    Column("id", _Digest, primary_key=True, comment="of the user, the project and the roles"),
    Column("user_id", String(64), nullable=False),
    Column("user_name", _Name, nullable=False),
    Column("user_domain", String(64), nullable=False),
    Column("project", String(64), nullable=False),
    Column("project_name", _Name, nullable=False),
    Column("roles", _Long, nullable=False, comment="JSON: the ids of the roles"),
    Column("region", _Name, nullable=False),
    Column("is_delegated", Boolean, nullable=False, comment="its tokens can make no trust"),
    Column("token", _Long, nullable=False, comment="the newest that its user came with, or empty"),
    Column("token_expires", Double, nullable=False),
    Column("catalog", _Long, nullable=False, comment="JSON: where the services are"),
    Column("trust", _Long, nullable=False, comment="the id of the trust, or empty"),
    Column("trust_fault", _Long, nullable=False, comment="why there is no trust that is needed"),
    Column("state", _Word, nullable=False),
    Column("reason", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False, comment="of the state, the token or the trust"),
    Index("authority_state", "state"),
    comment="With whose rights clouds are called after a request was answered.",
    **_EXACT,
)

latch: Final = Table(
    "latch",
    METADATA,
    Column("name", _Word, primary_key=True),
    Column("turns", _Big, nullable=False, default=0),
    comment="What one transaction at a time may do, in all processes: its row is locked for it.",
    **_EXACT,
)

data_key: Final = Table(
    "data_key",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("project", String(64), nullable=False),
    Column("purpose", _Word, nullable=False),
    Column("number", Integer, nullable=False, comment="the one with the greatest seals"),
    Column("master_id", String(32), nullable=False, comment="which key of the key file wraps it"),
    Column("wrapped", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("uses", _Big, nullable=False, comment="rounded up"),
    Index("data_key_project", "project", "purpose", "number", unique=True),
    comment="What seals the values of each project, wrapped with a key that is not stored here.",
    **_EXACT,
)

worker: Final = Table(
    "worker",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", _Name, nullable=False),
    Column("heartbeat", Double, nullable=False),
    **_EXACT,
    **_NEVER_AGAIN,
)

snapshot: Final = Table(
    "snapshot",
    METADATA,
    Column("id", _Id, primary_key=True),
    Column("stack_id", _Id, nullable=False),
    Column("name", _Name),
    Column("status", _Word, nullable=False),
    Column("reason", _Long, nullable=False),
    Column("recipe", _Digest, nullable=False),
    Column("data", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Index("snapshot_stack", "stack_id"),
    **_EXACT,
)

software_config: Final = Table(
    "software_config",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("project", String(64), nullable=False),
    Column("name", _Name),
    Column("group", _Name, comment="the tool on the server that applies it"),
    Column("config", _Long, nullable=False, comment="JSON: a text or a map"),
    Column("inputs", _Long, nullable=False),
    Column("outputs", _Long, nullable=False),
    Column("options", _Long, nullable=False),
    Column("created_at", Double, nullable=False),
    Index("software_config_project", "project", "number"),
    **_EXACT,
    **_NEVER_AGAIN,
)

software_deployment: Final = Table(
    "software_deployment",
    METADATA,
    Column("number", _Big, primary_key=True, autoincrement=True),
    Column("id", _Id, nullable=False, unique=True),
    Column("project", String(64), nullable=False),
    Column("config_id", _Id, nullable=False),
    Column("server_id", _Name, nullable=False),
    Column("input_values", _Long, nullable=False),
    Column("output_values", _Long, comment="null until there are any"),
    Column("action", _Name),
    Column("status", _Name),
    Column("reason", _Long, nullable=False),
    Column("stack_user_project_id", String(64), comment="of the server's own user"),
    Column("stack_id", _Id, comment="whose resource it is; null if nobody's"),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double),
    Index("software_deployment_project", "project", "number"),
    Index("software_deployment_server", "server_id"),
    Index("software_deployment_config", "config_id"),
    **_EXACT,
    **_NEVER_AGAIN,
)


def unless_known(connection: Connection, table: Table) -> Any:
    """Return an insert that does nothing if another transaction was faster."""
    if connection.dialect.name in ("mysql", "mariadb"):
        return insert(table).prefix_with("IGNORE")
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 (heavy; others do without it)

        return postgresql.insert(table).on_conflict_do_nothing()
    return insert(table).prefix_with("OR IGNORE")
