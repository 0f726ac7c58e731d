"""OS::Heat::RandomString."""

from collections.abc import Mapping
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits, octdigits
from typing import Any

from hotplate.resources.capabilities import Adoptable
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, Result
from hotplate.resources.support import Support
from hotplate.template.constraint import AllowedValues, Range

CLASSES = {
    "lettersdigits": ascii_letters + digits,
    "letters": ascii_letters,
    "lowercase": ascii_lowercase,
    "uppercase": ascii_uppercase,
    "digits": digits,
    "hexdigits": digits + "ABCDEF",
    "octdigits": octdigits,
}
_CLASS = AllowedValues(tuple(CLASSES))
_MIN = Property(
    PropertyKind.INTEGER,
    default=1,
    constraints=(Range(1, 512),),
    description="how many characters of it there are at least",
)


class RandomString(Adoptable):
    """A text drawn at random once; its reference is the text itself."""

    name = "OS::Heat::RandomString"
    support = Support(version="2014.1")
    creation = Creation.REPEATABLE
    instant = True
    irrecoverable = "the text that was drawn"
    properties = {
        "length": Property(
            PropertyKind.INTEGER,
            default=32,
            constraints=(Range(1, 512),),
            description="how many characters the text has",
        ),
        "character_classes": Property(
            PropertyKind.LIST,
            default=[{"class": "lettersdigits", "min": 1}],
            items=Property(
                PropertyKind.MAP,
                schema={
                    "class": Property(default="lettersdigits", constraints=(_CLASS,)),
                    "min": _MIN,
                },
            ),
            description="kinds of characters to choose from",
        ),
        "character_sequences": Property(
            PropertyKind.LIST,
            items=Property(
                PropertyKind.MAP, schema={"sequence": Property(required=True), "min": _MIN}
            ),
            description="characters to choose from",
        ),
        "salt": Property(description="has no effect but that a change of it draws a new text"),
        "sequence": Property(
            constraints=(_CLASS,), hidden=True, description="the old form of character_classes"
        ),
    }
    attributes = {"value": "the text"}
    attribute_kinds = {"value": PropertyKind.STRING}
    secret_attributes = frozenset(("value", ""))

    def convert(self, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super().convert(given)
        old = values.pop("sequence")
        if old is not None:
            if given.get("character_classes") is not None:
                raise BadProperty(
                    "sequence and character_classes cannot be given together",
                    ("sequence",),
                    "sequence is the old form; leave it out",
                )
            values["character_classes"] = [{"class": old, "min": 1}]
        return values

    async def adopt(self, resource: Resource) -> Result:
        value = str(resource.data.get("value", ""))
        return Done(reference=value, attributes={"value": value})

    async def create(self, resource: Resource) -> Result:
        value = _draw(resource)
        return Done(
            physical_id=resource.physical_name,
            reference=value,
            attributes={"value": value},
            data={"value": value},
        )

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        pools = _pools(properties)
        if sum(least for _, least in pools) > properties["length"]:
            return (
                "Length property cannot be smaller than combined character class and character "
                "sequence minimums"
            )
        if not pools or not all(characters for characters, _ in pools):
            return "there are no characters to choose from"
        return ""


def _pools(properties: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return sets of characters, none of them twice, each with the least number to take of it."""
    sequences = properties["character_sequences"] or []
    pools = [("".join(dict.fromkeys(item["sequence"])), item["min"]) for item in sequences]
    pools += [(CLASSES[item["class"]], item["min"]) for item in properties["character_classes"]]
    return pools


def _draw(resource: Resource) -> str:
    """Take the least number of each set, the rest of all together, and mix them."""
    random = resource.world.random
    pools = _pools(resource.properties)
    if len(pools) == 1:
        return "".join(random.choices(pools[0][0], k=resource.properties["length"]))
    drawn = [random.choice(characters) for characters, least in pools for _ in range(least)]
    union = "".join(dict.fromkeys("".join(characters for characters, _ in pools)))
    drawn += random.choices(union, k=resource.properties["length"] - len(drawn))
    random.shuffle(drawn)
    return "".join(drawn)
