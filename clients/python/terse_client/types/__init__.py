"""The types of the objects in requests and responses, one module per document."""
