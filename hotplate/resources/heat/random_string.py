"""OS::Heat::RandomString."""

from typing import Any

from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Creation, Done, Resource, ResourceType, Result
from hotplate.template.constraint import AllowedValues, Range

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
CLASSES = {
    "lettersdigits": _LETTERS + _LETTERS.upper() + _DIGITS,
    "letters": _LETTERS + _LETTERS.upper(),
    "lowercase": _LETTERS,
    "uppercase": _LETTERS.upper(),
    "digits": _DIGITS,
    "hexdigits": _DIGITS + "ABCDEF",
    "octdigits": "01234567",
}
_MIN = Property(PropertyKind.INTEGER, default=1, constraints=(Range(1, 512),))


class RandomString(ResourceType):
    """A text drawn at random once; its reference is the text itself."""

    name = "OS::Heat::RandomString"
    creation = Creation.REPEATABLE
    instant = True
    properties = {
        "length": Property(PropertyKind.INTEGER, default=32, constraints=(Range(1, 512),)),
        "character_classes": Property(
            PropertyKind.LIST,
            items=Property(
                PropertyKind.MAP,
                schema={
                    "class": Property(
                        default="lettersdigits", constraints=(AllowedValues(tuple(CLASSES)),)
                    ),
                    "min": _MIN,
                },
            ),
        ),
        "character_sequences": Property(
            PropertyKind.LIST,
            items=Property(
                PropertyKind.MAP, schema={"sequence": Property(required=True), "min": _MIN}
            ),
        ),
        "salt": Property(),
    }
    attributes = {"value": "the text"}

    async def create(self, resource: Resource) -> Result:
        value = _draw(resource)
        return Done(
            physical_id=resource.physical_name,
            reference=value,
            attributes={"value": value},
            data={"value": value},
        )

    def validate(self, properties: Any) -> str:
        least = sum(count for _, count in _pools(properties))
        if least > properties["length"]:
            return f"the minimums add up to {least}, more than the length {properties['length']}"
        return ""


def _pools(properties: Any) -> list[tuple[str, int]]:
    classes = properties["character_classes"] or []
    sequences = properties["character_sequences"] or []
    pools = [(CLASSES[item["class"]], item["min"]) for item in classes]
    pools += [(item["sequence"], item["min"]) for item in sequences]
    return pools or [(CLASSES["lettersdigits"], 1)]


def _draw(resource: Resource) -> str:
    random = resource.world.random
    pools = _pools(resource.properties)
    drawn = [random.choice(characters) for characters, least in pools for _ in range(least)]
    union = "".join(characters for characters, _ in pools)
    rest = resource.properties["length"] - len(drawn)
    drawn += random.choices(union, k=rest)
    random.shuffle(drawn)
    return "".join(drawn)
