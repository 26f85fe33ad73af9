"""Evidence sources, each a SourceKind."""
