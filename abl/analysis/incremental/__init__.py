"""After an edit only what changed is looked at again."""
