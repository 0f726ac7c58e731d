"""``yaql: {expression, data}``."""

from hotplate import bounded
from hotplate.document import Data, InvalidDocument, from_data
from hotplate.template.errors import BadCall
from hotplate.template.expression import Call, Constant
from hotplate.template.functions.arguments import must_be, named, refuse_unknown, text
from hotplate.template.scope import Scope
from hotplate.template.site import Site

_FORM = "yaql: {expression: $.data.list.len(), data: {list: [1, 2]}}"


class Yaql(Call):
    """Evaluates a YAQL expression; ``$.data`` is the data."""

    __slots__ = ()

    def check(self, site: Site) -> None:
        """Refuse an expression that cannot be parsed."""
        arguments = named(self.arguments, ("expression",), _FORM)
        refuse_unknown(arguments, ("expression", "data"), _FORM)
        expression = arguments["expression"]
        must_be(expression, (str,), "the expression must be a text", "expression")
        if isinstance(expression, Constant):
            try:
                bounded.compile_query(text(expression.value, "the expression"))
            except bounded.BadQuery as error:
                raise BadCall(str(error), path=("expression",)) from None

    def evaluate(self, scope: Scope) -> Data:
        """Return what the expression makes of the data."""
        bounded.must_be_light()
        arguments = named(self.arguments, ("expression",), _FORM)
        expression = text(arguments["expression"].resolve_alone(scope), "the expression")
        data = arguments["data"].resolve_alone(scope) if "data" in arguments else {}
        scope.budget.spend_for(data)
        try:
            result: Data = bounded.compile_query(expression).evaluate({"data": data})
        except bounded.BadQuery as error:
            raise BadCall(str(error), path=("expression",)) from None
        try:
            from_data(result, "")
        except InvalidDocument as fault:
            raise BadCall(f"the result is refused: {fault.problems[0].message}") from None
        scope.budget.spend_for(result)
        return result
