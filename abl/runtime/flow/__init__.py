"""Running a flow: steps, actions and branches (docs/spec 06)."""
