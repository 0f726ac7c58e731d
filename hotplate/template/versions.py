"""Every template version: what each added to the one before it, and what it took away."""

from dataclasses import replace
from typing import Final

from hotplate.template.dialect import Dialect, Keywords
from hotplate.template.expression import Call
from hotplate.template.functions import cfn, collections, logic, query, references, repeat, text
from hotplate.template.functions.url import MakeUrl

HOT_KEYWORDS: Final = Keywords(
    version="heat_template_version",
    description="description",
    parameters="parameters",
    parameter_groups="parameter_groups",
    mappings="",
    conditions="conditions",
    resources="resources",
    outputs="outputs",
    type="type",
    properties="properties",
    metadata="metadata",
    depends_on="depends_on",
    deletion_policy="deletion_policy",
    update_policy="update_policy",
    external_id="external_id",
    condition="condition",
    value="value",
)
CFN_KEYWORDS: Final = Keywords(
    version="AWSTemplateFormatVersion",
    description="Description",
    parameters="Parameters",
    parameter_groups="",
    mappings="Mappings",
    conditions="Conditions",
    resources="Resources",
    outputs="Outputs",
    type="Type",
    properties="Properties",
    metadata="Metadata",
    depends_on="DependsOn",
    deletion_policy="DeletionPolicy",
    update_policy="UpdatePolicy",
    external_id="",
    condition="Condition",
    value="Value",
)

_HOT_PSEUDO: Final = ("OS::stack_id", "OS::stack_name", "OS::project_id")
_CFN_PSEUDO: Final = ("AWS::StackId", "AWS::StackName", "AWS::Region")

_CFN_FUNCTIONS: Final[dict[str, type[Call]]] = {
    "Fn::GetAZs": cfn.GetAZs,
    "Ref": cfn.ParameterRef,
    "Fn::Select": cfn.Select,
    "Fn::Join": text.OldListJoin,
    "Fn::Split": cfn.Split,
    "Fn::Replace": cfn.FnReplace,
    "Fn::Base64": cfn.Base64,
    "Fn::MemberListToMap": cfn.MemberListToMap,
    "Fn::ResourceFacade": references.FnResourceFacade,
}
_CFN_LOOKUPS: Final[dict[str, type[Call]]] = {
    "Fn::FindInMap": cfn.FindInMap,
    "Fn::GetAtt": references.FnGetAtt,
}
_HOT_CONDITIONS: Final[dict[str, type[Call]]] = {
    "get_param": references.GetParam,
    "equals": logic.Equals,
    "not": logic.Not,
    "and": logic.And,
    "or": logic.Or,
}


def _without(functions: dict[str, type[Call]], *names: str) -> dict[str, type[Call]]:
    return {name: function for name, function in functions.items() if name not in names}


def _hot_versions() -> list[Dialect]:
    first = Dialect(
        version="2013-05-23",
        alias="",
        keywords=HOT_KEYWORDS,
        is_cfn=False,
        functions={
            **_CFN_FUNCTIONS,
            "get_param": references.GetParam,
            "get_resource": references.GetResource,
            "get_attr": references.GetAttr,
            "get_file": references.GetFile,
            "list_join": text.OldListJoin,
            "str_replace": text.OldStrReplace,
            "resource_facade": references.ResourceFacade,
        },
        condition_functions={},
        pseudo_parameters=_HOT_PSEUDO,
    )
    versions = [first]

    def add(version: str, alias: str = "", **changes: object) -> None:
        versions.append(
            replace(versions[-1], version=version, alias=alias, **changes)  # type: ignore[arg-type]
        )

    def functions(*taken: str, **given: type[Call]) -> dict[str, type[Call]]:
        return {**_without(dict(versions[-1].functions), *taken), **given}

    removed = [name for name in _CFN_FUNCTIONS if name != "Fn::Select"]
    add("2014-10-16", functions=functions(*removed), removed=dict.fromkeys(removed, "2014-10-16"))
    add("2015-04-30", functions=functions(repeat=repeat.ListRepeat, digest=text.Digest))
    add(
        "2015-10-15",
        functions=functions(
            "Fn::Select",
            get_attr=references.GetAttrOrAll,
            list_join=text.ListJoin,
            str_replace=text.StrReplace,
            str_split=text.StrSplit,
        ),
        removed={**versions[-1].removed, "Fn::Select": "2015-10-15"},
    )
    add("2016-04-08", functions=functions(map_merge=collections.MapMerge))
    add(
        "2016-10-14",
        "newton",
        functions=functions(
            repeat=repeat.Repeat,
            yaql=query.Yaql,
            map_replace=collections.MapReplace,
            **{"if": logic.If},
        ),
        condition_functions=_HOT_CONDITIONS,
        has_conditions=True,
        lower_case_policies=True,
    )
    add(
        "2017-02-24",
        "ocata",
        functions=functions(filter=collections.Filter, str_replace_strict=text.StrReplaceStrict),
        has_modulo=True,
    )
    add(
        "2017-09-01",
        "pike",
        functions=functions(
            repeat=repeat.RepeatWithPermutations,
            make_url=MakeUrl,
            list_concat=collections.ListConcat,
            list_concat_unique=collections.ListConcatUnique,
            contains=collections.Contains,
            str_replace_vstrict=text.StrReplaceVeryStrict,
        ),
        condition_functions={
            **_HOT_CONDITIONS,
            "yaql": query.Yaql,
            "contains": collections.Contains,
        },
    )
    add("2018-03-02", "queens", has_tags=True)
    add("2018-08-31", "rocky")
    add("2021-04-16", "wallaby", optional_else=True)
    return versions


_CFN_2012: Final = Dialect(
    version="2012-12-12",
    alias="",
    keywords=replace(CFN_KEYWORDS, version="HeatTemplateFormatVersion"),
    is_cfn=True,
    functions={**_CFN_FUNCTIONS, **_CFN_LOOKUPS},
    condition_functions={},
    pseudo_parameters=_CFN_PSEUDO,
)
_CFN_2010: Final = replace(
    _CFN_2012,
    version="2010-09-09",
    keywords=CFN_KEYWORDS,
    functions={**_CFN_FUNCTIONS, **_CFN_LOOKUPS, "Fn::If": logic.If},
    condition_functions={
        "Fn::Equals": logic.Equals,
        "Ref": cfn.ParameterRef,
        "Fn::FindInMap": cfn.FindInMap,
        "Fn::Not": logic.FnNot,
        "Fn::And": logic.And,
        "Fn::Or": logic.Or,
    },
    has_conditions=True,
)

DIALECTS: Final[tuple[Dialect, ...]] = (*_hot_versions(), _CFN_2012, _CFN_2010)
"""All versions, oldest HOT first."""

VERSION_KEYS: Final = (
    "heat_template_version",
    "HeatTemplateFormatVersion",
    "AWSTemplateFormatVersion",
)


def versions_for(key: str) -> dict[str, Dialect]:
    """Return the versions that may stand under a version key, aliases included."""
    found: dict[str, Dialect] = {}
    for dialect in DIALECTS:
        if dialect.keywords.version == key:
            found[dialect.version] = dialect
            if dialect.alias:
                found[dialect.alias] = dialect
    return found


def first_version_with(function: str, is_cfn: bool) -> Dialect | None:
    """Return the oldest version that has a function of this name."""
    for dialect in DIALECTS:
        if dialect.is_cfn == is_cfn and (
            function in dialect.functions or function in dialect.condition_functions
        ):
            return dialect
    return None
