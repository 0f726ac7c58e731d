"""What OS::Heat::Stack declares, wherever the stack is made."""

from hotplate.resources.property import Property, PropertyKind

PROPERTIES = {
    "context": Property(
        PropertyKind.MAP,
        updatable=True,
        description="where the stack is made, if not here",
        schema={
            "region_name": Property(
                description="the region, as the operator or the cloud's catalogue names it"
            ),
            "credential_secret_id": Property(
                updatable=True,
                description="a secret in Barbican with a credential for another cloud, or the name "
                "of one that the operator has for the region",
            ),
            "ca_cert": Property(
                updatable=True,
                description="certificates, as PEM, that the server's is trusted by",
            ),
            "insecure": Property(
                PropertyKind.BOOLEAN,
                default=False,
                updatable=True,
                description="whether the server's certificate is not verified",
            ),
        },
    ),
    "template": Property(required=True, updatable=True, description="the template of the stack"),
    "timeout": Property(
        PropertyKind.INTEGER,
        updatable=True,
        description="how many minutes making or changing the stack may take",
    ),
    "parameters": Property(
        PropertyKind.MAP,
        default={},
        updatable=True,
        description="values for the template's parameters",
    ),
}
ATTRIBUTES = {
    "stack_name": "name of the stack",
    "outputs": "its outputs, by name",
    "show": "all that is known of the stack",
}
ATTRIBUTE_KINDS = {
    "stack_name": PropertyKind.STRING,
    "outputs": PropertyKind.MAP,
    "show": PropertyKind.MAP,
}
