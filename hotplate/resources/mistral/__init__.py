"""OS::Mistral: resources that workflows make, and workflows as resources."""
